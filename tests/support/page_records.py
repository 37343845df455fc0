"""A page as the tests of the stores keep it."""

from __future__ import annotations

from topiccrawler.store.pages import PageRecord

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
