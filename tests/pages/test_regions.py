import pytest

from topiccrawler.pages.document import region_of


@pytest.mark.parametrize(
    ("tag", "names", "inherited", "region"),
    [
        ("div", "", "", "body"),
        ("nav", "", "body", "navigation"),
        ("div", "topNav", "body", "navigation"),
        ("ul", "main-menu clearfix", "body", "navigation"),
        ("div", "page_header", "body", "header"),
        ("div", "SideBar", "body", "aside"),
        ("div", "col hot-list", "body", "aside"),
        ("div", "friendlink", "body", "footer"),
        ("div", "article-footer-nav", "body", "footer"),
        ("div", "article content", "body", "body"),
        ("div", "content", "aside", "aside"),
        ("article", "", "header", "header"),
        ("div", "wrapper clearfix", "navigation", "navigation"),
        ("div", "daohang", "", "navigation"),
        ("div", "导航", "", "body"),
    ],
)
def test_region_from_tag_and_names(tag: str, names: str, inherited: str, region: str) -> None:
    assert region_of(tag, names, inherited) == region
