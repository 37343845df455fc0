from topiccrawler.pages.parse import MOST_LEVELS, limit_nesting, parse


def test_levels_past_the_limit_go_with_their_ends() -> None:
    html = "<div>" * 3000 + "字" + "</div>" * 3000
    tamed = limit_nesting(html)
    assert tamed.count("<div>") == MOST_LEVELS
    assert tamed.count("</div>") == MOST_LEVELS
    assert tamed.index("字") > tamed.rindex("<div>")


def test_elements_that_end_by_themselves_do_not_count_as_levels() -> None:
    html = "<p>字<li>字<td>字<img src=x><br>" * 2000
    assert limit_nesting(html) == html


def test_links_survive_the_flattening() -> None:
    assert limit_nesting("<div>" * 5000 + "<a href=/x>字</a>").endswith("<a href=/x>字</a>")


def test_formatting_goes_when_too_much_of_it_is_open_at_once() -> None:
    html = "<B>".join(["字"] * 700)
    assert limit_nesting(html) == " ".join(["字"] * 700)


def test_formatting_that_is_closed_stays_however_much_there_is() -> None:
    html = "<strong>字</strong><Font size=1>字</Font>" * 2000
    assert limit_nesting(html) == html


def test_an_endless_tag_of_a_large_page_loses_its_attributes() -> None:
    html = "<p>前</p><img src='data:" + "A" * 300_000 + "'><p>后</p>"
    assert limit_nesting(html) == "<p>前</p><img><p>后</p>"
    assert limit_nesting("<" + "A" * 300_000 + "><p>后</p>") == " <p>后</p>"


def test_the_rules_of_a_style_with_endless_attributes_are_no_text() -> None:
    names = " ".join(f"css{number}-hidden" for number in range(20_000))
    html = f'<body><style data-names="{names}">.css1-hidden {{ color: red }}</style><p>基金净值</p>'
    assert parse(html).text == "|基金净值|"
