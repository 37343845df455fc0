"""What a topic makes of pages at hand: HTML files, or the pages a job has stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.pages.read import SHORTEST_MAIN_TEXT, Reader
from topiccrawler.pages.segments import stored_segments
from topiccrawler.pages.site_repeats import SiteRepeats, keys_of
from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.choose import untrained
from topiccrawler.store.pages import PageRecord, PageStore
from topiccrawler.text.tokenise import words_of
from topiccrawler.topics.keyword_tokens import keep_whole
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import host_of


def relevances(topic: Topic, files: Sequence[Path]) -> Iterator[tuple[str, float]]:
    """Address (or path) and relevance 0..1 of each page of the files, by the keywords alone.

    Of stored pages title, meta keywords, description and main text are read: headings are not kept apart.
    """
    keep_whole(topic)
    page_classifier = untrained(topic)
    reader = Reader(page_classifier, sites=topic.sites)
    for file in files:
        if file.suffix == ".sqlite":
            store = PageStore(file, create=False)
            try:
                for record in store.records():
                    words = words_of_record(record, in_segments=page_classifier.reads_segments)
                    yield record.url, page_classifier.relevance(words)
            finally:
                store.close()
            continue
        with file_faults(ArgumentError, file, "cannot be read", "give an HTML file or a job's pages.sqlite"):
            body = file.read_bytes()
        yield str(file), reader.read(file.absolute().as_uri(), body).page.relevance


def words_of_record(record: PageRecord, *, in_segments: bool = False) -> PageWords:
    """The words of a stored page: title, meta keywords with description, and main text. `in_segments`: its segments too, for page classifiers
    that read them; its headings, and which segments the site repeats, are not known here, so its relevance is only nearly that of the
    crawl."""
    meta = f"{record.keywords} {record.description}"
    title, about, body = words_of([record.title, meta, record.text])
    words = PageWords(title=title, meta=about, body=body)
    if not in_segments:
        return words
    is_main = len(record.text) >= SHORTEST_MAIN_TEXT
    parts = stored_segments(record.title, record.keywords, record.description, record.text, is_main=is_main)
    return replace(words, segments=parts)


def without_repeats(urls: Sequence[str], pages: Sequence[PageWords]) -> list[PageWords]:
    """The pages without the segments that these very pages show to be repeated by their sites: a crawl knows all pages that it has read,
    here are those that were stored."""
    repeats = SiteRepeats()
    for _ in range(2):  # counted, then asked
        found = [
            repeats.of(host_of(url), url, keys_of(page.segments))
            for url, page in zip(urls, pages, strict=True)
        ]
    return [
        replace(
            page,
            segments=[one for one, is_repeat in zip(page.segments, repeated, strict=True) if not is_repeat],
        )
        for page, repeated in zip(pages, found, strict=True)
    ]
