"""Turns labelled links, headlines, documents, keywords and URL prefixes into weighted samples.

One portal's 86 000 links would outweigh the 25 000 headlines of many sites. So each source has a weight of its own, and both classes
get the same total weight in it. Within the links, repetitions and large hosts are damped.

Idea: a headline is used as an anchor and as a context; a document's title as an anchor, its sentences as contexts; a
    keyword as a short anchor and context; other topics' keywords are the negatives.
Formula: weight of a link = 1 / (times its anchor occurs on its host * (links of its host)^0.25)
    weight of one of a document's n sentences = 1/n, n at most 8
    total weight of each class of a source = share * sqrt(samples of + * samples of -), samples counted without weights
    shares: links 0.25, headlines 1, documents 0.5, keywords 1, URL prefixes 1; a keyword counts as 40 samples, times its
        weight over the heaviest, a prefix as 30 (ours; chosen on links of other sites: docs/lab.md)
Cost: one pass, most of it in the tokenizer.
But: the paper has one source and uses it without weights (training.published).
Reference: Han et al. 2010, §3.2; the weights are ours.

`BOILERPLATE` are words of links whatever the target; they are counted for no class. 目录, 标签, 搜索 and github are in links of every
site, so training always finds some weight for them. But it reflects how the training sites were built, and on the next site it outweighs
the other words. Common words that a topic needs are not boilerplate (手机, 统计, 条款, 地图), nor are a topic's own keywords
(`boilerplate_beside`). The paper's models in the evaluation table count every word. Figures: docs/lab.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Protocol, TypeVar

from topiccrawler.link_model.classifier import (
    FIELDS,
    GROUP_2,
    Counts,
    Lexicon,
    LinkWords,
    channel_words,
    features_of,
    words_of_links,
)
from topiccrawler.link_model.training.link_files import LabelledLink
from topiccrawler.resources import package_table
from topiccrawler.text.segmenter import STOP_WORDS, Segmenter
from topiccrawler.text.stemmer import with_stems
from topiccrawler.topics.labelled_texts import LabelledText
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import host_of

_WORDS = package_table("link_model/training/boilerplate.toml")
BOILERPLATE: frozenset[str] = STOP_WORDS | with_stems(f"{_WORDS['site']} {_WORDS['latin']}")

# "places", as model files name them: URL prefixes
SHARES = {"links": 0.25, "headlines": 1.0, "documents": 0.5, "keywords": 1.0, "places": 1.0}
HOST_DAMPING = 0.25
SENTENCES_PER_DOCUMENT = 8
SAMPLES_PER_KEYWORD = 40.0
SAMPLES_PER_PREFIX = 30.0

_CHUNK = 5_000
_SENTENCE_END = re.compile(r"[\n。！？!?]+")
_SHORTEST_SENTENCE, _LONGEST_SENTENCE = 8, 120

T = TypeVar("T")


class Progress(Protocol):
    """Iterates over items and displays the progress."""

    def __call__(self, items: Sequence[T], what: str) -> Iterable[T]: ...


def silently(items: Sequence[T], what: str) -> Iterable[T]:  # noqa: ARG001
    """Iterate over items without displaying the progress."""
    return items


@dataclass(frozen=True, slots=True)
class Sample:
    """One weighted training sample; `has` names the fields that it has."""

    words: LinkWords
    positive: bool
    weight: float = 1.0
    host: str = ""
    has: tuple[str, ...] = FIELDS


def link_samples(
    links: Sequence[LabelledLink], segmenter: Segmenter, progress: Progress = silently
) -> list[Sample]:
    """Return a sample of weight 1 for each link."""
    return [
        Sample(_interned(words), item.positive, host=host_of(item.link.source_url))
        for chunk in progress(list(_chunks(links)), "links")
        for item, words in zip(chunk, words_of_links([item.link for item in chunk], segmenter), strict=True)
    ]


def headline_samples(
    headlines: Sequence[LabelledText], segmenter: Segmenter, progress: Progress = silently
) -> list[Sample]:
    """Return a sample for each headline, which is used as an anchor and as a context."""
    return [
        Sample(_interned(LinkWords(words, words, ())), item.positive, has=GROUP_2)
        for chunk in progress(list(_chunks(headlines)), "headlines")
        for item, words in zip(chunk, segmenter.words_of([item.title for item in chunk]), strict=True)
    ]


def document_samples(
    documents: Sequence[LabelledText], segmenter: Segmenter, progress: Progress = silently
) -> list[Sample]:
    """Return samples for documents: the title as an anchor, the first sentences as contexts."""
    found = []
    for document in progress(documents, "documents"):
        title, *sentences = segmenter.words_of([document.title, *_sentences(document.text)])
        found.append(Sample(_interned(LinkWords(title, (), ())), document.positive, has=("anchor",)))
        share = 1 / max(1, len(sentences))
        found += [
            Sample(_interned(LinkWords((), words, ())), document.positive, share, has=("context",))
            for words in sentences
        ]
    return found


def keyword_samples(topic: Topic, negative_topics: Sequence[Topic]) -> list[Sample]:
    """Return the topic's keywords as positive samples, other topics' keywords as negatives, and its example texts as documents.

    A word of a phrase says less than the phrase, which is in the lexicon: in a phrase of n words each counts 1/n².
    """
    heaviest = max(topic.keywords.values())
    own = [(word, True, weight / heaviest) for word, weight in topic.keywords.items()]
    others = sorted({word for other in negative_topics for word in other.keywords} - set(topic.keywords))
    found = [*own, *((word, False, 1.0) for word in others)]
    samples = [
        Sample(
            LinkWords(words, words, ()),
            positive,
            weight * SAMPLES_PER_KEYWORD / (len(words) ** 2 if is_phrase(word) else 1),
            has=GROUP_2,
        )
        for (word, positive, weight), words in zip(
            found, topic.segmenter.words_of([word for word, _, _ in found]), strict=True
        )
        if words
    ]
    texts = [LabelledText("", text, True, topic.name, "") for text in topic.examples]
    return samples + document_samples(texts, topic.segmenter)


def is_phrase(keyword: str) -> bool:
    """Whether the keyword is written as several words, like "electric car"."""
    return len(keyword.split()) > 1


def prefix_samples(topic: Topic, negative_topics: Sequence[Topic]) -> list[Sample]:
    """Return the words of the topic's URL prefixes as positive samples, those of its negative and other topics' prefixes as negatives.

    Empty if one of the classes has no sample.
    """
    own = dict.fromkeys(topic.positive)
    others = dict.fromkeys(
        [
            *topic.negative,
            *(prefix for negative_topic in negative_topics for prefix in negative_topic.positive),
        ]
    )
    found = [(prefix, True) for prefix in own] + [(prefix, False) for prefix in others if prefix not in own]
    samples = [
        Sample(LinkWords((), (), words), positive, SAMPLES_PER_PREFIX, has=("url",))
        for prefix, positive in found
        if (words := channel_words(f"http://{prefix.rstrip('/')}/"))
    ]
    return samples if all(_sides(samples)) else []


def damped(samples: Sequence[Sample]) -> list[Sample]:
    """Return links with weights that reduce repetitions on a host, and large hosts."""
    hosts = Counter(sample.host for sample in samples)
    repeats = Counter((sample.host, tuple(sample.words.anchor)) for sample in samples)
    damping = (
        repeats[sample.host, tuple(sample.words.anchor)] * hosts[sample.host] ** HOST_DAMPING
        for sample in samples
    )
    return [replace(sample, weight=sample.weight / by) for sample, by in zip(samples, damping, strict=True)]


def balanced(sources: Mapping[str, Sequence[Sample]], lexicon: Lexicon) -> Counts:
    """Return the summed counts of all sources, each with its weight and with balanced classes."""
    counts = Counts()
    excluded = boilerplate_beside(sources.get("keywords", ()))
    for name, samples in pooled(sources).items():
        weights = [sum(one.weight for one in samples if one.positive is side) for side in (False, True)]
        sizes = weights if name in {"keywords", "places"} else _sides(samples)
        goal = SHARES[name] * (math.sqrt(sizes[0] * sizes[1]) or max(sizes))
        for sample in samples:
            add(counts, sample, lexicon, sample.weight * goal / weights[sample.positive], excluded)
        for side in (False, True):
            if not weights[side]:  # a class without samples is counted as equally large, without words
                counts.add(dict.fromkeys(GROUP_2, ()), side, goal)
    return counts


def pooled(sources: Mapping[str, Sequence[Sample]]) -> dict[str, list[Sample]]:
    """Add each source with samples of one class only (such as news of 16 kinds without health) to the first source that has both."""
    whole = {name: list(found) for name, found in sources.items() if all(_sides(found))}
    home = next((name for name in ("documents", "headlines", "links", "keywords") if name in whole), None)
    if home is None:
        return {"keywords": [sample for found in sources.values() for sample in found]}
    for name, found in sources.items():
        if name not in whole:
            whole[home] += found
    return whole


def _sides(samples: Sequence[Sample]) -> list[int]:
    positive = sum(sample.positive for sample in samples)
    return [len(samples) - positive, positive]


def add(
    counts: Counts, sample: Sample, lexicon: Lexicon, weight: float, without: frozenset[str] = frozenset()
) -> None:
    """Count one sample in the fields that it has, `without` some words."""
    counts.add(features_of(sample.words, lexicon, sample.has, without), sample.positive, weight)


def boilerplate_beside(keywords: Iterable[Sample]) -> frozenset[str]:
    """Return the words that are counted for no class: boilerplate without the words of the topic's own keywords."""
    return BOILERPLATE.difference(*(sample.words.anchor for sample in keywords if sample.positive))


def _sentences(text: str) -> list[str]:
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    long_enough = (part[:_LONGEST_SENTENCE] for part in parts if len(part) >= _SHORTEST_SENTENCE)
    return [part for part, _ in zip(long_enough, range(SENTENCES_PER_DOCUMENT), strict=False)]


def _interned(words: LinkWords) -> LinkWords:
    """Share one string object for each distinct word, because the vocabulary is small and the samples are many."""
    return LinkWords(*(tuple(map(intern, part)) for part in words))


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]
