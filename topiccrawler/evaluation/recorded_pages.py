"""The pages of a recorded web as numbers: one number a page, however many URLs lead to it.

Every URL goes the same way: canonical form, then what the recorded web answers, through its redirects, to the record at the
end; a page is that record.
"""

from __future__ import annotations

from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.urls.canonical import canonical, host_of

MOST_REDIRECTS = 5  # as REDIRECT_MAX_TIMES in a live crawl


class RecordedPages:
    """Numbers for the pages of a web that answer 200, in the order of the recording."""

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
        """The page a canonical URL leads to; None where the web holds none."""
        if url not in self._known:
            record = self._record(url)
            self._known[url] = None if record is None else self._numbers.get(record)
        return self._known[url]

    def number_of_any(self, url: str) -> int | None:
        """The same for a URL as people and files write it."""
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
