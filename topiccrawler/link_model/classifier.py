"""Classifies links by naive Bayes: estimates how likely a link leads to the topic.

`LinkClassifier` scores links. The score decides what is fetched next, so it must be valid on unknown sites, cost microseconds, and
be explained word by word. A sum over dictionary entries meets all three.

Idea: anchor and context of a link announce its target; words are assumed to be independent given the class.
Formula: x = ln(p / (1 - p)) + sum over fields f of t_f * sum over words w of field f of ln P(w|+)/P(w|-)
    p    -> prior share of relevant links. Default 0.5 (ours): x = 0 means even odds.
    t_f  -> trust, a number for each field. Defaults (ours, chosen on links of other sites): anchor 1, context 0.3,
            url 1; the paper's own model is anchor 1, context 1, url 0 (training.published).
    P(w|C) = (Count(w,C) + 1) / (Count_C + 2), over the words present only (Bernoulli).
    Count(w,C)  samples of class C whose field holds w    -> words[field][w]
    Count_C     samples of class C that have the field    -> samples[field]
    P(+|link) = 1 / (1 + e^-x); queues compare x, because P ties at 1.0.
Reads: anchor, title, before, after, url of the link; not its page.
Cost: one tokenizer call a page; then 3 to 4 µs a link, flags included (benchmarks/scoring.py). Adding a sample is one addition a word.
But: the paper estimates the prior from the training set, which depends on the crawl that collected it; and weights context
    as the anchor, although context mostly belongs to the neighbours.
    Samples have weights, so counts are fractions; fields have totals of their own, because a headline has no URL.
    Rare words may be dropped (`pruned`), while totals stay; sums of pruned counts are exact except for the dropped words.
    Weights are rounded to multiples of 2^-24: such sums are exact in any order, so words may be iterated as a set.
Reference: Han et al., "Naive Bayes classifier guided focused crawling", 2010, eq. 1-2; McCallum and Nigam 1998 for the event model.

`Counts` is what a model stores. A model should be a few thousand numbers that a person can read, and be as fast as a dictionary.
Everything a score needs follows from counts.

`WordWeights` also weights compounds. The tokenizer reads a long compound as one word (足球比赛) when training has only seen its parts (足球,
比赛). A known word has its own weight. An unknown Han word of 3 characters or more is split into the longest known words in it, from the
left, at least 2 characters each, and has the sum of their weights (forward maximum matching; ours as a back-off). Other unknown
words have weight 0. Anchors only: in contexts neighbouring words already say the same (docs/lab.md). Results are cached in
bounded memory.

`LinkWords` holds the words of a link in three fields, and `features_of` makes its features: a set of words for each field. Scoring has 4 µs
a link, and the URLs and menus of one portal say nothing about the next site. So features are plain words in three fields, each with a table
of its own; the trust in each field is a number of the model.

    anchor    words of the anchor text (of the title attribute when there is none)
    context   words of the text on both sides
    url       Latin words of the host (without its last label) and of the first directory; Han words of the whole path

Group 1 of the paper is the field `anchor`. Group 2 is `anchor` + `context`, each with the flag LEXICON when it has a word of
the topic's dictionary. `url` is ours.

`Lexicon` is the topic's dictionary. In an anchor, an entry that the tokenizer splits is matched over neighbouring words ("上市" + "公司"). In
a context it is not, because neighbouring words may belong to two links.
But: words with digits are not features: 15 and 2013 learned from one site mislead on the next. So do the directories
    below the first, and the query.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from topiccrawler.links.extract import ContextMaker
from topiccrawler.model import Link
from topiccrawler.patterns import lazy_pattern
from topiccrawler.text.segmenter import PLAIN, Segmenter, TwoGenerationCache, is_whole

FEATURES = "link-words-4"  # stored in every model; increase it with any change of the features
FIELDS = ("anchor", "context", "url")
_PLACES = {name: place for place, name in enumerate(FIELDS)}
GROUP_2 = ("anchor", "context")
LEXICON = "@lexicon"

_LINK = "\0"  # marks the place of the link between the text before it and the text after it
_LONGEST_URL = 300
_LATIN = re.compile(r"(?<![a-z])[a-z]{2,12}(?![a-z])")
_NO_HAN = lazy_pattern(r"[^一-鿿]+")
_ESCAPE = re.compile(r"%[0-9a-f]{2}")
_CHANNEL = re.compile(r"https?://([^/?#]*)\.[^./?#]*/?(?:([^/?#]*)/)?")
_SAY_NOTHING = frozenset({"http", "https", "www", "com", "cn", "net", "org", "gov", "edu"}) | frozenset(
    {"html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "do"}
    | {"index", "default", "list", "detail", "doc", "id", "page"}
)


class LinkWords(NamedTuple):
    """The words of one link by field, in their order and with repetitions."""

    anchor: Sequence[str]
    context: Sequence[str]
    url: Sequence[str]


def words_of_links(links: Sequence[Link], segmenter: Segmenter) -> list[LinkWords]:
    """Return the words of all links of a page, with at most two calls of the segmenter."""
    anchors = [anchor_of(link) for link in links]
    contexts = ["|".join(context_pieces(context_of(link))) for link in links]
    addresses = words_of_addresses([link.url for link in links], segmenter)
    found = segmenter.words_of([*anchors, *contexts])
    count = len(links)
    return [LinkWords(*fields) for fields in zip(found[:count], found[count:], addresses, strict=True)]


def anchor_of(link: Link) -> str:
    """Return the link's own text: its anchor, else its title attribute."""
    return link.anchor or link.title


def context_of(link: Link) -> str:
    """Return the text on both sides of a link as one string, with a marker for the link."""
    return f"{link.before}|{_LINK}|{link.after}"


def context_pieces(context: str) -> list[str]:
    """Split the text on both sides of a link at "|". On each side the outermost piece, which the window may have cut, is dropped
    if others are left.
    """
    pieces = context.split("|")
    before = pieces.index(_LINK)
    after = len(pieces) - before - 1
    if after > 2 or (after == 2 and pieces[-2]):
        del pieces[-1]
    del pieces[before]
    if before > 2 or (before == 2 and pieces[1]):
        del pieces[0]
    return pieces


def channel_of(url: str) -> str:
    """Return the part of a URL that has its words: host and first directory, or the whole URL if it may contain Han characters."""
    if "%" in url or not url.isascii():
        return url
    parts = url.split("/", 4)
    return f"{parts[0]}//{parts[2]}/{parts[3]}/" if len(parts) > 4 else url


def words_of_addresses(urls: Sequence[str], segmenter: Segmenter) -> list[list[str]]:
    """Return the words of the field `url` for each URL."""
    of_paths = segmenter.words_of([han_path(url) for url in urls])
    return [[*channel_words(url), *han] for url, han in zip(urls, of_paths, strict=True)]


def url_words(url: str) -> list[str]:
    """Return the Latin words of a whole URL without its query."""
    address = url[:_LONGEST_URL].lower().partition("?")[0]
    if "%" in address:
        address = _ESCAPE.sub(" ", address)
    return [word for word in _LATIN.findall(address) if word not in _SAY_NOTHING]


def channel_words(url: str) -> list[str]:
    """Return the Latin words of host and first directory: the part of a URL whose words are also valid on other sites."""
    found = _CHANNEL.match(url[:_LONGEST_URL].lower())
    if not found:
        return []
    host, directory = found.groups()
    if directory and "%" in directory:
        directory = _ESCAPE.sub(" ", directory)
    address = f"{host} {directory}" if directory else host
    return [word for word in _LATIN.findall(address) if word not in _SAY_NOTHING]


def han_path(url: str) -> str:
    """Return the Han words of a whole unescaped URL, separated by blanks; empty if it has none."""
    if "%" not in url and url.isascii():
        return ""
    return _NO_HAN.sub(" ", unquote(url[:_LONGEST_URL]))


class Lexicon:
    """A topic's dictionary, matched against single words and pairs of neighbouring words."""

    def __init__(self, entries: Iterable[str], segmenter: Segmenter = PLAIN) -> None:
        self.entries = tuple(sorted({entry.strip() for entry in entries if entry.strip()}))
        single, pairs = set(), set()
        for entry, parts in zip(self.entries, segmenter.words_of(self.entries), strict=True):
            if not is_whole(entry, parts):
                continue
            if len(parts) == 1:
                single.add(parts[0])
            elif len(parts) == 2:
                pairs.add((parts[0], parts[1]))
        self._single, self._pairs = frozenset(single), frozenset(pairs)
        self._begin = self._single | {first for first, _ in pairs}

    def __bool__(self) -> bool:
        return bool(self._begin)

    def among(self, words: Sequence[str]) -> bool:
        """Whether one of the words is an entry."""
        return not self._single.isdisjoint(words)

    def in_words(self, words: Sequence[str]) -> bool:
        """Whether the words contain an entry, as one word or split into two neighbouring words."""
        if self._begin.isdisjoint(words):
            return False
        return not self._single.isdisjoint(words) or not self._pairs.isdisjoint(pairwise(words))


def features_of(
    words: LinkWords, lexicon: Lexicon, fields: Iterable[str] = FIELDS, without: frozenset[str] = frozenset()
) -> dict[str, set[str]]:
    """Return the features of a link by field, for training: its words without digits and `without` some words, and the lexicon flags."""
    found = {name: set(filter(str.isalpha, words[_PLACES[name]])) - without for name in fields}
    if "anchor" in found and lexicon.in_words(words.anchor):
        found["anchor"].add(LEXICON)
    if "context" in found and lexicon.among(words.context):
        found["context"].add(LEXICON)
    return found


Pair = tuple[float, float]  # counts in class - and class +
Columns = tuple[list[str], NDArray[np.float64], NDArray[np.float64]]  # words, their counts in both classes


def _no_words() -> dict[str, tuple[Counter[str], Counter[str]]]:
    return {name: (Counter(), Counter()) for name in FIELDS}


def _zeros() -> dict[str, list[float]]:
    return {name: [0.0, 0.0] for name in FIELDS}


@dataclass
class Counts:
    """Additive counts of samples and words in both classes: index 0 is class -, index 1 is class +."""

    words: dict[str, tuple[Counter[str], Counter[str]]] = field(default_factory=_no_words)
    samples: dict[str, list[float]] = field(default_factory=_zeros)

    def add(self, fields: Mapping[str, Iterable[str]], positive: bool, weight: float = 1.0) -> None:
        """Count one sample, given its distinct words by field."""
        side = int(positive)
        for name, found in fields.items():
            table = self.words[name][side]
            for word in found:
                table[word] = table.get(word, 0) + weight  # type: ignore[assignment]  # Counter of fractions
            self.samples[name][side] += weight

    def pruned(self, least: float, most_words: int) -> Counts:
        """Return the counts without words counted less than `least` times, for at most `most_words` words: those with the largest total
        weight.
        """
        ranked = sorted(
            (-_total_weight(pair, self.samples[name]), name, word, pair)
            for name in FIELDS
            for word, pair in self.pairs(name)
            if sum(pair) >= least
        )
        result = Counts(samples=self.samples)
        for _, name, word, pair in ranked[:most_words]:
            for side in (0, 1):
                if pair[side]:
                    result.words[name][side][word] = pair[side]  # type: ignore[assignment]
        return result

    def pairs(self, name: str) -> list[tuple[str, Pair]]:
        """Return every word of a field with its two counts, sorted by word."""
        negative, positive = self.words[name]
        return [(word, (negative[word], positive[word])) for word in sorted({*negative, *positive})]

    def columns(self, name: str) -> Columns:
        """Return the words of one field with their counts in both classes."""
        negative, positive = self.words[name]
        words = [*dict.fromkeys(chain(negative, positive))]
        against, for_it = (
            np.fromiter(map(side.__getitem__, words), np.float64, len(words)) for side in (negative, positive)
        )
        return words, against, for_it

    def log_odds(self, name: str) -> dict[str, float]:
        """Return word -> ln P(w|+) - ln P(w|-) for one field."""
        columns = self.columns(name)
        return dict(zip(columns[0], _log_odds(columns, self.samples[name]).tolist(), strict=True))


def _log_odds(columns: Columns, samples: Sequence[float]) -> NDArray[np.float64]:
    """Return ln P(w|+) - ln P(w|-) of each word of a field. `samples`: those of both classes that have the field."""
    _, against, for_it = columns
    shift = math.log(samples[0] + 2) - math.log(samples[1] + 2)
    return np.log(for_it + 1) - np.log(against + 1) + shift


def _total_weight(pair: Pair, samples: list[float]) -> float:
    """Return the total weight of a word: its count times the absolute value of its log-odds."""
    odds = math.log((pair[1] + 1) / (samples[1] + 2)) - math.log((pair[0] + 1) / (samples[0] + 2))
    return sum(pair) * abs(odds)


_SHORTEST = 3
_LONGEST = 12
_MOST_REMEMBERED = 50_000


class WordWeights(dict[str, float]):
    """Word -> weight; `[word]` never fails. `in` and iteration know only trained words and cached results."""

    def __init__(self, trained: dict[str, float], *, compounds: bool = True) -> None:
        super().__init__(trained)
        # cached compounds must not split other words
        self._trained: Mapping[str, float] = trained if compounds else {}
        self._room = len(trained) + _MOST_REMEMBERED

    @cached_property
    def telling(self) -> frozenset[str]:
        """The words whose weight is not 0."""
        return frozenset([word for word, share in self.items() if share])

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


def weights_of(
    name: str, columns: Columns, samples: Sequence[float], trust: Mapping[str, float], *, compounds: bool
) -> WordWeights:
    """Return the weights of the words of a field; none if the model does not trust the field. `samples`: as of `Counts`."""
    trusted = trust.get(name, 0.0)
    if not trusted:
        return WordWeights({}, compounds=False)
    shares = np.rint(_log_odds(columns, samples) * trusted * _GRAINS) / _GRAINS
    weights = dict(zip(columns[0], shares.tolist(), strict=True))
    return WordWeights(weights, compounds=compounds and name == "anchor")


TRUST: Mapping[str, float] = {"anchor": 1.0, "context": 0.3, "url": 1.0}
_GRAINS = 2.0**24
_ANCHOR, _CONTEXT, _URL = range(len(FIELDS))
_REMEMBERED_CHARACTERS = 400_000  # of cached links with contexts in each of two generations; some 8 MB in all
_MOST_PIECES = 10_000  # cached pieces of contexts, and cached URLs
_BETWEEN = "\x01"  # separator of the texts of a link in the cache's keys
PAPER_TRUST: Mapping[str, float] = {"anchor": 1.0, "context": 1.0, "url": 0.0}


@dataclass
class LinkClassifier:
    """The naive Bayes model that scores links. Made by link_model.training, loaded by link_model.model_file."""

    topic: str
    counts: Counts
    context: ContextMaker = "window"  # the context maker it was trained with
    prior: float = 0.5
    trust: Mapping[str, float] = field(default_factory=lambda: dict(TRUST))
    threshold: float = 0.0  # log-odds from which a link counts as relevant
    # log-odds from which a link is queued (crawling.admission); None = not calibrated
    gate_threshold: float | None = None
    lexicon: Lexicon = field(default_factory=lambda: Lexicon(()))
    training: Mapping[str, object] = field(default_factory=dict)  # what it was trained from
    scores: Mapping[str, object] = field(default_factory=dict)  # its scores on held-out links
    compounds: bool = True  # an unknown compound in an anchor is split into the known words in it
    segmenter: Segmenter = field(default=PLAIN, compare=False, repr=False)  # of the crawl that uses the model
    # by field; empty = computed from the counts
    tables: Sequence[WordWeights] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        self._bias = _exact(math.log(self.prior) - math.log(1.0 - self.prior))
        self._tables = self.tables or [
            weights_of(
                name,
                self.counts.columns(name),
                self.counts.samples[name],
                self.trust,
                compounds=self.compounds,
            )
            for name in FIELDS
        ]
        self._anchor_flag, self._context_flag = (
            self._tables[field].get(LEXICON, 0.0) if self.lexicon else 0.0 for field in (_ANCHOR, _CONTEXT)
        )
        self._odds = TwoGenerationCache(self._odds_of, _REMEMBERED_CHARACTERS)
        self._shares: dict[str, dict[str, float]] = {}  # piece of a context -> word -> weight
        self._channels: dict[str, float] = {}  # URL as `channel_of` returns it -> score
        self._last: tuple[tuple[Link, ...], list[float]] = ((), [])

    def cut_by(self, segmenter: Segmenter) -> LinkClassifier:
        """Return the same model for links whose texts are segmented by this segmenter."""
        return replace(self, segmenter=segmenter, lexicon=Lexicon(self.lexicon.entries, segmenter))

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        """Return ln P(+|link) - ln P(-|link) for all links of a page.

        Equals `log_odds_of_words`, but the results of recent links are cached: pages share their menus, and the link gate passes the same
        tuple object as the strategy.
        """
        last_links, odds = self._last  # read at once, because other threads may replace it
        if links is not last_links:
            texts = list(map(_texts_of, links))
            odds = list(map(self._odds.of(texts).__getitem__, texts))
            if isinstance(links, tuple):
                self._last = links, odds
        return odds

    def log_odds_of_words(self, links: Sequence[LinkWords]) -> list[float]:
        """Return ln P(+|link) - ln P(-|link) for links whose words are known."""
        context, flag = self._tables[_CONTEXT].__getitem__, self._context_flag
        among = self.lexicon.among
        of_anchors = self._scores_of_anchors([words.anchor for words in links])
        of_addresses = self._scores_of_addresses([words.url for words in links])
        return [
            sum(map(context, set(words.context)), anchor + address)
            + (flag if flag and among(words.context) else 0.0)
            for words, anchor, address in zip(links, of_anchors, of_addresses, strict=True)
        ]

    def _scores_of_anchors(self, anchors: Sequence[Sequence[str]]) -> list[float]:
        share, flag, in_words = self._tables[_ANCHOR].__getitem__, self._anchor_flag, self.lexicon.in_words
        return [sum(map(share, set(words)), flag if flag and in_words(words) else 0.0) for words in anchors]

    def _scores_of_addresses(self, addresses: Sequence[Sequence[str]]) -> list[float]:
        """Return the score of the words of each URL, including the prior."""
        share = self._tables[_URL].__getitem__
        return [sum(map(share, set(words)), self._bias) for words in addresses]

    def _odds_of(self, links: list[str]) -> list[float]:
        """Return the log-odds of links in the form of `_texts_of`. All their texts are segmented at once, and each is scored once."""
        fields = [link.split(_BETWEEN, 2) for link in links]
        anchors, channels, contexts = (dict.fromkeys(texts) for texts in zip(*fields, strict=True))
        around = {context: context_pieces(context) for context in contexts}
        if max(len(self._shares), len(self._channels)) > _MOST_PIECES:
            self._shares, self._channels = {}, {}
        pieces = [
            piece
            for piece in dict.fromkeys(chain.from_iterable(around.values()))
            if piece not in self._shares
        ]
        urls = [url for url in channels if url not in self._channels]
        paths = [*map(han_path, urls)]
        cut, words_in = self.segmenter.words_of([*anchors, *paths]), self.segmenter.words_of_pieces(pieces)
        of_anchor = dict(zip(anchors, self._scores_of_anchors(cut[: len(anchors)]), strict=True))
        addresses = [[*channel_words(url), *han] for url, han in zip(urls, cut[len(anchors) :], strict=True)]
        self._channels.update(zip(urls, self._scores_of_addresses(addresses), strict=True))
        self._shares.update((piece, self._shares_of(words_in[piece])) for piece in pieces)
        of_context = {context: self._score_of_context(parts) for context, parts in around.items()}
        return [
            of_anchor[anchor] + of_context[context] + self._channels[channel]
            for anchor, channel, context in fields
        ]

    def _score_of_context(self, pieces: list[str]) -> float:
        """Return the score of a context from its pieces, which neighbouring links mostly share; a word counts once."""
        shares: dict[str, float] = {}
        for of_piece in map(self._shares.__getitem__, pieces):
            shares.update(of_piece)
        return sum(shares.values(), 0.0)

    def _shares_of(self, words: list[str]) -> dict[str, float]:
        """Return word -> weight for the words of a piece of context whose weight is not 0."""
        table = self._tables[_CONTEXT]
        shares = {word: table[word] for word in table.telling.intersection(words)}
        if self._context_flag and self.lexicon.among(words):
            shares[LEXICON] = self._context_flag
        return shares

    def by_field(self, link: Link) -> list[tuple[str, float]]:
        """Return the shares of the prior and of each field, the sums of `explain`. The context's share is exactly the rest of the score."""
        (anchor,) = self._scores_of_anchors(self.segmenter.words_of([anchor_of(link)]))
        (address,) = self._scores_of_addresses(words_of_addresses([link.url], self.segmenter))
        context = self.log_odds([link])[0] - anchor - address
        shares = (self._bias, anchor, context, address - self._bias)
        return list(zip(("prior", *FIELDS), shares, strict=True))

    def explain(self, link: Link) -> list[tuple[str, float]]:
        """Return the shares of the prior and of each word ("anchor:基金"), largest first. They add up to the score."""
        found = words_of_links([link], self.segmenter)[0]
        shares = [("prior", self._bias)]
        for name, table, words in zip(FIELDS, self._tables, found, strict=True):
            shares += [(f"{name}:{word}", table[word]) for word in set(words) if table[word]]
        if self._anchor_flag and self.lexicon.in_words(found.anchor):
            shares.append((f"anchor:{LEXICON}", self._anchor_flag))
        if self._context_flag and self.lexicon.among(found.context):
            shares.append((f"context:{LEXICON}", self._context_flag))
        return sorted(shares, key=lambda share: (-abs(share[1]), share[0]))


def _texts_of(link: Link) -> str:
    """Return the texts on which the score of a link depends, as a key of the cache."""
    anchor = anchor_of(link).replace(_BETWEEN, " ")
    return f"{anchor}{_BETWEEN}{channel_of(link.url)}{_BETWEEN}{link.before}|{_LINK}|{link.after}"


def _exact(share: float) -> float:
    return round(share * _GRAINS) / _GRAINS
