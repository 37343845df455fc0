"""Comments and lines that lead elsewhere are no main text; on a page of a forum the posts are."""

import pytest

from topiccrawler.pages.asides import without_asides
from topiccrawler.pages.document import Document
from topiccrawler.pages.parse import parse

PARAGRAPH = "<p>" + "The fund buys shares of firms in many countries, and its fees are low. " * 4 + "</p>"
COMMENT = "<p>" + "I have bought it for years and I would not do it again, to be honest. " * 6 + "</p>"


def texts(document: Document) -> list[str]:
    return [
        document.text[block.start : block.end][:30] for block in without_asides(document, document.blocks)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Read also: Five funds",
        "(See also",
        "Related articles",
        "12 comments",
        "Photo: A. Person",
        "5 min read",
        "Mehr zum Thema",
        "Lesen Sie auch: Fonds",
        "Noch keine Bewertungen",
        "Lea también",
        "Lire aussi",
        "Czytaj też",
        "Updated 5:27 am, Wednesday, November 20, 2019",
        "Veröffentlicht am 3. Mai 2020",
        "By A. Person | 12 May 2019",
    ],
)
def test_a_line_that_leads_elsewhere_is_left_out(line: str) -> None:
    document = parse(f"<p>Funds</p><p>{line}</p>")
    assert texts(document) == ["Funds"]


@pytest.mark.parametrize(
    "line",
    [
        "Related companies must report it.",
        "Comments were made by the board.",
        "Photography is an art.",
        "By 2019 the fund had grown to three times its size, more than others.",
        "Updated rules apply to funds.",
    ],
)
def test_a_sentence_stays(line: str) -> None:
    assert len(texts(parse(f"<p>Funds</p><p>{line}</p>"))) == 2


def test_comments_below_an_article_are_left_out() -> None:
    html = f'<div class="post">{PARAGRAPH * 2}</div><div class="comment-list">{COMMENT * 3}</div>'
    article = '<meta property="og:type" content="article">'
    assert len(texts(parse(article + html))) == 2
    assert len(texts(parse(html))) == 5  # longer than the rest, and nothing says that it is an article
    short = f'<div class="post">{PARAGRAPH * 2}</div><div id="comments">{COMMENT}</div>'
    assert len(texts(parse(short))) == 2


def test_the_answers_of_a_forum_stay_although_they_are_called_comments() -> None:
    page = f'<meta property="og:type" content="article"><div class="post">{PARAGRAPH * 8}</div><div id="comments">{COMMENT}</div>'
    forum = f'<script type="application/ld+json">{{"@type": "DiscussionForumPosting"}}</script>{page}'
    answers = f'<div itemscope itemtype="https://schema.org/QAPage">{page}</div>'
    assert [len(texts(parse(one))) for one in (page, forum, answers)] == [8, 9, 9]


def test_a_page_of_comments_alone_stays() -> None:
    assert len(texts(parse(f'<p>Funds</p><div class="comment-list">{COMMENT * 3}</div>'))) == 4


def test_a_menu_beside_an_article_goes_with_its_label_and_a_page_of_links_stays() -> None:
    items = "".join(
        f"<li><a href=/{name}>{name}</a> ({count})</li>"
        for count, name in enumerate(("Bonds", "Funds", "Shares"))
    )
    menu = f"<h2>Topics of ours</h2><ul>{items}</ul>"
    assert texts(parse(menu + PARAGRAPH * 2)) == ["The fund buys shares of firms "] * 2
    two = "<h2>Topics of ours</h2><p><a href=/a>Bonds</a></p><p><a href=/b>Funds</a></p>"
    assert texts(parse(two + PARAGRAPH)) == [
        "Topics of ours",
        "Bonds",
        "Funds",
        "The fund buys shares of firms ",
    ]
    assert texts(parse(menu + "<p>All that we wrote.</p>"))[:2] == ["Topics of ours", "Bonds|(0)"]


def test_a_label_of_a_menu_is_no_text() -> None:
    assert texts(parse("<h2>Kategorien</h2><h2>Categorias</h2><h2>Archives</h2>" + PARAGRAPH)) == [
        "The fund buys shares of firms "
    ]
