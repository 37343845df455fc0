"""Every page store is a dictionary by URL that keeps order of arrival: a file, and a job of many in PostgreSQL."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_profiles import examples
from page_records import PAGE
from postgresql_server import PostgresqlServer

from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.job_database import JobDatabase
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import Judgement, PageRecord, Pages, Selection

Open = Callable[[], Pages]


@pytest.fixture(params=["sqlite", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the store of one job, as often as it is called: as so many processes do."""
    made: list[Pages] = []
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    job = uuid4().hex

    def open_() -> Pages:
        if request.param == "sqlite":  # one process writes, any others read
            place = tmp_path / "job.sqlite"
            made.append(PageStore(JobDatabase(place, read_only=True) if made else place))
        else:
            made.append(PostgresPages(Session(server.url()), job))
        return made[-1]

    yield open_
    for store in made:
        store.close()


@pytest.fixture
def store(opened: Open) -> Pages:
    return opened()


def test_the_nearest_pages_are_no_copies_and_ties_go_by_url(store: Pages) -> None:
    near = {"c": 0.50, "a": 0.25, "b": 0.75, "d": 0.5, "e": 0.9375, "f": 0.0}
    rows = {
        name: store.put(replace(PAGE, url=f"http://{name}.cn/", relevance=relevance))
        for name, relevance in near.items()
    }
    store.put(replace(PAGE, url="http://copy.cn/", relevance=0.5, alias_of="http://c.cn/"))
    off = store.put(replace(PAGE, url="http://off.cn/", relevance=0.5, stored=False))

    def nearest(relevance: float, limit: int) -> list[str]:
        names = {row: name for name, row in rows.items()}
        return [names[row] for row in store.nearest(relevance, limit)]

    assert nearest(0.5, 3) == ["c", "d", "a"]
    assert nearest(0.5, 9) == ["c", "d", "a", "b", "e", "f"]
    assert nearest(1.0, 2) == ["e", "b"]
    assert nearest(0.0, 1) == ["f"]
    if isinstance(store, PageStore):
        assert store.nearest(0.9, 5, stored=False) == [off]


def test_a_page_comes_back_as_it_was_put_with_the_hash_of_its_text(store: Pages) -> None:
    row = store.put(PAGE)
    back = store.get(PAGE.url)
    assert back is not None
    assert len(back.content_hash) == 16
    assert replace(back, content_hash="") == PAGE
    assert store.at(row) == back
    assert store.get("http://a.cn/2") is None
    assert store.at(row + 1) is None
    assert [record.url for record in store.records()] == [PAGE.url]


def test_equal_texts_have_equal_hashes_and_a_given_hash_is_kept(store: Pages) -> None:
    pages = [
        PAGE,
        replace(PAGE, url="b"),
        replace(PAGE, url="c", text="x"),
        replace(PAGE, url="d", content_hash="mine"),
    ]
    for page in pages:
        store.put(page)
    first, second, third, fourth = (record.content_hash for record in store.records())
    assert first == second != third
    assert fourth == "mine"


def test_putting_a_url_again_replaces_its_row_and_keeps_its_place(store: Pages) -> None:
    rows = [store.put(replace(PAGE, url=url)) for url in ("http://a.cn/2", PAGE.url, "http://a.cn/0")]
    again = replace(PAGE, url="http://a.cn/2", title="new", relevance=0.5, stored=False)
    assert store.put(again) == rows[0]
    assert store.put(PAGE) == rows[1]
    records = list(store.records())
    assert [record.url for record in records] == ["http://a.cn/2", "http://a.cn/1", "http://a.cn/0"]
    assert (records[0].title, records[0].relevance, records[0].stored) == ("new", 0.5, False)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ("",)),
        ("a\0b", ("a\0b", "a\ufffdb")),  # PostgreSQL has no NUL
        ("half \ud83d a character", ("half ? a character",)),
        ("𠮷\U0010ffff\u2028\r\n", ("𠮷\U0010ffff\u2028\r\n",)),
        ("'); DROP TABLE pages; -- %s \\ :1", ("'); DROP TABLE pages; -- %s \\ :1",)),
        pytest.param("大" * 3_000_000, ("大" * 3_000_000,), marks=pytest.mark.slow),
        (f"http://a.cn/{'%E5%A4%A7' * 1_000}", (f"http://a.cn/{'%E5%A4%A7' * 1_000}",)),
    ],
    ids=["empty", "NUL", "surrogate", "far planes", "quotes", "9 MB", "9 kB"],
)
def test_any_text_is_taken(store: Pages, text: str, kept: tuple[str, ...]) -> None:
    url = f"http://a.cn/{text[:9_000]}"
    store.put(PageRecord(url=url, title=text, text=text, summary=text, anchor=text, alias_of=text[:9_000]))
    record = store.get(url)
    assert record is not None
    for found in (record.title, record.text, record.summary, record.anchor):
        assert found in kept
    assert store.copies(text[:9_000], 2) == ([record.url] if text else [])


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_becomes_zero(store: Pages, number: float) -> None:
    store.put(PageRecord(url="a", relevance=number, score=number))
    record = store.get("a")
    assert record is not None
    assert (record.relevance, record.score) == (0.0, 0.0)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.text().filter(lambda text: "\0" not in text)), max_size=12)
)
def test_the_store_is_a_dictionary_by_url(store: Pages, puts: list[tuple[str, str]]) -> None:
    model: dict[str, str] = {}
    example = uuid4().hex  # the store has the pages of the examples before
    for url, text in puts:
        store.put(PageRecord(url=f"{example} {url}", text=text))
        model[f"{example} {url}"] = text
    found = [(record.url, record.text) for record in store.records()]
    assert found[len(found) - len(model) :] == list(model.items())


def test_what_one_has_committed_others_see_and_replace(opened: Open) -> None:
    one, other = opened(), opened()
    row = one.put(PAGE)
    one.commit()
    assert other.get(PAGE.url) == one.get(PAGE.url)
    writer = one if isinstance(one, PageStore) else other
    assert writer.put(replace(PAGE, title="later")) == row
    other.close()
    assert [record.title for record in one.records()] == ["later"]
    one.close()
    one.close()


def test_the_best_are_selected_and_come_in_order(store: Pages) -> None:
    pages = [
        (
            "http://a.cn/1",
            {
                "relevance": 0.5,
                "format": "pdf",
                "kind": "stub",
                "published": "2026-02-01",
                "language": "zh-Hant",
            },
        ),
        (
            "http://www.a.cn/2",
            {
                "relevance": 0.9,
                "topic": "travel,finance",
                "usage": "search=y, train-ai=n; source=robots.txt",
                "language": "zh-Hans",
            },
        ),
        (
            "http://ba.cn/3",
            {
                "relevance": 0.9,
                "kind": "list",
                "usage": "train-ai=y; source=robots.txt | tdm=n; source=x",
                "language": "ja",
            },
        ),
        ("http://c.cn/4", {"relevance": 1.0, "stored": False}),
        ("http://c.cn/5", {"relevance": 0.2, "alias_of": "http://a.cn/1", "language": ""}),
    ]
    for url, more in pages:
        store.put(replace(PAGE, url=url, **more))

    def best(limit: int | None = None, **conditions: object) -> list[str]:
        rows = store.best(Selection(**conditions), limit)  # type: ignore[arg-type]
        return [record.url[-1] for row in rows if (record := store.at(row)) is not None]

    assert best() == ["3", "2", "1", "5"]
    assert best(2) == ["3", "2"]
    assert best(kinds=("stub", "list")) == ["3", "1"]
    assert best(1, kinds=("stub",), min_relevance=0.6) == []
    assert best(languages=("zh",)) == ["2", "1"]
    assert best(languages=("zh-Hant", "ja")) == ["3", "1"]
    assert best(languages=("z", "und")) == ["5"]
    assert best(site="a.cn") == ["2", "1"]
    assert best(since="2026-01-31") == ["1"]
    assert best(min_relevance=0.5) == ["3", "2", "1"]
    assert best(format="pdf") == ["1"]
    assert best(topic="travel") == ["2"]
    assert [best(usage=use) for use in ("train-ai", "search", "search=y", "any")] == [
        ["1", "5"], ["3", "2", "1", "5"], ["2"], ["3", "2", "1", "5"],
    ]  # fmt: skip
    assert store.copies("http://a.cn/1", 5) == ["http://c.cn/5"]
    rows = [row for row, _ in store.after(0, 9)]
    assert [record.url[-1] for _, record in store.after(rows[0], 2)] == ["2", "3"]


def test_a_page_that_is_refused_leaves_the_lists_and_comes_back(store: Pages) -> None:
    urls = [f"http://{name}.cn/" for name in "abc"]
    rows = [
        store.put(replace(PAGE, url=url, relevance=0.5 + at / 8, evidence=b"\0\xff"))
        for at, url in enumerate(urls)
    ]
    assert (store.judged_again(), store.last_judged()) == ({}, 0.0)
    refused = Judgement(rows[0], 0.125, False, True, PAGE.topic, PAGE.summary)
    store.judge([refused, Judgement(rows[1], 0.875, True, False, "sport", "短", "yes", "在理")], 5.0)
    assert store.best() == [rows[1], rows[2]]
    assert store.best(Selection(refused=True)) == [rows[0]]
    assert store.nearest(0.0, 5) == [rows[2], rows[1]]
    assert [row for row, _ in store.after(0, 5)] == [rows[1], rows[2]]
    assert [row for row, _ in store.rows()] == rows
    found = store.get(urls[0])
    assert found is not None
    assert (found.stored, found.refused, found.relevance, found.judged) == (False, True, 0.125, 5.0)
    assert found.evidence == b"\0\xff"
    found = store.get(urls[1])
    assert found is not None
    assert (found.topic, found.summary, found.refused) == ("sport", "短", False)
    assert (found.opinion, found.opinion_reason) == ("yes", "在理")
    assert store.judged_again() == {urls[0]: (False, 0.125), urls[1]: (True, 0.875)}
    assert store.last_judged() == 5.0
    store.judge([refused._replace(relevance=0.75, kept=True, refused=False)], 6.0)
    assert sorted(store.best()) == rows
    assert (store.judged_again()[urls[0]], store.last_judged()) == ((True, 0.75), 6.0)
