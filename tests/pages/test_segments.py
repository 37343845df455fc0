"""The parts of a page in which a site repeats itself, by hand."""

from topiccrawler.pages.parse import parse
from topiccrawler.pages.site_repeats import (
    MOST_BLOCKS,
    MOST_CATEGORIES,
    MOST_HEADINGS,
    segment_texts,
    stored_segments,
    with_words,
)
from topiccrawler.text.segmenter import PLAIN

PAGE = """<title>考研分数线公布 - 教育 | 小站</title>
<meta name=keywords content="考研,分数线，考研"><meta name=description content="今年的分数线">
<h1>分数线</h1><h2>国家线</h2><h3>院校线</h3><h4>第四个</h4>
<p>首页</p><p>分数线已经公布。</p><a rel="category tag" href=/t>高考</a> <a rel=nofollow href=/x>广告</a>"""


def parts(html: str, main_text: str = "", title: str = "") -> list[tuple[str, str]]:
    return [*segment_texts(parse(html), title, main_text)]


def test_a_page_with_a_main_text_is_its_title_parts_tags_description_headings_and_lines() -> None:
    assert parts(PAGE, "分数线已经公布。\n\n报名从十月开始。") == [
        ("title", "考研分数线公布"),
        ("title", "教育"),
        ("title", "小站"),
        ("tag", "考研"),
        ("tag", "分数线"),
        ("tag", "高考"),
        ("description", "今年的分数线"),
        ("heading", "分数线"),
        ("heading", "国家线"),
        ("heading", "院校线"),
        ("text", "分数线已经公布。"),
        ("text", "报名从十月开始。"),
    ]
    assert MOST_HEADINGS == 3


def test_a_page_without_a_main_text_is_its_blocks() -> None:
    assert parts("<title>站</title><p>首页</p><p>考研 报名</p>") == [
        ("title", "站"),
        ("block", "首页"),
        ("block", "考研 报名"),
    ]


def test_links_to_a_few_categories_and_tags_are_segments_and_links_to_many_are_a_menu() -> None:
    def categories(*links: tuple[str, str]) -> list[str]:
        html = "".join(f"<a href='{href}'>{text}</a> " for href, text in links)
        return [text for kind, text in parts(html) if kind == "category"]

    assert categories(
        ("/categories/Java/", "Java"),
        ("https://a.cn/tag/jvm", "虚拟机"),
        ("/category/java/page/2", "Java"),
        ("/tags/", "全部标签"),
        ("/stage/one", "舞台"),
        ("/tags/empty", ""),
        ("/tags/long", "长" * 31),
    ) == ["Java", "虚拟机"]
    few = [(f"/tags/{n}", f"标签{n}") for n in range(MOST_CATEGORIES)]
    assert categories(*few) == [text for _, text in few]
    assert categories(*few, ("/tags/one-more", "又一个")) == []


def test_the_folders_of_an_address_are_segments_without_numbers_and_the_last_name() -> None:
    def folders(url: str) -> list[str]:
        found = segment_texts(parse("<title>站</title>"), "", "", url)
        return [text for kind, text in found if kind == "folder"]

    assert folders("http://a.cn/Basketball/NBA/2019-10-05/doc-1.html?from=wap/x") == ["basketball", "nba"]
    assert folders("http://a.cn/%E8%80%83%E7%A0%94/2020/post/") == ["考研"]
    assert folders("http://a.cn/nba") == folders("http://a.cn/") == folders("") == []


def test_no_text_is_no_segment_and_huge_pages_are_cut() -> None:
    assert parts("") == []
    assert len(parts("<p>词</p>" * (MOST_BLOCKS + 10))) == MOST_BLOCKS
    long = parts("", "词" * 150_000)
    assert [len(text) for _, text in long] == [100_000]
    blocks = parts(f"<p>{'词' * 60_000}</p>" * 3)
    assert len(blocks) == 1, "the second would be more than is looked at"


def test_of_a_stored_page_there_are_title_keywords_description_and_lines() -> None:
    found = stored_segments(
        "考研 - 小站", "考研,分数线，考研", "今年", "第一行\n\n第二行", PLAIN, is_main=True
    )
    assert [(one.kind, one.text) for one in found] == [
        ("title", "考研"),
        ("title", "小站"),
        ("tag", "考研"),
        ("tag", "分数线"),
        ("description", "今年"),
        ("text", "第一行"),
        ("text", "第二行"),
    ]
    assert stored_segments("", "", "", "", PLAIN, is_main=True) == []
    read = with_words(segment_texts(parse("<title>考研 - 小站</title>"), "", "第一行"), PLAIN)
    assert [one.key for one in read] == [
        one.key for one in stored_segments("考研 - 小站", "", "", "第一行", PLAIN, is_main=True)
    ]
