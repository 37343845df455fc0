"""What a few words of a user's mean: a topic of the catalogue, or a topic of their own.

Idea: who writes 财经 股票 基金 names a topic of the catalogue and means all of it; who writes 考研 高考 志愿 wants less than all of
education. The parent topic is a good guide to where pages on the words are, and a bad judge of which they are. So a topic of one's own is
judged by its own words and what a thesaurus has below them (relevance.evidence, topics.subjects); the parent's and near words only lead to
its pages.
Formula: the words mean the catalogue's topic t when one of them is t's name, English or Chinese; else they are a topic of their own, within
the catalogue's topic that all of them belong to (topics.meaning), where there is one.
Parameters: a topic of at most MOST_WORDS words, none of them learned or weighed by a program, is one of a few words.
Reference: ours.

How like two topics are: the cosine of their keyword vectors; and which words speak against a topic.

The topic of the catalogue that a few words belong to: who writes 通胀 美股 港股 wants finance, whose words are known.

Idea: words that stand together in one topic of the catalogue mean that topic.
Formula: points(t) = sum over the words of t among those given of (2 for a name of t, else 1) / topics that have the word; the
topic of most points; share = sum of these words' weights in t (a name's is 1) / words given.
Parameters: all the words given, or with a name of the topic half of them; three words, a name counts as two: who writes 红酒 品酒 wants
less than all of food.
Cost: .2 s, once a process, for the catalogue's words. Reference: ours.

Proposes words for a topic of a few, each with its weight and why: those of the catalogue's topic they belong to, and those near
them by the table of word vectors.

Idea: three words find a third of a topic's pages; the others say 净值, 申购, 收益率. A word near them is worth as much as it is near,
and as it is rare: one that many texts hold says little of any.
Formula: weight(w) = g · a(w) l(w)² r(w) / m, at most g; l = likeness to the words given, r = rarity (text.word_vectors); m = mean of l² r
over the given words that the table has whole, else the largest l² r of those proposed; g = the mean weight of the words given; a = 1 - .7 ·
share of the words given that the table does not have whole, half of it for a word outside the catalogue's topic where there is one.
Of the catalogue's topic (topics.meaning): g · share · weight(w), its names 1. Of a subject that one of the words names (topics.subjects):
g · share(w). The largest of the three.
Parameters: most 600; LEAST_LIKENESS .35, below which the table guesses (docs/lab/word-vectors.md).
Reads: the words given alone, no page. Cost: .5 s, once a process.
But: a word with two meanings brings words of both; give one more that only your topic has.
Reference: ours.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from topiccrawler.text.characters import printable
from topiccrawler.text.segmenter import PLAIN, Segmenter, fold, is_whole, words_of
from topiccrawler.text.stemmer import ENGLISH, OTHER, stem
from topiccrawler.text.weights import cosine
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.subjects import Term, is_in_english, terms_for
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic, token_weights

NEUTRAL = 0.2  # likeness of a word to a topic's, from which it says nothing against it
MOST_NEUTRAL = 5_000
NEIGHBOUR = 0.1  # cosine, from which two topics share pages: film and entertainment have .35, health and parenting .09


def nearest(topic: Topic, most: int = 5) -> list[tuple[str, float]]:
    """The other topics of the catalogue most like this one, with their cosine (0..1), the most like first; none of 0."""
    others = [load_topic(name) for name, _ in topic_names() if name != topic.name]
    found = [(other.name, cosine(topic.keywords, other.keywords)) for other in others]
    return sorted((pair for pair in found if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:most]


def unlike(topic: Topic) -> list[Topic]:
    """The other topics of the catalogue whose words may stand for everything that is not about this one.

    A neighbour's may not: most pages about films are about entertainment too.
    """
    others = (load_topic(name) for name, _ in topic_names() if name != topic.name)
    return [other for other in others if cosine(topic.keywords, other.keywords) < NEIGHBOUR]


def contrasts(topic: Topic) -> list[Topic]:
    """The same without the words that the word vectors hold near this topic's: 厨房 is of homes, and speaks not against food."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    user_words = {
        word: topic.keywords[word] for word in topic.given if word in topic.keywords
    } or topic.keywords
    segmenter = topic.segmenter
    near = shipped_vectors().alike(user_words, NEUTRAL, MOST_NEUTRAL, segmenter)
    neutral = {word for tokens in segmenter.words_of(near) for word in ("".join(tokens), *tokens)}
    others = unlike(topic)
    tokens_of = dict(zip(words := _all_keywords(others), segmenter.words_of(words), strict=True))
    return [
        other.model_copy(
            update={
                "keywords": {
                    word: weight
                    for word, weight in other.keywords.items()
                    if neutral.isdisjoint(("".join(tokens_of[word]), *tokens_of[word]))
                }
            }
        )
        for other in others
    ]


def contrast_vectors(topic: Topic) -> dict[str, dict[str, float]]:
    """The words of each of `contrasts` as the topic's segmenter gives them, with their weights. Half a second; one topic asked for again gets the
    same."""
    fields = topic.model_dump_json(include={"name", "keywords", "given"})
    return _contrast_vectors(fields, topic.segmenter)


@lru_cache(maxsize=4)
def _contrast_vectors(fields: str, segmenter: Segmenter) -> dict[str, dict[str, float]]:
    topic = Topic.model_construct(**json.loads(fields)).cut_by(segmenter)
    return {other.name: token_weights(other.keywords, segmenter)[0] for other in contrasts(topic)}


def _all_keywords(topics: Sequence[Topic]) -> list[str]:
    return sorted({word for topic in topics for word in topic.keywords})


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


if TYPE_CHECKING:
    from topiccrawler.text.word_vectors import WordVectors

LEAST_LIKENESS = 0.35
LEAST_WEIGHT = 0.001
NEAR_WORDS = 300  # that may stand for those given in a page
GUESSED = 0.7  # what a word loses that is near none but words taken for their parts
OUTSIDE = 0.5  # weight of a near word that the catalogue's topic lacks


@dataclass(frozen=True, slots=True)
class Proposed:
    """A word, its weight, and what speaks for it."""

    word: str
    weight: float
    near: str = ""  # the given word it is nearest to, by the word vectors
    likeness: float = 0.0  # 0..1, to all words given
    topic: str = ""  # of the catalogue, that the words given belong to
    subject: str = ""  # that one of the words given names (topics.subjects)

    @property
    def reason(self) -> str:
        """For people."""
        if self.subject:
            return _of_subject(self.subject)
        if self.topic:
            return f"of the topic {self.topic}"
        return f"near {' '.join(printable(self.near).split())}, likeness {self.likeness:.2f}"


def _of_subject(subject: str) -> str:
    return f"of the subject {subject}"


def proposed(
    user_words: Mapping[str, float],
    most: int = PROPOSED_WORDS,
    topic: Kindred | None = None,
    language: str = ENGLISH,
) -> list[Proposed]:
    """At most so many words for these; the heaviest first. Nothing when neither table nor catalogue knows any of them.

    `topic`: that of the catalogue, where it is known otherwise than by these words. `language`: of Latin words; the table has English ones.
    """
    if topic is None:
        return list(_proposed(tuple(user_words.items()), most, language))
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    return weighed(user_words, most, shipped_vectors(), topic)


@lru_cache(maxsize=16)
def _proposed(user_words: tuple[tuple[str, float], ...], most: int, language: str) -> tuple[Proposed, ...]:
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    words = dict(user_words)
    found: dict[str, Proposed] = {}
    if language == ENGLISH:
        found = {one.word: one for one in weighed(words, most, shipped_vectors(), kindred(words))}
    terms = _terms_for(words)
    for term, tokens in zip(terms, words_of([term.word for term in terms]), strict=True):
        weight = _rounded(term.share * _mean(words))
        if not is_whole(term.word, tokens):
            continue  # it would need a dictionary of its own (text.segmenter), 24 MB
        if term.word not in found or found[term.word].weight <= weight:
            found[term.word] = Proposed(term.word, weight, subject=term.subject)
    return tuple(sorted(found.values(), key=lambda one: (-one.weight, one.word))[:most])


def weighed(
    user_words: Mapping[str, float], most: int, vectors: WordVectors, topic: Kindred | None = None
) -> list[Proposed]:
    """The same by any table, and any topic."""
    own = set(joined(user_words))
    found = {one.word: one for one in _near(user_words, most + len(own), own, vectors)}
    if topic is not None:
        inside = set(joined(topic.keywords))
        found = {
            word: one if "".join(tokens) in inside else replace(one, weight=_rounded(OUTSIDE * one.weight))
            for (word, one), tokens in zip(found.items(), words_of(list(found)), strict=True)
        }
        for one in _of_topic(user_words, own, topic):
            if one.word not in found or found[one.word].weight < one.weight:
                found[one.word] = one
    return sorted(found.values(), key=lambda one: (-one.weight, one.word))[:most]


def _near(user_words: Mapping[str, float], most: int, own: set[str], vectors: WordVectors) -> list[Proposed]:
    near = [
        (one, one.likeness**2 * one.rarity, "".join(words_of([one.word])[0]) in own)
        for one in vectors.near(user_words, most)
    ]
    if not near:
        return []
    measures = [worth for _, worth, is_own in near if is_own] or [max(worth for _, worth, _ in near)]
    measure = max(sum(measures) / len(measures), 1e-9)
    guessed = sum(not vectors.has(word) for word in own) / len(own)
    scale = (1.0 - GUESSED * guessed) * _mean(user_words)
    return [
        Proposed(one.word, _rounded(scale * min(1.0, worth / measure)), one.by, one.likeness)
        for one, worth, is_own in near
        if not is_own and one.likeness >= LEAST_LIKENESS
    ]


def _of_topic(user_words: Mapping[str, float], own: set[str], topic: Kindred) -> list[Proposed]:
    if not topic.share:
        return []
    weights = {**topic.keywords, **dict.fromkeys(topic.names, 1.0)}
    scale = topic.share * _mean(user_words)
    return [
        Proposed(word, _rounded(scale * weights[word]), topic=topic.name)
        for word, tokens in zip(weights, words_of(list(weights)), strict=True)
        if tokens and "".join(tokens) not in own
    ]


def _mean(user_words: Mapping[str, float]) -> float:
    return sum(user_words.values()) / len(user_words)


def _rounded(weight: float) -> float:
    return max(LEAST_WEIGHT, round(weight, 3))


def near_words(
    user_words: Mapping[str, float],
    segmenter: Segmenter,
    least: float = LEAST_LIKENESS,
    most: int = NEAR_WORDS,
) -> dict[str, float]:
    """The words most like those given, as the segmenter gives them, with their likeness; none of those given."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    own = set(joined(user_words, segmenter))
    near = shipped_vectors().near(user_words, most, segmenter)
    keys = ("".join(tokens) for tokens in segmenter.words_of([one.word for one in near]))
    return {
        key: one.likeness
        for key, one in zip(keys, near, strict=True)
        if key and key not in own and one.likeness >= least
    }


def with_proposed(topic: Topic, parent: Kindred | None = None) -> Topic:
    """The topic with the words it asks for (`proposed_words`), as one that asks for no more. `parent`: the catalogue's topic, where it is
    known otherwise than by the words."""
    if not topic.proposed_words:
        return topic
    more = {
        one.word: one.weight
        for one in proposed(topic.keywords, topic.proposed_words, parent, topic.segmenter.language)
    }
    words = {
        **topic.keywords,
        **{word: weight for word, weight in more.items() if word not in topic.keywords},
    }
    lexicon = list(words) if topic.lexicon == list(topic.keywords) else topic.lexicon
    changed = {"keywords": words, "lexicon": lexicon, "proposed_words": 0, "given": list(topic.keywords)}
    return topic.model_copy(update=changed)


def reasons(topic: Topic) -> dict[str, str]:
    """Why each word is in the topic that was learned from pages or proposed, or is a term; nothing of those a person wrote or weighed anew."""
    kept = {word: why for word, why in topic.reasons.items() if word in topic.keywords}
    user_words = {word: topic.keywords[word] for word in topic.given if word in topic.keywords}
    if not user_words:
        return kept
    found = proposed(user_words, max(PROPOSED_WORDS, len(topic.keywords)), language=topic.segmenter.language)
    of_proposed = {
        one.word: one.reason for one in found if one.word in topic.keywords and one.word not in user_words
    }
    terms = {term.word: _of_subject(term.subject) for term in _terms_for(topic.given)} if topic.narrow else {}
    return terms | of_proposed | kept


MOST_WORDS = 12
_LATIN_WORD = re.compile(r"[a-z\u00df-\u024f]{4,}")
_OTHER_LETTER = re.compile(r"(?![a-z\u00df-\u024f])[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Meaning:
    """`parent`: the catalogue's topic that is meant, or within which the words are; None when there is none."""

    parent: Kindred | None
    is_whole: bool  # the parent itself is meant


def meaning_of(words: Iterable[str]) -> Meaning:
    """What these words mean."""
    user_words = list(words)
    if (whole := named_by(user_words)) is not None:
        return Meaning(whole, is_whole=True)
    return Meaning(kindred(user_words), is_whole=False)


def understood(topic: Topic) -> Topic:
    """The topic as its words are meant, with the words that lead to its pages; any that is not of a few words as it is."""
    if not has_few_words(topic):
        found = with_proposed(topic)
        is_users_alone = topic.narrow and not found.given
        return found.model_copy(update={"given": list(topic.keywords)}) if is_users_alone else found
    if topic.language is None and language_of(topic.keywords) == OTHER:
        topic = topic.model_copy(update={"language": OTHER})
    if "proposed_words" not in topic.model_fields_set:
        topic = topic.model_copy(update={"proposed_words": PROPOSED_WORDS})
    meaning = meaning_of(topic.keywords)
    parent = meaning.parent
    decided = {"narrow": not meaning.is_whole} if topic.narrow is None else {}
    found = with_proposed(topic, parent if meaning.is_whole else None)
    return found.model_copy(
        update={"given": list(topic.keywords), "within": parent.name if parent else "", **decided}
    )


def language_of(words: Iterable[str]) -> str:
    """OTHER where half of them are Latin words that neither the word vectors nor the English subjects know, and none is of another script."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    text = fold(" ".join(words))
    runs = _LATIN_WORD.findall(text)
    if not runs or _OTHER_LETTER.search(text):
        return ENGLISH
    vectors = shipped_vectors()
    unknown = [run for run in runs if not (vectors.has(stem(run)) or is_in_english(run))]
    return OTHER if 2 * len(unknown) >= len(runs) else ENGLISH


def has_few_words(topic: Topic) -> bool:
    """A person wrote its words, and so few that they say what is wanted but not how pages say it."""
    learned = topic.given or topic.against or topic.reasons or topic.examples
    return not learned and len(joined(topic.keywords)) <= MOST_WORDS


def as_understood(topic: Topic) -> str:
    """One line that says what was understood; empty for a topic that is not of a user's words."""
    if topic.narrow is None:
        return ""
    words = " ".join(map(printable, topic.given))
    if topic.narrow:
        whole = f", within {topic.within}; -a topic={topic.within} is the whole"
        language = ", not in English" if topic.segmenter.language == OTHER else ""
        return f"{words}: your own topic{language}{whole if topic.within else ''}"
    if topic.within and named_by(topic.given) is not None:
        return f"{words}: the catalogue's topic {topic.within}"
    return f"{words}: a topic of these words and those near them"


def judging_words(topic: Topic) -> dict[str, float]:
    """Of its keywords, with their weights, those that decide whether a page is about it: where it is narrow, the words given."""
    return {
        word: weight for word, weight in topic.keywords.items() if not topic.narrow or word in topic.given
    }


def naming_words(topic: Topic) -> list[str]:
    """Those that say what the topic is: what the user typed, else its names that are among its keywords. More than a few words typed, or
    of a class, name nothing where the topic is not narrow."""
    if topic.given and (topic.narrow or len(topic.given) <= MOST_WORDS):
        return topic.given
    return [word for word in dict.fromkeys((topic.zh, *topic.also, topic.name)) if word in topic.keywords]


def naming_terms(topic: Topic) -> dict[str, float]:
    """Of a narrow topic: further names and narrower terms of what its words name (topics.subjects), with their shares."""
    return {term.word: term.share for term in _terms_for(topic.given)} if topic.narrow else {}


def _terms_for(user_words: Collection[str]) -> tuple[Term, ...]:
    """None for more than a few words: who lists many says which."""
    return terms_for(user_words) if len(user_words) <= MOST_WORDS else ()


def leading_words(topic: Topic) -> dict[str, float]:
    """Those that only lead to its pages, heaviest first; none where it is not narrow."""
    judging = judging_words(topic) | naming_terms(topic)
    others = [pair for pair in topic.keywords.items() if pair[0] not in judging]
    return dict(sorted(others, key=lambda pair: (-pair[1], pair[0])))
