"""What a person sees first of a job: its best titles, and those on both sides of the page threshold."""

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from message_facts import numbers

from topiccrawler.crawling.job_files import write_recipe
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.results.job_pages import Judged, first_look, page_threshold, uncertain_of
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import VisitLog

SEED = Visit("http://a.cn/", 200, 20.0, 0.1, stored=False, time=1.0)
HOSTILE = "基金\x1b[31m\u202e\nlook: rm -rf  x"


def page(relevance: float, **fields: object) -> PageRecord:
    """One whose title and URL say its relevance."""
    name = f"{relevance:.3f}"
    made = PageRecord(url=f"http://a.cn/{name}", title=f"t{name}", relevance=relevance, topic="finance")
    return replace(made, **fields)


def sampled(folder: Path, *records: PageRecord, size: int = 100) -> None:
    sample = PageSample(folder / JOB_DATABASE, size)
    for record in records:
        sample.add(replace(record, stored=False))
    sample.close()


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    kept = [page(round(0.15 + number / 100, 2)) for number in range(1, 13)]
    copy = page(0.99, alias_of="http://a.cn/0.200")
    near_copy = page(0.151, alias_of="http://a.cn/0.200")
    folder = make_job("my job", *kept, copy, near_copy, visits=(SEED,))
    off = [page(round(0.15 - number / 50, 2)) for number in range(1, 7)]
    sampled(folder, *off, page(0.16))  # the last one was found off topic first, and kept by a later look
    return folder


def test_the_best_and_the_nearest_on_both_sides_are_displayed_with_how_to_answer(job: Path) -> None:
    lines = first_look(job, 0.15).lines()
    assert lines[1:6] == [
        "  0.270  t0.270  http://a.cn/0.270",
        "  0.260  t0.260  http://a.cn/0.260",
        "  0.250  t0.250  http://a.cn/0.250",
        "  0.240  t0.240  http://a.cn/0.240",
        "  0.230  t0.230  http://a.cn/0.230",
    ]
    assert numbers(lines[6]) == ["0.150"]
    assert lines[7:-1] == [
        "  0.180  kept      t0.180  http://a.cn/0.180",
        "  0.170  kept      t0.170  http://a.cn/0.170",
        "  0.160  kept      t0.160  http://a.cn/0.160",
        "  0.130  not kept  t0.130  http://a.cn/0.130",
        "  0.110  not kept  t0.110  http://a.cn/0.110",
    ]
    assert re.match(rf"[\w ]* finance\? .*: scrapy topics teach '{re.escape(str(job))}'$", lines[-1])


def test_the_files_say_the_threshold_where_the_crawl_is_over(job: Path) -> None:
    assert first_look(job) == first_look(job, 0.5)
    assert first_look(job, 0.2).uncertain[1].relevance == 0.2
    assert page_threshold(Recipe("finance", "breadth_first")) == 0.5
    assert page_threshold(Recipe("gone.toml", "breadth_first")) is None


def test_a_job_that_kept_nothing_shows_what_came_near(tmp_path: Path) -> None:
    write_recipe(Recipe("finance", "breadth_first"), tmp_path)
    assert first_look(tmp_path, 0.15).lines() == []
    with closing(VisitLog(tmp_path / JOB_DATABASE)) as log:
        log.append(Visit("http://a.cn/", 200, 1.0, 0.1, stored=False, time=1.0))
    sampled(tmp_path, page(0.1), page(0.14), page(0.05))
    look = first_look(tmp_path, 0.15)
    assert look.best == []
    assert [(one.relevance, one.kept) for one in look.uncertain] == [
        (0.14, False),
        (0.1, False),
        (0.05, False),
    ]
    assert look.answer.endswith(f"scrapy topics teach {tmp_path}")


def test_hostile_titles_stay_on_their_line(make_job: Callable[..., Path]) -> None:
    folder = make_job("job", page(0.5, title=HOSTILE), page(0.4, title=""), page(0.3, title="长" * 99))
    lines = first_look(folder, 0.15).lines()
    assert lines[1] == "  0.500  基金\\u001b[31m\\u202e look: rm -rf x  http://a.cn/0.500"
    assert lines[2] == "  0.400  (no title)  http://a.cn/0.400"
    assert lines[3] == f"  0.300  {'长' * 60}…  http://a.cn/0.300"
    assert len(lines) == 4  # no crawl log: there is nothing to teach


@pytest.mark.parametrize(
    "recipe",
    [Recipe("finance,travel", "breadth_first"), Recipe("finance", "breadth_first", page_classifier="svm")],
)
def test_how_to_answer_is_said_only_where_it_works(job: Path, recipe: Recipe) -> None:
    write_recipe(recipe, job)
    assert first_look(job, 0.15).answer == ""


def test_uncertain_pages_are_of_both_sides_then_the_nearer() -> None:
    kept = [Judged(f"k{n}", "", 0.5 + n / 100, kept=True) for n in range(5)]
    off = [Judged(f"o{n}", "", 0.49 - n / 100, kept=False) for n in range(5)]
    assert [one.url for one in uncertain_of(kept, off, 0.5, 5)] == ["k2", "k1", "k0", "o0", "o1"]
    assert [one.url for one in uncertain_of(kept[:1], off, 0.5, 5)] == ["k0", "o0", "o1", "o2", "o3"]
    assert [one.url for one in uncertain_of([], [], 0.5, 5)] == []
    assert [one.url for one in uncertain_of(kept, off, 0.5, 1)] == ["k0"]
    as_kept = Judged("o", "", 0.5, kept=False)  # under an earlier threshold
    assert [one.url for one in uncertain_of(kept[:1], [as_kept], 0.5, 2)] == ["k0", "o"]
