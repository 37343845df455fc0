"""The topic of the catalogue that a few words belong to: who writes 通胀 美股 港股 wants finance, whose words are known.

Idea: words that stand together in one topic of the catalogue mean that topic.
Formula: points(t) = sum over the words of t among those given of (2 for a name of t, else 1) / topics that have the word; the
topic of most points; share = sum of these words' weights in t (a name's is 1) / words given.
Parameters: all the words given, or with a name of the topic half of them; three words, a name counts as two: who writes 红酒 品酒 wants
less than all of food.
Cost: .2 s, once a process, for the catalogue's words. Reference: ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from topiccrawler.text.segmenter import PLAIN, Segmenter, words_of
from topiccrawler.topics.catalogue import load_topic, topic_names

LEAST_BESIDE_A_NAME = 0.5  # of the words given
LEAST_WORDS = 3  # a name counts twice


@dataclass(frozen=True, slots=True)
class Kindred:
    """A topic's name, its words with weights (the heaviest 1), how far the words given belong to it (0..1), and all its names."""

    name: str
    keywords: Mapping[str, float]
    share: float
    names: tuple[str, ...] = ()  # as they are written


@dataclass(frozen=True, slots=True)
class _Words:
    keywords: dict[str, float]  # as they are written
    tokens: dict[str, float]  # as the segmenter gives them, with those of the lexicon
    names: tuple[str, ...]  # as they are written
    name_tokens: frozenset[str]
    main_names: frozenset[str]  # English and Chinese


def kindred(user_words: Iterable[str]) -> Kindred | None:
    """The topic that these words belong to; None when there is none."""
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
    """The topic that one of these words is the name of, English or Chinese; the first of several. A further name (股票, books) names a part."""
    wanted = joined(user_words)
    for word in wanted:
        for name, topic in _catalogue().items():
            if word in topic.main_names:
                found = [one for one in wanted if one in topic.tokens or one in topic.name_tokens]
                share = sum(topic.tokens.get(one, 1.0) for one in found) / len(wanted)
                return Kindred(name, topic.keywords, min(1.0, share), topic.names)
    return None


def of_catalogue(name: str, share: float) -> Kindred:
    """That topic of the catalogue, to which something belongs so far."""
    topic = _catalogue()[name]
    return Kindred(name, topic.keywords, share, topic.names)


def joined(words: Iterable[str], segmenter: Segmenter = PLAIN) -> list[str]:
    """Each word as the segmenter gives it, its pieces joined; without those of which nothing remains."""
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
