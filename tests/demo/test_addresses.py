"""One key for a page, whatever its address looks like."""

import pytest

from topiccrawler.demo.addresses import key
from topiccrawler.demo.plan import Web


@pytest.mark.parametrize(
    "spelling",
    [
        "http://WWW.A.example/x/",
        "http://www.a.example:80/x/#part",
        "http://www.a.example/x/index.html",
        "http://www.a.example/x/?utm_source=b&spm=1",
        "http://www.a.example./x/",
    ],
)
def test_spellings_of_one_page_have_one_key(spelling: str) -> None:
    assert key(spelling) == "http://www.a.example/x/"


def test_gbk_and_utf8_forms_of_a_word_stay_apart() -> None:
    assert key("http://a.example/so.php?q=%b9%c9") == "http://a.example/so.php?q=%B9%C9"
    assert key("http://a.example/so.php?q=股") == "http://a.example/so.php?q=%E8%82%A1"


@pytest.mark.parametrize(
    "junk", ["http://[内页", "", "mailto:a@b", "javascript:void(0)", "http://a.example:99999/"]
)
def test_junk_gives_a_key_that_no_page_has_and_raises_nothing(junk: str) -> None:
    assert key(junk) not in Web().pages
