"""Decides which pages a crawl keeps: by their relevance against the page threshold, and by restrictions of format and date.

`PageFilter` is asked once about each page: by the item pipeline RelevancePipeline in a live crawl, and by the replay in a comparison, so
that a comparison measures what a crawl keeps. Strategies are not notified of what is kept: they know the relevance of each page, not the
page threshold, which may change while a crawl runs.

`Restrictions` excludes formats of documents, pages before a day, and pages in other languages (pages.languages). A site's rule replaces the
arguments for that site. The date of a page is the one it states (pages.metadata), else that of the Last-Modified header; a page without a
date is kept.

A page's own wish (pages.robots_tags) counts in a live crawl alone: a comparison measures a recorded web, which it does not publish. A second
opinion (crawling.opinions) decides before the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from topiccrawler.items import NO, YES
from topiccrawler.pages.document import Document
from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.pages.robots_tags import AGENT, RobotsTags, robots_tags
from topiccrawler.pages.site_rules import rule_of
from topiccrawler.topics.topic import SiteRule

ANSWERED = 0.95  # relevance of a page that a person accepted; below 1, because people err
OFF_TOPIC = "off topic"  # drop reason of pages below the page threshold
OPINION_RIGHT = 0.95  # how often a second opinion is taken to be right


@dataclass(frozen=True, slots=True)
class Restrictions:
    """The formats, dates and languages of pages that a crawl keeps. `formats`, `languages`: empty = all. `since`: the first day; None = any.

    `sites`: rules that replace both for their sites.
    """

    formats: frozenset[str] = frozenset()
    since: date | None = None
    sites: Mapping[str, SiteRule] = field(default_factory=dict)
    languages: tuple[str, ...] = ()

    def reads(self, url: str, form: str) -> bool:
        """Whether a document of this format is read at all."""
        rule = rule_of(url, self.sites)
        formats = rule.formats if rule is not None and rule.formats else self.formats
        return not formats or form in formats

    def is_old(self, url: str, published: str, last_modified: str = "") -> bool:
        """Whether a page is older than `since`; `published`: YYYY-MM-DD or empty, `last_modified`: the HTTP header or empty."""
        rule = rule_of(url, self.sites)
        since = rule.since if rule is not None and rule.since else self.since
        published_on = None if since is None else _day(published) or _day_of_header(last_modified)
        return since is not None and published_on is not None and published_on < since


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _day_of_header(text: str) -> date | None:
    try:
        return parsedate_to_datetime(text).date()
    except (ValueError, OverflowError):  # OverflowError: a year or a time zone of twenty digits
        return None


class Verdict(NamedTuple):
    """The relevance of one page, and whether it is kept."""

    relevance: float  # 0..1, by the page classifier, not by the strategy's own
    is_kept: bool


def by_opinion(relevance: float, about: str) -> Verdict:
    """The verdict on a page by a second opinion, and its relevance by words and opinion; `about`: yes or no."""
    if about == YES:
        return Verdict(max(relevance, OPINION_RIGHT), is_kept=True)
    return Verdict(min(relevance, 1.0 - OPINION_RIGHT), is_kept=False)


@dataclass(slots=True)
class PageFilter:
    """Decides whether pages are kept. A running crawl changes its fields when topic or threshold change.

    `threshold`: 0..1, the relevance from which a page is kept without an answer or a second opinion. `answers`: a person's about pages, by
    URL, which decide alone.
    """

    classifier: PageClassifier
    restrictions: Restrictions
    threshold: float
    agent: str = AGENT  # product token of the crawler, by which robots tags address it
    obeys_tags: bool = True  # whether a page that asks not to be kept, or not to be followed, is not
    answers: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, classifier: PageClassifier, restrictions: Restrictions) -> PageFilter:
        """A filter with the classifier's own threshold."""
        return cls(classifier, restrictions, classifier.threshold)

    def tags(self, document: Document, headers: Sequence[str] = ()) -> RobotsTags:
        """The robots tags of a page, and whether they are obeyed. `headers`: the values of its headers X-Robots-Tag."""
        return replace(robots_tags(document, headers, self.agent), obeyed=self.obeys_tags)

    def verdict(
        self, words: PageWords | None, relevance: float | None = None, url: str = "", opinion: str = ""
    ) -> Verdict:
        """The verdict on a page by its relevance. `relevance`: by this filter's classifier, where it was computed before; else `words`
        are classified. `opinion`: a second opinion, yes or no, where there is one."""
        if relevance is None:
            relevance = self.classifier.relevance(words or PageWords())
        answer = self.answers.get(url)
        if answer is not None:
            return Verdict(max(relevance, ANSWERED) if answer else min(relevance, 1.0 - ANSWERED), answer)
        if opinion in (YES, NO):
            return by_opinion(relevance, opinion)
        return Verdict(relevance, relevance >= self.threshold)
