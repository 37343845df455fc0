"""Reads files of labelled links for `scrapy train` and writes them for `scrapy crawl links`.

`read_links` reads JSON lines with the field names of Link (also `left`/`right` for before/after), `context` (the maker of before and
after) and a label: 1, 0, null, or the name of a topic ("" = none). For the topic finance, `fin` (1, 0, null) is read instead of `label`.

`LinkFile` writes such a file. A portal repeats its menu on a million pages, and a killed crawl may fetch a page twice. So a link counts
once for its URL and anchor, and the numbers of links from a page, a host and a site (registered domain) are limited. The file itself
has all that is needed to resume: it is read again when it is opened. If a page has too many links, those with the smallest hash are
written, so that it is not always the menu. Memory: 8 bytes and a set's slot a link.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topiccrawler.errors import LinksFileError, StateError, file_faults
from topiccrawler.link_model.training.address_labels import label
from topiccrawler.model import Link
from topiccrawler.topics.labelled_texts import address_in, bad_line, json_lines, names_of, text_in
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import host_of, registered_domain


@dataclass(frozen=True, slots=True)
class LabelledLink:
    """A link, whether it leads to the topic, and its `label` in the file."""

    link: Link
    positive: bool
    label: str


def read_links(
    path: Path, topic: Topic, context: str | None, remedy: str | None = None
) -> Iterator[LabelledLink]:
    """Yield the labelled links of a file; links without a label are skipped. Raises LinksFileError for an invalid line.

    `context`: the maker that the contexts must have; None = any. `remedy`: what to do about a link with another.
    """
    names = names_of(topic)
    for row, where in json_lines(path):
        made_by = row.get("context", context)
        if context is not None and made_by != context:
            remedy = remedy or f"train with --context {made_by}"
            raise bad_line(where, f"the context was made by {made_by!r}", remedy)
        positive, name = _label_of_link(row, names, topic.name, where)
        if positive is not None:
            yield LabelledLink(_link(row, where), positive, name)


def _label_of_link(
    row: dict[str, Any], names: frozenset[str], topic: str, where: str
) -> tuple[bool | None, str]:
    label = row.get("label")
    name = label.strip().lower() if isinstance(label, str) else ""
    value = row["fin"] if topic == "finance" and "fin" in row else label
    if isinstance(value, str):
        return (name in names if name else None), name
    if value is None:
        return None, name
    if value in (0, 1):
        return bool(value), name or ("+" if value else "-")
    raise bad_line(where, f"the label is {str(label)[:40]!r}", "use 1, 0, null or the name of a topic")


def _link(row: dict[str, Any], where: str) -> Link:
    url, source_url = address_in(row, "url", where), address_in(row, "source_url", where)
    return Link(
        url=url,
        host=host_of(url),
        anchor=text_in(row, "anchor", where),
        before=text_in(row, "before" if "before" in row else "left", where),
        after=text_in(row, "after" if "after" in row else "right", where),
        title=text_in(row, "title", where),
        source_url=source_url,
    )


@dataclass(frozen=True, slots=True)
class Caps:
    """The largest numbers of links that are written from one page, host and site."""

    page: int = 50
    host: int = 1000
    site: int = 5000


class LinkFile:
    """Appends labelled links to a file. If the file exists, writing resumes after its last complete line."""

    def __init__(
        self, path: Path, topic: Topic, *, context: str, caps: Caps, unlabelled: bool = False
    ) -> None:
        self.path = path
        self.counts: Counter[int | None] = Counter()  # links by label
        self.repeated = 0
        self.capped = 0
        self._topic, self._context, self._caps, self._unlabelled = topic, context, caps, unlabelled
        self._seen: set[int] = set()
        self._hosts: Counter[str] = Counter()
        self._sites: Counter[str] = Counter()
        self._page, self._page_links = "", 0  # one page suffices, because links are added page by page
        self._resume()

    def add(self, links: Sequence[Link]) -> int:
        """Label the links of a page and write those within the caps. Returns the number written; these survive a killed process."""
        labelled = [(link, label(link.url, self._topic)) for link in links]
        wanted = {
            _digest(link): (link, known)
            for link, known in reversed(labelled)
            if (known is not None or self._unlabelled) and _says(link)
        }
        lines = []
        for key in sorted(wanted):
            link, known = wanted[key]
            if key in self._seen:
                self.repeated += 1
            elif self._full(link.source_url):
                self.capped += 1
            else:
                row = {**link._asdict(), "context": self._context, "label": known}
                lines.append(json.dumps(row, ensure_ascii=False))
                self._note(key, link.source_url, known)
        if lines:
            self._append(lines)
        return len(lines)

    def _full(self, page: str) -> bool:
        return (
            (page == self._page and self._page_links >= self._caps.page)
            or self._hosts[host_of(page)] >= self._caps.host
            or self._sites[registered_domain(page)] >= self._caps.site
        )

    def _note(self, key: int, page: str, known: int | None) -> None:
        self._seen.add(key)
        if page != self._page:
            self._page, self._page_links = page, 0
        self._page_links += 1
        self._hosts[host_of(page)] += 1
        self._sites[registered_domain(page)] += 1
        self.counts[known] += 1

    def _append(self, lines: Iterable[str]) -> None:
        text = "".join(line + "\n" for line in lines)
        with self._file_faults():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(text.encode("utf-8", "replace"))

    def _resume(self) -> None:
        """Read what an earlier run wrote; an incomplete last line is removed."""
        if not self.path.exists():
            return
        whole = 0
        with self._file_faults():
            with self.path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if not line.endswith(b"\n"):
                        break
                    self._reread(line, number)
                    whole += len(line)
            with self.path.open("ab") as file:
                file.truncate(whole)

    def _reread(self, line: bytes, number: int) -> None:
        try:
            row: dict[str, Any] = json.loads(line)
            link = Link(row["url"], row["host"], anchor=row["anchor"], source_url=row["source_url"])
            context = row["context"]
            self._note(_digest(link), link.source_url, row["label"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            where = f"{self.path}, line {number}"
            raise LinksFileError(where, "is no labelled link", "name another file: -a out=FILE") from None
        if context != self._context:
            fault = f"its context was made by {context!r}"
            raise LinksFileError(str(self.path), fault, f"go on with -a context={context}")

    def _file_faults(self) -> AbstractContextManager[None]:
        return file_faults(StateError, self.path, "cannot be written", "name another file: -a out=FILE")


def _says(link: Link) -> bool:
    """Whether the link has a text to learn from."""
    return bool(link.anchor.strip() or link.title.strip())


def _digest(link: Link) -> int:
    text = f"{link.url}\n{link.anchor}".encode("utf-8", "replace")  # as it is written
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
