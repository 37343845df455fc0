"""Words that any page has, by the two frequency tables that come with jieba.

Each table alone is biased: its idf comes from business news (基金 stands in every fiftieth text), its dictionary's counts from a
newspaper (教育, 法律). A word that both call common says little of a page.
"""

from __future__ import annotations

from functools import cache

from topiccrawler.text.stopwords import STOP_WORDS
from topiccrawler.topics.keywords import background_idf

LARGEST_IDF = 5.0  # in one of 150 texts or more
LEAST_COUNT = 15_000  # of 60 million words


@cache
def common_words() -> frozenset[str]:
    """Some 300 words of a general text, and the stop words."""
    idf = background_idf()  # imports jieba, whose warnings it silences
    import jieba

    with jieba.get_module_res("dict.txt") as file:
        rows = (line.split() for line in file)
        frequent = {word.decode("utf-8") for word, count, *_ in rows if int(count) >= LEAST_COUNT}
    return STOP_WORDS | {word for word in frequent if idf.get(word, LARGEST_IDF) < LARGEST_IDF}
