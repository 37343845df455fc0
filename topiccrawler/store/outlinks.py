"""Stores the links of each fetched page (setting TOPIC_LINK_GRAPH), for the link graph of a job.

The queue has only one source page of each URL. All links in full would cost 12 kB for a page of 200 links. For the links among fetched
pages it is enough to recognise their URLs, so a link is stored as a fingerprint of eight bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from topiccrawler.job_database import JobTable, storable

_BYTES = 8


class OutlinkStore(JobTable):
    """The fingerprints of the URLs to which each page links, in the job's database."""

    def put(self, url: str, targets: Iterable[str]) -> None:
        """Store the links of a page, or replace them."""
        joined = b"".join(sorted({fingerprint(target) for target in targets}))
        self.database.write("INSERT OR REPLACE INTO outlinks VALUES (?, ?)", (storable(url), joined))

    def has_any(self) -> bool:
        """Whether there are links of a page."""
        return bool(self.database.read("SELECT 1 FROM outlinks LIMIT 1"))

    def pages(self) -> Iterator[tuple[str, list[bytes]]]:
        """The URL of each page, with the fingerprints of the URLs to which it links."""
        for url, joined in self.database.read("SELECT url, targets FROM outlinks"):
            yield url, [joined[at : at + _BYTES] for at in range(0, len(joined), _BYTES)]


def fingerprint(url: str) -> bytes:
    """The fingerprint of a canonical URL: eight bytes."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()
