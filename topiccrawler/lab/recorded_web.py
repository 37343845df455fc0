"""Numbers the pages of a recorded web, and holds what is known of them: their links, their labels, and the order of an oracle.

`RecordedPages` gives each page one number, however many URLs lead to it. Every URL is resolved alike: to its canonical form, then through
the redirects of the recorded web to the final record, which is the page.

`link_graph` has the links in compact arrays: a link takes five bytes, and the links of a page are a slice.

`Labels` is the ground truth: which pages are about which topic, as labelled by people or rules. No crawl sees it. A file has lines
`url TAB topics TAB how TAB kind`. Topics are separated by commas and may be empty (no evidence); kind is home, hub or content; lines that
begin with `#` are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.urls.canonical import canonical, host_of

MOST_REDIRECTS = 5  # equal to REDIRECT_MAX_TIMES in a live crawl
CONTENT = "content"
REMEDY = "give lines: url TAB topics TAB how TAB kind"


class RecordedPages:
    """The pages of a recorded web with status 200, numbered in the order of the recording."""

    def __init__(self, web: RecordedWeb) -> None:
        self.web = web
        self.urls: list[str] = []  # number -> canonical URL
        self.recorded: list[str] = []  # number -> URL to read it by
        self._numbers: dict[str, int] = {}  # recorded URL -> number
        self._known: dict[str, int | None] = {}
        for url in web.urls():
            asked = canonical(url)
            found = self._record(asked) if asked else None
            if asked and found and found not in self._numbers:
                self._numbers[found] = len(self.urls)
                self.recorded.append(found)
                self.urls.append(canonical(found) or asked)
        self.hosts = [host_of(url) for url in self.urls]

    def __len__(self) -> int:
        return len(self.urls)

    def number(self, url: str) -> int | None:
        """The number of the page that a canonical URL leads to; None if the web does not have it."""
        if url not in self._known:
            record = self._record(url)
            self._known[url] = None if record is None else self._numbers.get(record)
        return self._known[url]

    def number_of_any(self, url: str) -> int | None:
        """The number of the page that a URL leads to, which need not be canonical; None if the web does not have it."""
        asked = canonical(url)
        return None if asked is None else self.number(asked)

    def _record(self, url: str) -> str | None:
        for _ in range(MOST_REDIRECTS + 1):
            found = self.web.find(url)
            if found.status == 200:
                return self.web.record_url(url)
            target = canonical(found.location, url) if found.location else None
            if target is None or target == url:
                return None
            url = target
        return None


def link_graph(targets: Iterable[Iterable[int]]) -> csr_array:
    """The pages that each page links to, each once, in document order: one row a page."""
    rows = [list(dict.fromkeys(row)) for row in targets]
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    found = np.fromiter(chain.from_iterable(rows), np.int32, ends[-1])
    return csr_array((np.ones(len(found), np.int8), found, ends), shape=(len(rows), len(rows)))


def reachable(graph: csr_array, seeds: Iterable[int]) -> frozenset[int]:
    """The pages that can be reached from the seeds."""
    return frozenset(np.flatnonzero(_steps(graph, seeds) < np.inf).tolist())


def _steps(graph: csr_array, sources: Iterable[int]) -> npt.NDArray[np.float64]:
    """For each page the smallest number of links from one of the sources; infinite when it cannot be reached."""
    at = list(dict.fromkeys(sources))
    if not at:
        return np.full(graph.shape[0], np.inf)
    found: npt.NDArray[np.float64] = dijkstra(graph, indices=at, unweighted=True, min_only=True)
    return found


def oracle_order(graph: csr_array, seeds: Sequence[int], relevant: Iterable[int], pages: int) -> list[int]:
    """The first `pages` pages that an oracle fetches, which knows all links and the truth, in order.

    Idea: always fetch the queued page from which the nearest relevant page is fewest links away.
    Formula: key = (links to the nearest relevant page, order of arrival); 0 for a relevant page; a page from which no relevant one
        can be reached comes after all others; equal keys first in, first out.
    Cost: O(links + pages · log pages), once a topic.
    But: it is greedy and not optimal: it does not weigh one near relevant page against many that are a step farther.
    Reference: house definition (ALGORITHMS §7); oracle_ratio divides by it.
    """
    distances = _steps(graph.T, relevant).tolist()
    targets, ends = graph.indices.tolist(), graph.indptr.tolist()
    heap: list[tuple[float, int, int]] = []
    queued: set[int] = set()

    def queue(found: Iterable[int]) -> None:
        for page in found:
            if page not in queued:
                heappush(heap, (distances[page], len(queued), page))
                queued.add(page)

    order: list[int] = []
    queue(seeds)
    while heap and len(order) < pages:
        order.append(heappop(heap)[2])
        queue(targets[ends[order[-1]] : ends[order[-1] + 1]])
    return order


@dataclass(slots=True)
class Labels:
    """The labelled pages of a recorded web, as page numbers by topic."""

    topics: dict[str, set[int]] = field(default_factory=dict)
    content: set[int] = field(default_factory=set)  # pages of kind `content`
    pages: int = 0  # labelled pages of the web
    elsewhere: int = 0  # labelled URLs that the web does not have

    def of(self, topic: str) -> set[int]:
        """The pages about a topic. ArgumentError when there are none, because nothing could be measured."""
        if not self.topics.get(topic):
            known = ", ".join(sorted(name for name, pages in self.topics.items() if pages)) or "none"
            fault = "no page of the recorded web is labelled with it"
            raise ArgumentError(f"topic {topic!r}", fault, f"labelled are: {known}")
        return self.topics[topic]


def read_labels(paths: Sequence[Path], pages: RecordedPages) -> Labels:
    """Read the labels of one or more files. A page with several labels is about all their topics. ArgumentError if no label fits."""
    labels = Labels()
    seen: set[int] = set()
    for row in (row for path in paths for row in label_rows(path)):
        number = pages.number_of_any(row[0])
        if number is None:
            labels.elsewhere += 1
            continue
        seen.add(number)
        for topic in filter(None, map(str.strip, row[1].split(","))):
            labels.topics.setdefault(topic, set()).add(number)
        if len(row) > 3 and row[3].strip() == CONTENT:
            labels.content.add(number)
    labels.pages = len(seen)
    if not seen:
        what = f"--labels {', '.join(map(str, paths))}"
        raise ArgumentError(what, "labels no page of the recorded web", "give the labels of this web")
    return labels


def label_rows(path: Path) -> list[list[str]]:
    """The columns of each line of a file. ArgumentError for a file that cannot be read, and for a line with one column."""
    with file_faults(ArgumentError, path, "cannot be read", REMEDY):
        text = path.read_text(encoding="utf-8-sig")
    rows: list[list[str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#") or not line.strip():
            continue
        rows.append(line.rstrip("\r").split("\t"))
        if len(rows[-1]) < 2:
            raise ArgumentError(f"{path} line {number}", "has no second column", REMEDY)
    return rows
