"""Search in jobs as crawls leave them."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import ArgumentError
from topiccrawler.items import Medium
from topiccrawler.results.jobs import job_folder, jobs_in
from topiccrawler.results.search import search, search_media
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


def test_jobs_are_merged_best_first_and_a_page_of_several_is_displayed_once(jobs: list[Path]) -> None:
    hits = search(jobs, "基金", ALL, 10)
    assert [(hit.url, hit.job.name) for hit in hits] == [("http://a.cn/1", "two"), ("http://a.cn/2", "one")]
    assert hits[0].rank > hits[1].rank
    assert [hit.url for hit in search(jobs, "基金", Selection(topic="finance"), 1)] == ["http://a.cn/1"]


def gallery(number: int, relevance: float, *media: Medium) -> PageRecord:
    return PageRecord(
        url=f"http://a.cn/{number}", title="明星", text="电影 明星", topic="film", relevance=relevance,
        media=json.dumps([asdict(one) for one in media]),
    )  # fmt: skip


@pytest.fixture
def pictures(make_job: MakeJob) -> Path:
    return make_job(
        "film",
        gallery(
            1, 0.5,
            Medium("http://a.cn/zmy.bmp", "张曼玉照片", "", ""),
            Medium("http://a.cn/trailer.mp4", "预告片", "", "张曼玉的电影"),
            Medium("http://a.cn/map.png", "", "影院地圖", "照片墙"),
        ),
        gallery(2, 0.9, Medium("http://a.cn/zmy2.jpg", "照片", "張曼玉", ""), Medium("http://a.cn/zmy.bmp", "张曼玉照片", "", "")),
        gallery(3, 0.7, Medium("http://a.cn/a.jpg", "张曼玉", "", ""), Medium("http://a.cn/b.jpg", "照片", "", "")),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("张曼玉", ["zmy2.jpg", "zmy.bmp", "a.jpg", "trailer.mp4"]),
        ("照片", ["zmy2.jpg", "zmy.bmp", "b.jpg", "map.png"]),
        ("張曼玉 照片", ["zmy2.jpg", "zmy.bmp"]),
        ('"张曼玉照片"', ["zmy.bmp"]),
        ("张曼玉 -照片", ["a.jpg", "trailer.mp4"]),
        ("影院地图", ["map.png"]),
        ("明星", []),
    ],
)
def test_pictures_are_found_by_the_texts_of_the_links_to_them(
    pictures: Path, query: str, found: list[str]
) -> None:
    """All words must be in the texts of one link, as the thesis has it (§2.3); each picture once, of the most relevant page."""
    hits = search_media([pictures], query, ALL, 10)
    assert [hit.medium.url.rpartition("/")[2] for hit in hits] == found
    assert [hit.medium for hit in search_media([pictures], query, ALL, 1)] == [hit.medium for hit in hits[:1]]


def test_a_picture_comes_with_its_page_and_marks_and_pages_keep_their_ranks(
    pictures: Path, make_job: MakeJob
) -> None:
    (hit,) = search_media([pictures], "影院地图", Selection(topic="film"), 5)
    assert (hit.page.url, hit.caption.text, hit.job) == ("http://a.cn/1", "照片墙", pictures)
    assert search_media([pictures], "照片", Selection(min_relevance=0.8), 5)[0].anchor.marked() == "«照片»"
    assert search([pictures], "张曼玉", ALL, 5) == []  # pages are found by title and text alone
    plain = make_job(
        "plain", *(gallery(number, relevance) for number, relevance in ((1, 0.5), (2, 0.9), (3, 0.7)))
    )
    ranks = [[(hit.url, hit.rank) for hit in search([job], "电影", ALL, 5)] for job in (pictures, plain)]
    assert ranks[0] == ranks[1]


def test_phrases_and_exclusions(jobs: list[Path]) -> None:
    assert [hit.url for hit in search(jobs[:1], '"基金收益"', ALL, 10)] == ["http://a.cn/1"]
    assert [hit.url for hit in search(jobs[:1], "基金 -收益", ALL, 10)] == ["http://a.cn/2"]


def test_a_job_is_found_by_folder_store_and_name(jobs: list[Path]) -> None:
    data = jobs[0].parent
    assert {job_folder(name, data) for name in ("one", str(jobs[0]), f"{jobs[0]}/job.sqlite")} == {jobs[0]}
    assert set(jobs_in(data)) == set(jobs)
    with pytest.raises(ArgumentError, match=r"two.*job\.sqlite"):
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
        files = JobFiles(tmp_path / name, recipe, segmenter=segmenter)
        files.begin()
        files.keep(PageRecord(url=f"http://a.cn/{name}", text="买纯电动车要去看看", relevance=0.5))
        files.close()
        folders.append(tmp_path / name)
    for asked in (folders, folders[::-1]):
        found = {
            text: {hit.job.name for hit in search(asked, text, ALL, 10)} for text in ("纯电动", "电动车")
        }
        assert found == {"纯电动": {"own"}, "电动车": {"plain"}}
