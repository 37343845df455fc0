"""Narrow topics of a user's own, on a web of twelve pages: three pages on tea by their titles, one by a tag, one by a person's judgement."""

from __future__ import annotations

import json
import runpy
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import WarcRecord, WarcRecordType
from forked_scrapy import ForkedScrapy

from topiccrawler.crawling.job_files import PAGES
from topiccrawler.store.pages import PageStore

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "benchmarks/narrow.py"
SITE = "http://a.example"
TEA = "普洱茶叶要用沸水冲泡，茶汤红浓，茶叶可以泡很多次。"
BALL = "昨天的足球比赛很精彩，球队赢了三个球，观众都很高兴。"
TITLES = {
    "t1": ("普洱的泡法 - 小站", TEA),
    "t2": ("怎样选茶叶 - 小站", TEA + "选茶叶先看条索，再闻香气，最后看叶底。"),
    "t3": ("绿茶与红茶 - 小站", TEA + "绿茶不发酵，红茶全发酵，颜色和味道都不一样。"),
    "tagged": ("周末记事 - 小站", BALL + "</p><a rel='category tag' href=/>茶叶</a><p>"),
    "judged": ("杂记 - 小站", TEA * 3),
    **{
        f"b{number}": (f"第{number}场球赛 - 小站", BALL + f"第{number}场比分是{number}比零。")
        for number in range(6)
    },
}
TOPICS = {"tea": {"web": "small", "words": "普洱 茶叶 绿茶", "match": "普洱|茶叶|绿茶"}}


@pytest.fixture
def webs(tmp_path: Path) -> Path:
    """A folder with one web, a home page and eleven texts; all titles have the site's name."""
    folder = tmp_path / "webs" / "small"
    folder.mkdir(parents=True)
    links = "".join(f"<a href=/{name}/>{title}</a> " for name, (title, _) in TITLES.items())
    pages = {f"{SITE}/": f"<title>小站</title>{links}"}
    pages |= {
        f"{SITE}/{name}/": f"<title>{title}</title><p>{text}</p>" for name, (title, text) in TITLES.items()
    }
    with (folder / "pages.warc").open("wb") as file:
        for url, html in pages.items():
            record = WarcRecord()
            record.init_headers(WarcRecordType.response)
            record.headers["WARC-Target-URI"] = url
            record.headers["Content-Type"] = "application/http; msgtype=response"
            head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            record.set_bytes_content((head + html).encode())
            record.write(file)
    kinds = "".join(f"{url}\t\t\t{'hub' if url == SITE + '/' else 'content'}\n" for url in pages)
    (folder / "labels.tsv").write_text(kinds, encoding="utf-8")
    (folder / "seeds.tsv").write_text(f"all\t{SITE}/\n", encoding="utf-8")
    (tmp_path / "topics.json").write_text(json.dumps(TOPICS), encoding="utf-8")
    (tmp_path / "judged.json").write_text(json.dumps({"tea": {f"{SITE}/judged/": 1}}), encoding="utf-8")
    return tmp_path / "webs"


def ran(forked_scrapy: ForkedScrapy, webs: Path, *more: str) -> str:
    place = webs.parent
    done = forked_scrapy(str(SCRIPT), str(webs), "--topics", str(place / "topics.json"), *more, timeout=120)
    assert done.code == 0, done.err + done.out
    return done.out


def test_a_topic_is_crawled_and_scored(forked_scrapy: ForkedScrapy, webs: Path) -> None:
    """All twelve pages are fetched; what is kept is in the job's store, which says what the shares must be."""
    judged, out = str(webs.parent / "judged.json"), webs.parent / "jobs"
    said = ran(
        forked_scrapy, webs, "--judged", judged, "--pages", "20", "--jobs", "2", "--out", str(out), "--json",
        "-s", "TOPIC_PROPOSED_WORDS=0", "-s", "TOPIC_DUPLICATES=keep",
    )  # fmt: skip
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    row = found["topics"]["tea"]
    assert found["mean"] == pytest.approx(row)
    assert (row["on_topic"], row["found"]) == (5, 5)
    with closing(PageStore(out / "tea" / "job" / PAGES, create=False)) as store:
        kept = {record.url for record in store.records()} - {f"{SITE}/"}  # a hub
    hits = kept & {f"{SITE}/{name}/" for name in ("t1", "t2", "t3", "tagged", "judged")}
    assert {f"{SITE}/t1/", f"{SITE}/t2/", f"{SITE}/t3/"} <= hits
    assert row["kept"] == len(kept)
    assert row["precision"] == len(hits) / len(kept)
    assert row["recall"] == row["p_at_25"] == len(hits) / 5
    assert 0.3 < row["ratio"] <= 1.0
    assert 0.0 < row["calibration_error"] < 1.0
    assert (out / "tea" / "job" / "visits.jsonl").exists()
    assert said.splitlines()[-2].split()[:4] == ["mean", "of", "1", "5"]


def test_the_ratio_is_the_mean_over_the_curve() -> None:
    """Two on topic, found first and third, of four pages: 1/1, 1/2, 2/2, 2/2. 40 pages are looked at after every second one."""
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        harvest_ratio = runpy.run_path(str(SCRIPT))["harvest_ratio"]
    finally:
        sys.path.remove(str(SCRIPT.parent))
    assert harvest_ratio([True, False, True], 2, 4) == 0.875
    assert harvest_ratio([False, True], 1, 40) == 1.0
    assert harvest_ratio([], 0, 40) == 0.0


def test_the_pages_that_match_are_counted_without_what_the_site_writes_everywhere(
    forked_scrapy: ForkedScrapy, webs: Path
) -> None:
    topics = {**TOPICS, "site": {**TOPICS["tea"], "match": "小站"}}
    (webs.parent / "topics.json").write_text(json.dumps(topics), encoding="utf-8")
    said = ran(forked_scrapy, webs, "--count").splitlines()
    assert [line.split() for line in said] == [
        ["tea", "small", "4", "pages,", "4", "of", "them", "content"],
        ["site", "small", "0", "pages,", "0", "of", "them", "content"],
    ]
    assert len(ran(forked_scrapy, webs, "--count", "--part", "site").splitlines()) == 1


def test_a_topic_that_the_file_lacks_is_one_clear_line(forked_scrapy: ForkedScrapy, webs: Path) -> None:
    done = forked_scrapy(
        str(SCRIPT), str(webs), "--topics", str(webs.parent / "topics.json"), "--part", "coffee", timeout=60
    )
    assert done.code == 1
    assert done.err.startswith("narrow: --part coffee: ")


def test_the_shipped_topics_are_three_words_each_and_spread_over_three_webs() -> None:
    topics = json.loads(SCRIPT.with_name("narrow_topics.json").read_text(encoding="utf-8"))
    assert len(topics) >= 24
    assert {len(topic["words"].split()) for topic in topics.values()} == {3}
    assert {topic["web"] for topic in topics.values()} == {"blogs", "friends", "portal"}
