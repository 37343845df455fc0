"""Implements the page classifier `evidence`: logistic regression on where the words that name a topic are on the page, with a VSM inside.

Idea: a word in the title of a page says more than ten in its text, two of the user's words say more than one twice, and text that the site
repeats on every page says nothing (pages.site_repeats). The weight of each kind of evidence was learned once, from other topics; only the
words are the topic's own.
Formula: relevance = 1 / (1 + e^-(w . x + b)); x = FEATURES of the page's segments. U = the user's words found; outside the body also their
terms, each weighted by its share (topics.subjects). N = near words found, with their likeness l (text.word_vectors). n = words of the body.
    title        1 if the title has one of U             title words   number of U in it, at most 2
    title near   largest l in the title                  title nears   sum of l, at most 1.5
    tags, description, headings, categories   number of U in each, at most 2; tags at most 1 if no other segment has one of U
    folder       1 if the path of the URL has one of U before its last part
    lead near    sum of l in the first LEAD words, at most 2
    count        ln(1 + occurrences of U)                words         number of U in the body
    density      sqrt of U's share of the body, at most sqrt .1
    near density sqrt of the share of N in the body, each weighted by l squared, at most sqrt .2
    main text    1 if the page has one                   length        ln(n + 20)
    latin        share of U without a Chinese character: English words are more often ambiguous, and words near them say less
Parameters: w, b of models/own_words.json, learned by logistic regression from the pages fetched by crawls for 31 topics of three words,
whose truth is known by title and tags (lab/training/own_words.py, docs/lab.md). The w of categories and folder were added to
these by a fit on all content pages of the webs; b was moved by .7, and the w of latin set, by hand. Near words: likeness from .35, at
most 300.
Reads: segments of the page. A Latin word whose stem is another common word (banking, bank), or of which the segmenter drops a part
(Objective-C, GPT-4, .NET), counts only where it is written as the user wrote it, in singular or plural; another word (hiking) in each of
its forms (hike, hiked). That the stem is no other word is known by the table of word vectors: the word is the commonest form of its stem,
and rare enough to have one meaning, or the table lacks it. A Chinese word of one character (猫) counts only where the segmenter makes it a word; where the body has it so three times, also at the beginning or
end of words of titles, tags, headings and categories (养猫). A Chinese word also counts at the end of a longer word of a title, tag,
heading or category (线程 in 多线程), where a compound has its head; at the beginning it may mean something else (志愿者). The same holds for
Japanese and Korean words, and for words of five letters or more where Latin words are not English (Kameraobjektiv). A folder of the
URL may name the series or section of a page where the title does not.
The names of Japanese and Korean topics in Chinese characters (東方) are names of other things in Chinese (东方). So where one of the user's
words has kana or hangul, or a character that only Japanese has (駅), words with Chinese characters count only on pages with kana or hangul.
Cost: one look-up a word.
Taught (relevance.training.teaching): a word counts by its trust t (1 without answers): numbers of words become sums of t, occurrences
t · occurrences, and a near word's l becomes t · l; taught near words are added to those of the table. Words against the topic, with weight
a, lower the log-odds by AGAINST_SHARE · sqrt of the share of sum a in the body, at most sqrt .1, and by AGAINST_TITLE · sum of
a in title and tags, at most 1.
Topics that are not narrow: many words classify the pages (relevance.vsm), and some name the topic: those the user typed, or its names. The
log-odds are EVIDENCE_SHARE · e + VSM_SHARE · v + OFFSET: e as above with U = the names and without near words, v from the similarity. The
three numbers were chosen on 38 topics of the catalogue (docs/lab.md).
But: the weights do not depend on the topic, so a page with none of the words has almost no relevance to a narrow topic, whatever it is
about.
Reference: ours; logistic regression over fields after Robertson, Zaragoza & Taylor, BM25F (2004), whose field weights are set by hand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import ClassVar, NamedTuple

from topiccrawler.errors import ModelError, TopicError
from topiccrawler.files import JsonFile
from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.pages.site_repeats import Kind, Segment
from topiccrawler.relevance.base import EVEN, SLOPE
from topiccrawler.relevance.page_script import CHINESE, is_written_in, script_of
from topiccrawler.relevance.spellings import by_key, is_end, keyed, written_form
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.resources import folder as data_folder
from topiccrawler.text.segmenter import heads_of, joined_again, spelled_and_folded
from topiccrawler.text.stemmer import ENGLISH
from topiccrawler.text.weights import logistic
from topiccrawler.topics.meaning import naming_terms, naming_words
from topiccrawler.topics.proposed_words import near_words
from topiccrawler.topics.topic import Topic

FILE = "own_words.json"
FORMAT = "topiccrawler own words 1"
LARGEST_BYTES, LARGEST = 100_000, 1_000.0  # size of the file; absolute value of a weight
BODY = ("text", "block")
NAMING = ("title", "tag")
SHORT = (*NAMING, "heading", "category")
LEAD = 60  # words
PRIOR_WORDS = 20
LEADING_WORDS = 12  # that are displayed
AGAINST_SHARE, AGAINST_TITLE = 10.0, 1.5
EVIDENCE_SHARE, VSM_SHARE, OFFSET = 0.5, 0.7, 1.5  # for a topic that is not narrow
LEAST_SIMILARITY = 0.001
MOST_LOST = 0.999  # largest share of the similarity that one word can explain
FEATURES = (
    "title",
    "title words",
    "title near",
    "title nears",
    "tags",
    "description",
    "headings",
    "categories",
    "folder",
    "lead near",
    "count",
    "words",
    "density",
    "near density",
    "main text",
    "length",
    "latin",
)
LEAST_ALONE = 3  # occurrences in the body of a word of one character


class Found(NamedTuple):
    """The occurrences of the topic's words in a segment of a page."""

    kind: Kind
    key: int  # of the segment
    length: int  # words
    counts: Mapping[str, int]  # occurrences of the user's words, their terms, near words and words against


class EvidenceClassifier:
    """Relevance 0..1 of a page to a topic by the words that name it; `similarity` uses all keywords of the topic.

    `spellings`: the words that name the topic as the segmenter gives them, each with a written form. `unmatched`: those of which it keeps
    nothing.
    """

    threshold: ClassVar[float] = EVEN
    reads_segments: ClassVar[bool] = True

    def __init__(self, topic: Topic, weights: Mapping[str, float] | None = None) -> None:
        self.topic = topic
        narrow = bool(topic.narrow)
        # Words against the topic lower the relevance of a page, but not the similarity that guides the crawl
        # (docs/lab.md).
        is_apart = narrow and bool(topic.against)
        self.vsm = VsmClassifier(topic.model_copy(update={"against": {}}) if is_apart else topic)
        self.similarity_threshold = self.vsm.similarity_threshold
        names, segmenter = naming_words(topic), topic.segmenter
        given = {word: topic.keywords.get(word, 1.0) for word in names}
        words = by_key(given, segmenter)
        self._own = frozenset(words)  # as the segmenter gives them
        self.spellings: Mapping[str, str] = {key: written[0] for key, written in words.items()}
        matched = set(chain.from_iterable(words.values()))
        # the segmenter keeps nothing of them
        self.unmatched = [name for name in names if name not in matched]
        if narrow and not self._own:
            fault = f"no keyword can be found among segmented words: {', '.join(names[:5])}"
            raise TopicError(f"topic {topic.name}", fault, "give words of two letters or more")
        trust, taught = keyed(topic.trust, segmenter), keyed(topic.near, segmenter)
        near = near_words(given, segmenter) if narrow and segmenter.language == ENGLISH else {}
        near |= {word: max(likeness, near.get(word, 0.0)) for word, likeness in taught.items()}
        self._trust = {word: trust.get(word, 1.0) for word in self._own}
        terms = naming_terms(topic)
        terms_by_key = by_key(terms, segmenter, whole=True)
        words = terms_by_key | words
        self._terms = {
            key: max(map(terms.__getitem__, written)) * trust.get(key, 1.0)
            for key, written in terms_by_key.items()
            if key not in self._own
        }
        self._named = self._terms | self._trust
        self._ends = frozenset(key for key in words if is_end(key, segmenter))
        self._lengths = sorted({len(key) for key in self._ends}, reverse=True)
        self._written = {
            key: pattern
            for key, written in words.items()
            if (pattern := written_form(key, written, segmenter)) is not None
        }
        self._near = {
            word: likeness * trust.get(word, 1.0) for word, likeness in near.items() if word not in self._own
        }
        ours = self._named.keys() | self._near.keys()
        against = keyed(topic.against, segmenter) if narrow else {}
        self._against = {word: weight for word, weight in against.items() if word not in ours}
        self._known = ours | self._against.keys()
        self._heads = heads_of(self._known)
        self._singles = [word for word in self._own if len(word) == 1]
        self._script = script_of(names)
        self._in_han = frozenset(filter(CHINESE.search, self._known)) if self._script else frozenset[str]()
        self._latin = sum(not CHINESE.search(word) for word in names) / len(names)
        self._weights = dict(weights) if weights is not None else dict(shipped_weights())

    @property
    def words(self) -> frozenset[str]:
        """The words that name the topic, as the segmenter returns them."""
        return self._own

    @property
    def near(self) -> Mapping[str, float]:
        """The near words and the terms, as the segmenter returns them, with their likeness or share times their trust."""
        return self._near | self._terms

    def similarity(self, words: PageWords) -> float:
        """Return the similarity of a page, 0..1, by all keywords of the topic, including those of its parent topic and near words."""
        return self.vsm.similarity(words)

    def relevance(self, words: PageWords) -> float:
        """Return the relevance of a page, 0..1. Without segments the places of words are unknown; then a topic that is not narrow is
        classified by all its keywords alone.
        """
        if not words.segments and not self.topic.narrow:
            return self.vsm.relevance(words)
        return self.relevance_of(self.observe(words), self.similarity(words))

    def relevance_of(self, found: Sequence[Found], similarity: float) -> float:
        """Return the relevance, 0..1, from the result of `observe`, from which the caller may drop segments, and the page's similarity."""
        own = self._log_odds(found)
        if self.topic.narrow:
            return logistic(own)
        if not (threshold := self.similarity_threshold):
            return 1.0
        by_all = SLOPE * math.log(max(similarity, LEAST_SIMILARITY) / threshold)
        return logistic(EVIDENCE_SHARE * own + VSM_SHARE * by_all + OFFSET)

    def observe(self, words: PageWords) -> list[Found]:
        """Return the occurrences of the topic's words in each segment of the page."""
        segments = words.segments or _plain(words)
        unread = self._in_han if self._in_han and not is_written_in(self._script, segments) else ()
        found = [
            Found(segment.kind, segment.key, len(segment.words), self._counts(segment, unread))
            for segment in segments
        ]
        return self._with_singles(found, segments) if self._singles else found

    def _with_singles(self, found: list[Found], segments: Sequence[Segment]) -> list[Found]:
        """The occurrences, with those of words of one character in longer words of titles, tags, headings and categories (养猫), where the
        body has the character as a word of its own, and oftener than the longer word: a page about 天猫 has not."""
        body = Counter(
            word for segment in segments if segment.kind in BODY for word in segment.words if len(word) < 4
        )
        for single in self._singles:
            if body[single] < LEAST_ALONE:
                continue
            for at, (one, segment) in enumerate(zip(found, segments, strict=True)):
                if one.kind not in SHORT or single in one.counts:
                    continue
                longer = [word for word in segment.words if word.startswith(single) or word.endswith(single)]
                if any(body[word] < body[single] for word in longer):
                    found[at] = one._replace(counts={**one.counts, single: 1})
        return found

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Return the words of the page with their shares of the relevance, largest first.

        The shares are proportional to what the log-odds lose without the word. Words against the topic have negative shares and come last.
        """
        if not words.segments and not self.topic.narrow:
            relevance, parts = self.vsm.relevance(words), self.vsm.explain(words)
            whole = sum(part for _, part in parts if part > 0.0) or 1.0
            return [(word, part * relevance / whole) for word, part in parts]
        found = self.observe(words)
        whole = self._log_odds(found)
        lost: dict[str, float] = {}
        for word in {word for one in found for word in one.counts}:
            without = [
                one._replace(counts={w: n for w, n in one.counts.items() if w != word}) for one in found
            ]
            change = whole - self._log_odds(without)
            lost[word] = min(0.0, change) if word in self._against else max(0.0, change)
        similarity = self.similarity(words)
        if not self.topic.narrow:
            lost = {word: EVIDENCE_SHARE * change for word, change in lost.items()}
            for word, share in self.vsm.explain(words) if similarity else ():
                change = -VSM_SHARE * SLOPE * math.log1p(-min(share / similarity, MOST_LOST))
                lost[word] = lost.get(word, 0.0) + change
        scale = self.relevance_of(found, similarity) / (
            sum(part for part in lost.values() if part > 0.0) or 1.0
        )
        return sorted(
            ((word, part * scale) for word, part in lost.items()), key=lambda pair: (-pair[1], pair[0])
        )

    def _log_odds(self, found: Sequence[Found]) -> float:
        weights = self._weights
        return (
            weights["bias"]
            + self.topic.intercept
            + sum(weights[name] * value for name, value in zip(FEATURES, self.features(found), strict=True))
            - (self._loss(found) if self._against else 0.0)
        )

    def _loss(self, found: Sequence[Found]) -> float:
        """Return by how much the words against the topic lower the log-odds."""
        against, named = self._against, set[str]()
        body, length = 0.0, 0
        for one in found:
            if one.kind in BODY:
                length += one.length
                body += sum(against[word] * count for word, count in one.counts.items() if word in against)
            elif one.kind in NAMING:
                named.update(against.keys() & one.counts.keys())
        share = math.sqrt(min(0.1, body / (length + PRIOR_WORDS)))
        return AGAINST_SHARE * share + AGAINST_TITLE * min(1.0, sum(against[word] for word in named))

    def features(self, found: Sequence[Found]) -> list[float]:
        """Return the values of FEATURES, in their order."""
        near, trust, named = self._near, self._trust, self._named
        held: dict[Kind, dict[str, int]] = {}
        lead: dict[str, int] = {}
        body: dict[str, int] = {}
        length = 0
        for one in found:
            _add(held.setdefault(one.kind, {}), one.counts)
            if one.kind in BODY:
                if length < LEAD:
                    _add(lead, one.counts)
                _add(body, one.counts)
                length += one.length
        title = held.get("title", {})

        def own_of(kind: Kind) -> float:
            return min(2.0, _sum(named[word] for word in held.get(kind, ()) if word in named))

        tags = own_of("tag")
        if tags > 1.0 and not any(
            named.keys() & counts.keys() for kind, counts in held.items() if kind != "tag"
        ):
            tags = 1.0
        title_near = [near[word] for word in title if word in near and word not in named]
        occurrences = _sum(trust[word] * count for word, count in body.items() if word in trust)
        nearby = sum(near[word] ** 2 * count for word, count in body.items() if word in near)
        running = length + PRIOR_WORDS
        return [
            max((named[word] for word in title if word in named), default=0.0),
            own_of("title"),
            max(title_near, default=0.0),
            min(1.5, sum(title_near)),
            tags,
            own_of("description"),
            own_of("heading"),
            own_of("category"),
            min(1.0, own_of("folder")),
            min(2.0, sum(near[word] for word in lead if word in near)),
            math.log1p(occurrences),
            _sum(trust[word] for word in body if word in trust),
            math.sqrt(min(0.1, occurrences / running)),
            math.sqrt(min(0.2, nearby / running)),
            float("text" in held),
            math.log(running),
            self._latin,
        ]

    def _ending(self, word: str) -> str:
        """Return the longest of the user's words that is the end of this longer word; "" if none is, or if the word is known itself."""
        for length in self._lengths:
            if len(word) > length and (end := word[-length:]) in self._ends and word not in self._known:
                return end
        return ""

    def _counts(self, segment: Segment, unread: Container[str] = ()) -> dict[str, int]:
        """The occurrences of the known words in a segment, without those of `unread`."""
        known, words = self._known, segment.words
        counts: dict[str, int] = {}
        found = list(filter(known.__contains__, words))
        if self._ends and segment.kind in SHORT:
            found += filter(None, map(self._ending, words))
        if not self._heads.isdisjoint(words):
            found += joined_again(words, self._heads, known)
        for word in found:
            if word not in unread:
                counts[word] = counts.get(word, 0) + 1
        for word in self._written.keys() & counts.keys() if segment.text else ():
            counts[word] = len(self._written[word].findall(spelled_and_folded(segment.text)))
        return {word: count for word, count in counts.items() if count} if self._written else counts


def words_that_lead(page_classifier: PageClassifier, words: PageWords) -> list[tuple[str, float]]:
    """Return the words with the largest shares of a page's similarity, without the words that name the topic; at most LEADING_WORDS.

    Empty for a topic that is not narrow, because only a narrow topic has other words that lead to pages.
    """
    if not isinstance(page_classifier, EvidenceClassifier) or not page_classifier.topic.narrow:
        return []
    found = page_classifier.vsm.explain(words)
    return [pair for pair in found if pair[0] not in page_classifier.words][:LEADING_WORDS]


def _sum(values: Iterable[float]) -> float:
    return sum(values, 0.0)


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for word, count in more.items():
        counts[word] = counts.get(word, 0) + count


def _plain(words: PageWords) -> list[Segment]:
    """Make segments from the fields of a page that has none."""
    fields: list[tuple[Kind, Sequence[str]]] = [
        ("title", words.title),
        ("tag", words.meta),
        ("heading", words.headings),
        ("text", words.body),
    ]
    return [Segment(kind, "", own, 0) for kind, own in fields if own]


@cache
def shipped_weights() -> Mapping[str, float]:
    """Return the shipped weights of FEATURES and of "bias". Raises ModelError for an invalid file."""
    place = data_folder("models").joinpath(FILE)
    remedy = "use the shipped file, or make one: python -m topiccrawler.lab.training.own_words"
    file = JsonFile(place, LARGEST_BYTES, ModelError, "weights", remedy)
    file.expect({"format": FORMAT})
    weights = file.mapping("weights")
    return {name: file.number(name, -LARGEST, LARGEST, weights) for name in ("bias", *FEATURES)}
