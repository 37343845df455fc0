"""Search in jobs as crawls leave them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_files import INDEX, JobFiles
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import ArgumentError
from topiccrawler.results.jobs import job_folder, jobs_in
from topiccrawler.results.search import search
from topiccrawler.store.pages import ALL, PageRecord, Selection

MakeJob = Callable[..., Path]


@pytest.fixture
def jobs(make_job: MakeJob) -> list[Path]:
    return [
        make_job(
            "one",
            PageRecord(url="http://a.cn/1", title="基金", text="基金收益", topic="finance", relevance=0.5),
            PageRecord(url="http://a.cn/2", title="股市", text="股票与基金", topic="finance", relevance=0.4),
        ),
        make_job(
            "two", PageRecord(url="http://a.cn/1", title="基金", text="基金", topic="funds", relevance=0.9)
        ),
    ]


def test_jobs_are_merged_best_first_and_a_page_of_several_is_shown_once(jobs: list[Path]) -> None:
    hits = search(jobs, "基金", ALL, 10)
    assert [(hit.url, hit.job.name) for hit in hits] == [("http://a.cn/1", "two"), ("http://a.cn/2", "one")]
    assert hits[0].rank > hits[1].rank
    assert [hit.url for hit in search(jobs, "基金", Selection(topic="finance"), 1)] == ["http://a.cn/1"]


def test_phrases_and_exclusions(jobs: list[Path]) -> None:
    assert [hit.url for hit in search(jobs[:1], '"基金收益"', ALL, 10)] == ["http://a.cn/1"]
    assert [hit.url for hit in search(jobs[:1], "基金 -收益", ALL, 10)] == ["http://a.cn/2"]


def test_an_index_that_is_missing_is_made(jobs: list[Path]) -> None:
    told: list[tuple[str, int, int]] = []
    search(jobs, "基金", ALL, 10, lambda folder, done, of: told.append((folder.name, done, of)))
    (jobs[0] / INDEX).unlink()
    assert len(search(jobs[:1], "基金", ALL, 10)) == 2


def test_a_job_is_found_by_folder_store_and_name(jobs: list[Path]) -> None:
    data = jobs[0].parent
    assert {job_folder(name, data) for name in ("one", str(jobs[0]), f"{jobs[0]}/pages.sqlite")} == {jobs[0]}
    assert set(jobs_in(data)) == set(jobs)
    with pytest.raises(ArgumentError, match=r"two.*pages\.sqlite"):
        job_folder("three", data)
    with pytest.raises(ArgumentError, match=r"/none: "):
        jobs_in(data / "none")


@pytest.mark.slow
def test_each_job_is_asked_in_the_words_of_its_own_topic(tmp_path: Path) -> None:
    """The dictionary makes 电动车 of 纯电动车; a crawl whose topic is 纯电动 keeps that whole."""
    recipes = {"own": recipe_of_words(Recipe("", "breadth_first"), ["纯电动"]), "plain": Recipe("finance")}
    folders = []
    for name, recipe in recipes.items():
        segmenter = topic_of(recipe).segmenter
        files = JobFiles(tmp_path / name, recipe, indexed=True, segmenter=segmenter)
        files.begin()
        files.keep(PageRecord(url=f"http://a.cn/{name}", text="买纯电动车要去看看", relevance=0.5))
        files.close()
        folders.append(tmp_path / name)
    for asked in (folders, folders[::-1]):
        found = {
            text: {hit.job.name for hit in search(asked, text, ALL, 10)} for text in ("纯电动", "电动车")
        }
        assert found == {"纯电动": {"own"}, "电动车": {"plain"}}
    (folders[1] / INDEX).unlink()  # a search that has to index the pages keeps its own words whole
    assert {hit.job.name for hit in search(folders, "纯电动", ALL, 10)} == {"own", "plain"}
