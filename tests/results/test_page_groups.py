"""Pages about two things that share a name are noticed; pages about one thing in several aspects are not."""

from collections.abc import Callable
from pathlib import Path

import pytest
from two_meanings import BASKETBALL, SPACE, job_of, texts_of

from topiccrawler.messages import translated
from topiccrawler.results.page_groups import groups_of, kinds_of, sure_of_groups
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.segmenter import PLAIN


def test_two_meanings_of_a_word_are_two_groups_each_with_its_words() -> None:
    pages = PLAIN.words_of(texts_of(SPACE, 14) + texts_of(BASKETBALL, 9))
    found = groups_of(pages, {"火箭"})
    assert found is not None
    space, basketball = found
    assert (space.pages, basketball.pages) == (tuple(range(14)), tuple(range(14, 23)))
    assert set(space.words) <= set(PLAIN.words(SPACE)) - set(PLAIN.words(BASKETBALL)) - {"火箭"}
    assert set(basketball.words) <= set(PLAIN.words(BASKETBALL)) - set(PLAIN.words(SPACE))
    assert len(space.words) == len(basketball.words) == 5


@pytest.mark.parametrize(
    "texts",
    [
        texts_of(SPACE, 30),
        texts_of(BASKETBALL, 30),
        texts_of(SPACE, 10) + texts_of(BASKETBALL, 9),  # nineteen
        texts_of(SPACE, 30) + texts_of(BASKETBALL, 3),  # strays
        texts_of(SPACE, 10) + ["火箭" * 40] * 30,
        texts_of(SPACE, 15)
        + ["The rocket puts a satellite into orbit around the moon, and the engine burns liquid fuel."] * 15,
        [],
    ],
    ids=["space", "basketball", "few", "strays", "no words", "two languages", "none"],
)
def test_nothing_is_said_of_one_subject_or_when_unsure(texts: list[str]) -> None:
    assert groups_of(PLAIN.words_of(texts), {"火箭"}) is None


def test_a_sure_page_of_each_group_is_asked_about() -> None:
    texts = texts_of(SPACE, 14) + texts_of(BASKETBALL, 9)
    pages = [PageRecord(url=f"http://a.cn/{at}", text=text) for at, text in enumerate(texts)]
    assert sure_of_groups(pages, {"火箭"}, PLAIN, ()) == ["http://a.cn/0", "http://a.cn/14"]
    asked = {"http://a.cn/14", "http://a.cn/15", "http://a.cn/1"}
    assert sure_of_groups(pages, {"火箭"}, PLAIN, asked) == ["http://a.cn/0", "http://a.cn/16"]
    assert sure_of_groups(pages[:14], {"火箭"}, PLAIN, ()) == []


def test_a_job_asks_which_is_meant(make_job: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = job_of(make_job, texts_of(SPACE, 14) + texts_of(BASKETBALL, 9))
    kinds = kinds_of(folder)
    question = kinds.question()
    assert question.startswith("the first 23 pages kept are of two kinds: ")
    assert " (14: " in kinds.first
    assert " (9: " in kinds.second
    assert question.endswith(
        f"which is meant? scrapy topics teach '{folder}'"
        if " " in str(folder)
        else f"which is meant? scrapy topics teach {folder}"
    )
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    monkeypatch.setenv("LANGUAGE", "")
    assert translated(question).startswith("最先保存的 23 个网页分成两类：")
