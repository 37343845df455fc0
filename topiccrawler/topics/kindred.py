"""Finds the topic of the catalogue that a few words belong to: who writes 通胀 美股 港股 wants finance, whose words are known.

Idea: words that are together in one topic of the catalogue mean that topic.
Formula: points(t) = sum over the words of t among the user's words of (2 for a name of t, else 1) / topics that have the word; the
topic of most points; share = sum of these words' weights in t (a name's is 1) / number of the user's words.
Parameters: t must have all the user's words, or with a name of t among them half; and three words, where a name counts as two: who writes
红酒 品酒 wants less than all of food.
Cost: .2 s, once a process, for the catalogue's words. Reference: ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from topiccrawler.text.segmenter import PLAIN, Segmenter, words_of
from topiccrawler.topics.catalogue import load_topic, topic_names

LEAST_BESIDE_A_NAME = 0.5  # share of the user's words
LEAST_WORDS = 3  # where a name counts twice


@dataclass(frozen=True, slots=True)
class Kindred:
    """A topic of the catalogue: name, words with weights (the largest 1), how far the user's words belong to it (0..1), all its names."""

    name: str
    keywords: Mapping[str, float]
    share: float
    names: tuple[str, ...] = ()  # in written form


@dataclass(frozen=True, slots=True)
class _Words:
    keywords: dict[str, float]  # in written form
    tokens: dict[str, float]  # keywords and lexicon, in the form that the segmenter gives
    names: tuple[str, ...]  # in written form
    name_tokens: frozenset[str]
    main_names: frozenset[str]  # the English and the Chinese name


def kindred(user_words: Iterable[str]) -> Kindred | None:
    """The topic of the catalogue that these words belong to; None when there is none."""
    wanted = joined(user_words)
    topics = _catalogue()
    having = Counter(word for topic in topics.values() for word in {*topic.tokens, *topic.name_tokens})
    best, most = None, 0.0
    for name, topic in topics.items():
        found = [word for word in wanted if word in topic.tokens or word in topic.name_tokens]
        counts = {word: 1 + (word in topic.name_tokens) for word in found}
        least = LEAST_BESIDE_A_NAME if max(counts.values(), default=1) > 1 else 1.0
        if len(found) < least * len(wanted) or sum(counts.values()) < LEAST_WORDS:
            continue
        points = sum(count / having[word] for word, count in counts.items())
        if points > most:
            share = sum(topic.tokens.get(word, 1.0) for word in found) / len(wanted)
            best, most = Kindred(name, topic.keywords, min(1.0, share), topic.names), points
    return best


def named_by(user_words: Iterable[str]) -> Kindred | None:
    """The topic of the catalogue whose English or Chinese name is one of these words, the first of several; None when there is none.

    Further names (股票, books) do not count: they name a part of the topic.
    """
    wanted = joined(user_words)
    for word in wanted:
        for name, topic in _catalogue().items():
            if word in topic.main_names:
                found = [one for one in wanted if one in topic.tokens or one in topic.name_tokens]
                share = sum(topic.tokens.get(one, 1.0) for one in found) / len(wanted)
                return Kindred(name, topic.keywords, min(1.0, share), topic.names)
    return None


def of_catalogue(name: str, share: float) -> Kindred:
    """The topic of the catalogue with this name, as one to which something belongs with this share (0..1)."""
    topic = _catalogue()[name]
    return Kindred(name, topic.keywords, share, topic.names)


def joined(words: Iterable[str], segmenter: Segmenter = PLAIN) -> list[str]:
    """Each word in the form that the segmenter gives, its pieces joined. Words of which nothing remains are left out."""
    return list(filter(None, ("".join(tokens) for tokens in segmenter.words_of(list(words)))))


@cache
def _catalogue() -> dict[str, _Words]:
    found = {}
    for name, _ in topic_names():
        topic = load_topic(name)
        heaviest = max(topic.keywords.values())
        keywords = {word: weight / heaviest for word, weight in topic.keywords.items()}
        tokens = dict.fromkeys(joined(topic.lexicon), 1.0)
        for word, pieces in zip(keywords, words_of(list(keywords)), strict=True):
            tokens["".join(pieces)] = keywords[word]
        names = tuple(dict.fromkeys((topic.zh, *topic.also, name.replace("_", " "))))
        main_names = frozenset(joined((name.replace("_", " "), topic.zh)))
        found[name] = _Words(keywords, tokens, names, frozenset(joined((topic.name, *names))), main_names)
    return found
