"""Stores the links of each fetched page (setting TOPIC_LINK_GRAPH), for the link graph of a job.

The queue has only one source page of each URL. All links in full would cost 12 kB for a page of 200 links. For the links among fetched
pages it is enough to recognise their URLs, so a link is stored as a fingerprint of eight bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from topiccrawler.store.database import Database

_BYTES = 8


class OutlinkStore(Database):
    """The fingerprints of the URLs to which each page links, in one file. Nothing is durable before commit()."""

    what = "store of links"
    application = 0x746F706C  # "topl"
    version = 1
    schema = "CREATE TABLE outlinks (url TEXT PRIMARY KEY, targets BLOB NOT NULL) WITHOUT ROWID"

    def put(self, url: str, targets: Iterable[str]) -> None:
        """Store the links of a page, or replace them."""
        joined = b"".join(sorted({fingerprint(target) for target in targets}))
        with self._faults():
            self._database.execute("INSERT OR REPLACE INTO outlinks VALUES (?, ?)", (url, joined))

    def pages(self) -> Iterator[tuple[str, list[bytes]]]:
        """The URL of each page, with the fingerprints of the URLs to which it links."""
        with self._faults():
            for url, joined in self._database.execute("SELECT url, targets FROM outlinks"):
                yield url, [joined[at : at + _BYTES] for at in range(0, len(joined), _BYTES)]


def fingerprint(url: str) -> bytes:
    """The fingerprint of a canonical URL: eight bytes."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()
