"""A page, and fingerprints of texts, as the tests of the stores keep them."""

import random
from contextlib import closing
from pathlib import Path

from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.pages.site_repeats import BITS, Fingerprint
from topiccrawler.store.html import HtmlFile
from topiccrawler.store.pages import PageRecord

DICE = random.Random(3)
SOME, OTHER = (Fingerprint(number, DICE.randbytes(BITS // 8)) for number in (1, 2))

PAGE = PageRecord(
    url="http://a.cn/1",
    title="基金定投",
    text="正文\n" * 50,
    summary="摘要",
    relevance=0.75,
    depth=3,
    topic="finance",
    encoding="gb18030",
    source_url="http://a.cn/",
    anchor="定投",
    score=-2.5,
    fetched=1_700_000_000.25,
    status=200,
)


def keep_html(job: Path, **pages: str | bytes) -> None:
    """Keep the HTML of pages, by URL, in a job's folder."""
    with closing(HtmlFile(job / JOB_DATABASE)) as html:
        for url, body in pages.items():
            html.put(url, body.encode() if isinstance(body, str) else body, 1.0)


def off(print_: Fingerprint, bits: int, digest: int = 99) -> Fingerprint:
    """The same with some bits, evenly spread, turned."""
    number = int.from_bytes(print_.bits, "little")
    for bit in random.Random(bits).sample(range(BITS), bits):
        number ^= 1 << bit
    return Fingerprint(digest, number.to_bytes(BITS // 8, "little"))
