"""Excerpts of other pages are found, and nothing else is left out."""

import random

from topiccrawler.results.excerpts import MOST_SHARED, Excerpts
from topiccrawler.store.pages import PageRecord

RANDOM = random.Random(7)


def text(characters: int) -> str:
    """A text of its own, without a word in common with others but by chance."""
    return "".join(chr(RANDOM.randrange(0x4E00, 0x9FA5)) for _ in range(characters))


def excerpts(*pages: tuple[str, str, str]) -> set[str]:
    """The excerpts among pages, each a URL, a kind and a text."""
    records = [PageRecord(url=url, kind=kind, text=body) for url, kind, body in pages]
    found = Excerpts()
    for record in records:
        found.note(record)
    for record in records:
        found.compare(record)
    return found.found()


def test_the_beginning_of_an_article_is_an_excerpt_of_it_wherever_it_stands() -> None:
    whole = text(900)
    assert excerpts(("short", "article", f"{whole[:120]}…"), ("whole", "article", whole)) == {"short"}
    spaced = "\n".join(whole[at : at + 30] for at in range(300, 480, 30))
    assert excerpts(("whole", "article", whole), ("inner", "article", spaced)) == {"inner"}


def test_a_list_of_teasers_is_an_excerpt_of_its_articles_together_an_article_of_one_alone() -> None:
    articles = [("one", "article", text(600)), ("two", "article", text(600)), ("three", "article", text(600))]
    teasers = "\n".join(f"{body[:100]}……" for _, _, body in articles)
    assert excerpts(*articles, ("list", "list", teasers)) == {"list"}
    assert (
        excerpts(*articles[:2], ("list", "list", teasers)) == set()
    )  # a third is of a page that is not there
    assert excerpts(*articles, ("digest", "article", teasers)) == set()


def test_other_texts_and_short_ones_are_no_excerpts() -> None:
    whole = text(500)
    half = whole[:100] + text(100)
    assert (
        excerpts(("whole", "article", whole), ("half", "article", half), ("tiny", "article", whole[:15]))
        == set()
    )
    assert excerpts(("empty", "article", ""), ("blank", "article", " \n")) == set()


def test_what_a_site_writes_on_every_page_is_no_evidence() -> None:
    notice = text(200)
    pages = [(f"p{number}", "article", f"{notice}{text(60)}") for number in range(MOST_SHARED + 9)]
    assert excerpts(*pages) == set()
