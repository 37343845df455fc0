"""A word's weight in a score, also for a word that training has not seen.

The tokenizer reads a long compound as one word (足球比赛) when training has only met its parts (足球, 比赛).

Idea: a known word has its own weight; an unknown Han word of 3 characters or more is read as the longest known words
    in it, from the left, at least 2 characters each, and has the sum of their weights; other unknown words have none.
Parameter: compounds, whether to do so. Anchors only (link_model.classifier): in contexts it repeats what neighbouring
    words say (docs/lab/link-models.md).
Cost: one dictionary look-up a known word. The result for an unknown one is remembered; memory is bounded.
Reference: forward maximum matching; ours as a back-off.
"""

from __future__ import annotations

_SHORTEST = 3
_LONGEST = 12
_MOST_REMEMBERED = 50_000


class WordWeights(dict[str, float]):
    """Word -> weight; `[word]` never fails. `in` and iteration know only trained words and results remembered."""

    def __init__(self, trained: dict[str, float], *, compounds: bool = True) -> None:
        super().__init__(trained)
        self.telling = frozenset(word for word, share in trained.items() if share)
        self._trained = frozenset(trained if compounds else ())  # what was worked out must not cut others
        self._room = len(trained) + _MOST_REMEMBERED

    def __missing__(self, word: str) -> float:
        share = 0.0
        if self._trained and _SHORTEST <= len(word) <= _LONGEST and not word.isascii():
            start, end = 0, len(word)
            while end - start >= 2:
                stop = next((at for at in range(end, start + 1, -1) if word[start:at] in self._trained), 0)
                share += self[word[start:stop]] if stop else 0.0
                start = stop or start + 1
        if len(self) < self._room:
            self[word] = share
        return share
