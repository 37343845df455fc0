"""What a thesaurus is to those who ask it: the similarity of two words in meaning.

Kinds: text.cilin (a file of codes), text.wordnet (a file of a WordNet), text.vector_thesaurus (the shipped word vectors);
text.thesauri chooses. This one knows equal words only, and is the base of the others.
Scale: 1 synonyms, 0.5 to 1 near words, above 0 to 0.5 distant ones, 0 unknown or unrelated.
But: the paper gives these ranges and no numbers; those of each kind are ours.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.6.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


class Thesaurus:
    """Similarity of words as the tokenizer gives them, 0..1, the same in both directions."""

    def similarity(self, first: str, second: str) -> float:
        """Of two words; here 1 when they are equal, else 0."""
        return float(first == second)

    def nearest(self, words: Sequence[str]) -> Callable[[str], float]:
        """A function that gives the similarity of a word to that of `words` it is most similar to; 0 for no words."""
        known, similarity = tuple(words), self.similarity
        return lambda word: max((similarity(word, other) for other in known), default=0.0)
