"""Hrefs as they stand on a page; spellings.jsonl has those with one form."""

import pytest

from topiccrawler.urls.canonical import Canonicalizer, canonical

BASE = "http://a.cn/b/c/page.php?id=1#part"


@pytest.mark.parametrize(
    "written", ["javascript:;", "mailto:a@b.cn", "data:,x", "http://[", "tencent://x", "//[::1"]
)
def test_what_cannot_be_fetched_is_none_on_a_page_too(written: str) -> None:
    assert canonical(written, BASE) is None


def test_a_base_that_is_no_url_leaves_absolute_hrefs_readable() -> None:
    page = Canonicalizer("javascript:x")
    assert [page("http://a.cn/x"), page("x"), page("/x"), page("//a.cn/x")] == [
        "http://a.cn/x",
        None,
        None,
        None,
    ]
