"""How near short texts are to a topic by the word vectors: the mean likeness of their words to the words it was given.

Cost: .2 s of CPU once; then a look-up a word, once for each distinct text.
But: words that the table lacks say nothing; a text of such words alone is as near as an average one.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
import numpy.typing as npt

from topiccrawler.text.generation_cache import TwoGenerationCache
from topiccrawler.text.tokenise import words_of
from topiccrawler.text.word_vectors import WordVectors, shipped_vectors
from topiccrawler.topics.topic import Topic

CACHED_CHARACTERS = 1_000_000  # of texts, in either generation
MIDDLE, SCALE = 0.15, 0.15  # likeness


class NearTexts:
    """Of one topic."""

    def __init__(self, topic: Topic, vectors: WordVectors | None = None) -> None:
        given = {word: topic.keywords[word] for word in topic.given if word in topic.keywords}
        self._likeness = (vectors or shipped_vectors()).likenesses(given or topic.keywords)
        self._cache: TwoGenerationCache[float] = TwoGenerationCache(self._work, CACHED_CHARACTERS)

    def of(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """2 tanh((mean likeness - .15) / .15) of each; 0 for a text without a word of the table."""
        found = self._cache.of(texts)
        return np.array([found[text] for text in texts], dtype=np.float64)

    def _work(self, texts: list[str]) -> list[float]:
        values = []
        for words in words_of(texts):
            known = [self._likeness[word] for word in words if word in self._likeness]
            values.append(2.0 * float(np.tanh((fmean(known) - MIDDLE) / SCALE)) if known else 0.0)
        return values
