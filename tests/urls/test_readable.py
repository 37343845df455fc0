"""URLs as people read them."""

import pytest

from topiccrawler.urls.readable import readable


@pytest.mark.parametrize(
    ("url", "displayed"),
    [
        ("http://a.cn/%E5%9F%BA%E9%87%91", "http://a.cn/基金"),
        ("http://a.cn/%BB%F9%BD%F0", "http://a.cn/基金"),
        ("http://a.cn/%E5%9F%BA%20%E9%87%91%E3%80%812024", "http://a.cn/基%20金%E3%80%812024"),
        ("http://a.cn/%BB%F9%20%BD%F0", "http://a.cn/基%20金"),
        ("http://a.cn/?q=%E5%9F%BA%26x%2F%0A", "http://a.cn/?q=基%26x%2F%0A"),
        ("http://a.cn/%E2%80%AE%E5%9F%BA", "http://a.cn/%E2%80%AE基"),
        ("http://a.cn/%FF%FE", "http://a.cn/%FF%FE"),
        ("http://a.cn/a%20b", "http://a.cn/a%20b"),
    ],
)
def test_letters_are_written_out_and_all_else_stays_escaped(url: str, displayed: str) -> None:
    assert readable(url) == displayed
