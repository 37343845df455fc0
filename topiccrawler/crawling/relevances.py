"""Computes how a topic classifies given pages: HTML files, or the stored pages of a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from topiccrawler.crawling.judging import words_of_record
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.choose import untrained
from topiccrawler.store.page_store import read_pages
from topiccrawler.topics.topic import Topic


def relevances(topic: Topic, files: Sequence[Path]) -> Iterator[tuple[str, float]]:
    """The URL (or path) and the relevance, 0..1, of each page in the files, by the keywords alone."""
    page_classifier = untrained(topic)
    reader = Reader(page_classifier, sites=topic.sites, segmenter=topic.segmenter)
    for file in files:
        if file.suffix == ".sqlite":
            in_segments = page_classifier.reads_segments
            with closing(read_pages(file)) as store:
                for record in store.records():
                    words = words_of_record(record, topic.segmenter, in_segments=in_segments)
                    yield record.url, page_classifier.relevance(words)
            continue
        with file_faults(ArgumentError, file, "cannot be read", "give an HTML file or a job's job.sqlite"):
            body = file.read_bytes()
        yield str(file), reader.read(file.absolute().as_uri(), body).page.relevance
