"""Reads example pages, positive or negative, from the sources that a user names.

http://…                  a page, which is fetched when all other sources have been read
the folder of a job       its kept pages as positive examples, the sample of discarded pages as negative ones
another folder            every file in it
*.sqlite                  the database of a job
*.jsonl                   documents with `title`, `text` and optionally `label`: positive with one of the topic's names as label,
                          negative with another label, either of them without a label
a text of URLs only       one page for each URL
any other file            one page: HTML, text, PDF … as a crawl reads it
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from topiccrawler.crawling.job_files import JOB
from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.page_stores import open_pages, open_sample
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import read_bytes, user_path
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.pages.formats.registry import READ, recognise
from topiccrawler.pages.read import MOST_BYTES, PageWords, Reader
from topiccrawler.relevance.base import BySimilarity
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.page_store import read_pages
from topiccrawler.store.pages import Pages
from topiccrawler.text.segmenter import PLAIN, words_of
from topiccrawler.topics.labelled_texts import address_in, json_lines, text_in

REMEDY = "give files, folders, jobs, or http(s) addresses"
MOST_URLS = 5_000
_SEPARATOR = re.compile(r",(?=\s*[a-z][a-z0-9+.-]*://|\s*$)", re.IGNORECASE)  # a URL may contain a comma

# (URL, body, Content-Type, why there is no page)
Take = Callable[[str, bytes, str, str], None]
FetchAll = Callable[[Sequence[str], Take], None]


@dataclass(frozen=True, slots=True)
class Example:
    """An example page."""

    name: str  # URL or path
    words: PageWords | None  # None = it must be fetched


@dataclass(slots=True)
class Sources:
    """Reads the sources of examples. `labels`: labels of the topic, in lower case. `fetch`: passes each URL's page to a function; it is
    called at most once."""

    labels: frozenset[str]
    fetch: FetchAll
    faults: dict[str, str] = field(default_factory=dict)  # name -> why no page was read
    other_labels: set[str] = field(default_factory=set)  # all other labels in documents
    _reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = Reader(_Unclassified())

    def examples(
        self, positive: Sequence[str], negative: Sequence[str] = ()
    ) -> tuple[dict[str, PageWords], dict[str, PageWords]]:
        """The pages of the positive and of the negative sources by name, each once, without those that have no words."""
        sides = [
            [example for name in given for example in self._of(name.strip(), positive=about)]
            for given, about in ((positive, True), (negative, False))
        ]
        fetched = self._fetched([one.name for side in sides for one in side if one.words is None])
        positives, negatives = (self._with_words(side, fetched) for side in sides)
        return positives, negatives

    def _fetched(self, urls: Sequence[str]) -> dict[str, PageWords]:
        if len(urls) > MOST_URLS:
            raise ArgumentError(f"{len(urls)} addresses", "are too many", f"give at most {MOST_URLS}")
        found: dict[str, PageWords] = {}

        def take(url: str, body: bytes, content_type: str, fault: str) -> None:
            if fault:
                self.faults[url] = fault
            else:
                found[url] = self._words(url, body, url, content_type)

        if urls:
            self.fetch(list(dict.fromkeys(urls)), take)
        return found

    def _with_words(
        self, examples: Sequence[Example], fetched: Mapping[str, PageWords]
    ) -> dict[str, PageWords]:
        found: dict[str, PageWords] = {}
        for one in examples:
            words = fetched.get(one.name) if one.words is None else one.words
            if words is not None and (words.title or words.body):
                found.setdefault(one.name, words)
            else:
                self.faults.setdefault(one.name, "has no words")
        return found

    def _of(self, name: str, positive: bool) -> Iterator[Example]:
        if "://" in name:
            return (Example(url.strip(), None) for url in _SEPARATOR.split(name) if url.strip())
        path = user_path(name)
        if not path.exists():
            raise ArgumentError(name, "is no file and no folder", REMEDY)
        if path.is_dir():
            return self._of_folder(path, positive)
        return self._of_file(path, positive)

    def _of_folder(self, folder: Path, positive: bool) -> Iterator[Example]:
        if any((folder / name).is_file() for name in (JOB_DATABASE, JOB)):
            examples = list(_of_store(open_pages(folder) if positive else open_sample(folder)))
            if not examples:
                fault = "has kept no page" if positive else "has no sample of discarded pages"
                raise ArgumentError(str(folder), fault, "name other pages")
            yield from examples
            return
        with file_faults(ArgumentError, folder, "cannot be read", REMEDY):
            files = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in files:
            if not path.name.startswith("."):
                yield from self._of_file(path, positive)

    def _of_file(self, path: Path, positive: bool) -> Iterator[Example]:
        if path.suffix == ".sqlite":
            yield from _of_store(read_pages(path))
            return
        if path.suffix in {".jsonl", ".ndjson"}:
            yield from self._of_documents(path, positive)
            return
        body = read_bytes(path, MOST_BYTES, ArgumentError, str(path), REMEDY)
        if urls := _addresses(body):
            yield from (Example(url, None) for url in urls)
            return
        declared = "text/plain" if path.suffix == ".txt" else ""
        yield Example(str(path), self._words(path.absolute().as_uri(), body, str(path), declared))

    def _of_documents(self, path: Path, positive: bool) -> Iterator[Example]:
        rows = []
        for row, where in json_lines(path):
            label = text_in(row, "label", where).strip().lower()
            if label not in self.labels:
                self.other_labels.add(label)
            if not label or (label in self.labels) is positive:
                name = address_in(row, "url", where) or where
                rows.append((name, text_in(row, "title", where), text_in(row, "text", where)))
        titles, bodies = words_of([title for _, title, _ in rows]), words_of([text for *_, text in rows])
        for (name, *_), title, body in zip(rows, titles, bodies, strict=True):
            yield Example(name, PageWords(title=title, body=body))

    def _words(self, url: str, body: bytes, name: str, declared: str) -> PageWords:
        if recognise(body, declared) not in READ:
            self.faults[name] = "is in a format that is not read"
            return PageWords()
        return self._reader.read(url, body, content_type=declared).words


class _Unclassified(BySimilarity):
    """A placeholder for a page classifier, where only the words of pages are needed."""

    similarity_threshold = 1.0

    def similarity(self, words: PageWords) -> float:
        return 0.0

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        return []


def _of_store(store: Pages | PageSample) -> Iterator[Example]:
    with closing(store):
        for record in store.records():
            if not (record.alias_of or record.refused):  # a copy has no text of its own
                yield Example(record.url, words_of_record(record, PLAIN))


def _addresses(body: bytes) -> list[str]:
    """The URLs in a text that has only URLs and comments; empty for any other text."""
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n#").lower().startswith(b"http") and b"\nhttp" not in body.lower():
        return []
    lines = [line.strip() for line in body.decode("utf-8-sig", "replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    addresses = [line for line in lines if line.lower().startswith(("http://", "https://"))]
    return lines if lines == addresses and not any(line.split()[1:] for line in lines) else []
