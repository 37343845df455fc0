import pytest

from topiccrawler.pages.parse import parse
from topiccrawler.pages.title import title_of


@pytest.mark.parametrize(
    ("full", "title"),
    [
        ("央行下调利率_财经_某某网", "央行下调利率"),
        ("央行下调利率 - 某某网", "央行下调利率"),
        ("央行下调利率-某某网", "央行下调利率"),
        ("央行下调利率—某某网", "央行下调利率—某某网"),
        ("央行下调利率——某某网", "央行下调利率"),
        ("央行下调利率|某某网", "央行下调利率"),
        ("央行下调利率｜某某网", "央行下调利率"),
        ("央行下调利率 » 某某网", "央行下调利率"),
        ("_某某网", "某某网"),
        ("A-B测试入门", "A-B测试入门"),
        ("某某网", "某某网"),
        ("  ", ""),
    ],
)
def test_the_name_of_the_site_is_cut_off(full: str, title: str) -> None:
    assert title_of(parse(f"<title>{full}</title>")) == title


def test_a_heading_within_the_title_wins_over_the_first_part() -> None:
    html = "<title>某某网_财经_央行 下调利率（全文）</title><h1>央行下调利率（全文）</h1>"
    assert title_of(parse(html)) == "央行下调利率（全文）"


def test_a_heading_that_is_the_last_part_of_a_longer_title_is_the_site() -> None:
    assert title_of(parse("<title>央行下调利率_某某财经网</title><h1>某某财经网</h1>")) == "央行下调利率"


def test_without_title_element_og_title_then_the_first_heading() -> None:
    assert title_of(parse("<meta property=og:title content=甲><h1>乙</h1>")) == "甲"
    assert title_of(parse("<h3>乙</h3><h1>丙</h1>")) == "乙"
    assert title_of(parse("<p>甲</p>")) == ""


def test_titles_are_bounded() -> None:
    assert len(title_of(parse(f"<title>{'长' * 5000}</title>"))) == 200


def test_the_site_name_of_the_metas_confirms_nothing() -> None:
    html = (
        "<title>红烧肉的做法 - 下厨小记</title><meta property=og:site_name content=下厨小记><h1>下厨小记</h1>"
    )
    assert title_of(parse(html)) == "红烧肉的做法"
