"""Which pages each fetched page links to (setting TOPIC_LINK_GRAPH), for the link graph of a job.

The queue keeps one source of a URL. To keep all links would cost 12 kB a page of 200 links; who links whom among the pages fetched needs only
to recognise their URLs: eight bytes a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from topiccrawler.store.database import Database

_BYTES = 8


class OutlinkStore(Database):
    """Fingerprints of the URLs a page links to, by page. Nothing is durable before commit()."""

    what = "store of links"
    application = 0x746F706C  # "topl"
    version = 1
    schema = "CREATE TABLE outlinks (url TEXT PRIMARY KEY, targets BLOB NOT NULL) WITHOUT ROWID"

    def put(self, url: str, targets: Iterable[str]) -> None:
        """Keep the links of a page, or replace them."""
        joined = b"".join(sorted({fingerprint(target) for target in targets}))
        with self._faults():
            self._database.execute("INSERT OR REPLACE INTO outlinks VALUES (?, ?)", (url, joined))

    def pages(self) -> Iterator[tuple[str, list[bytes]]]:
        """Each page with the fingerprints of what it links to."""
        with self._faults():
            for url, joined in self._database.execute("SELECT url, targets FROM outlinks"):
                yield url, [joined[at : at + _BYTES] for at in range(0, len(joined), _BYTES)]


def fingerprint(url: str) -> bytes:
    """Of a canonical URL."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()
