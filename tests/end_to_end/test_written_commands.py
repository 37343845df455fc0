"""README and tutorial, followed to the letter in a fresh folder: their commands work, and print what the text says."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from written_commands import ROOT, Follower, commands, on_topic

from topiccrawler.lab.demo.plan import SUBJECTS, Web
from topiccrawler.topics.catalogue import load_topic

README, CHINESE_README = ROOT / "README.md", ROOT / "README.zh-CN.md"
TUTORIAL, CHINESE_TUTORIAL = ROOT / "docs" / "tutorial.md", ROOT / "docs" / "tutorial.zh-CN.md"
TOLERANCE = 15  # pages; requests run side by side, so counts differ from run to run
PROGRESS = re.compile(
    r"\d+ pages, \d+ kept, harvest rate \d\.\d\d \(last 200: \d\.\d\d\), \d+ queued, \d+ hosts"
)
KEPT = re.compile(r"(\d+) pages fetched.*?, \d+ relevant \(\d+%\), (\d+) kept")


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    made = Follower(tmp_path / "clone")
    yield made
    made.close()


def figures(said: str) -> tuple[int, int]:
    """Pages fetched and kept, by the summary of a crawl."""
    found = KEPT.search(said)
    assert found is not None, said
    return int(found[1]), int(found[2])


def near(measured: int, written: int) -> bool:
    return abs(measured - written) <= TOLERANCE


def test_the_readme_is_short_and_the_chinese_one_is_whole() -> None:
    english, chinese = (page.read_text(encoding="utf-8") for page in (README, CHINESE_README))
    assert len(english.split()) <= 900
    assert commands(README) == commands(CHINESE_README)
    headings = [[line for line in text.splitlines() if line.startswith("#")] for text in (english, chinese)]
    assert len(headings[0]) == len(headings[1]) == 6
    links = [re.findall(r"\]\((?:docs/)?([\w./-]+)\)", text) for text in (english, chinese)]
    other = {"README.md", "README.zh-CN.md", "tutorial.md", "tutorial.zh-CN.md"}
    assert [link for link in links[0] if link not in other] == [
        link for link in links[1] if link not in other
    ]


def test_both_tutorials_have_the_same_commands_and_figures() -> None:
    english, chinese = commands(TUTORIAL), commands(CHINESE_TUTORIAL)
    assert [line.replace("topic=travel", "topic=旅游") for line in english] == chinese
    assert load_topic("旅游") == load_topic("travel")
    texts = [page.read_text(encoding="utf-8") for page in (TUTORIAL, CHINESE_TUTORIAL)]
    shown = [re.findall(r"^```text\n.*?^```", text, re.MULTILINE | re.DOTALL) for text in texts]
    assert shown[0] == shown[1]
    rows = [re.findall(r"\| (\d+) \| (\d+) \|$", text, re.MULTILINE) for text in texts]
    assert rows[0] == rows[1] == [("300", "260"), ("300", "40")]


def test_the_example_web_is_what_the_tutorials_say() -> None:
    web = Web()
    assert (len(web.pages), len(web.hosts()), len(SUBJECTS)) == (5_745, 81, 13)
    assert "5 745 generated Chinese pages on 81 hosts" in TUTORIAL.read_text(encoding="utf-8")
    assert "81 个主机、5 745 个生成的中文网页" in CHINESE_TUTORIAL.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_tutorial_leads_to_a_searched_and_exported_corpus(follower: Follower) -> None:
    lines, text = iter(commands(TUTORIAL)), TUTORIAL.read_text(encoding="utf-8")
    web, said = Web(), ""

    def up_to(word: str, answers: str = "") -> str:
        """Follow the commands through the one that has `word`; what that one printed."""
        for line in lines:
            printed = follower.follow(line, answers if word in line else "")
            if word in line:
                return printed
        raise AssertionError(f"{word}: in no command")

    said = up_to("scrapy crawl topic -a keywords")
    assert (
        "Understood as 旅行 景区 古镇 门票 酒店: your own topic, within travel; -a topic=travel is the whole"
        in said
    )
    fetched, kept = figures(said)
    assert (fetched, near(kept, 118)) == (300, True)
    visits = follower.visits("travel")
    assert on_topic(web, visits, "travel", stored=True) == kept  # "every page kept is about travel"
    assert on_topic(web, visits, "travel") > kept  # "but the crawl also left out pages about travel"
    assert "[古镇]旅行适合自驾" in up_to("scrapy pages travel")
    said = up_to("pages travel show")
    assert "kept: relevance" in said
    assert "path from the seed:\n  http://daohang.example/" in said
    assert up_to("explain").startswith("Link ")

    said = up_to("teach", "y\n" * 5)
    about = re.search(r"of 300 pages with a text (\d+) are about it \(before: (\d+)\)", said)
    assert about is not None, said
    assert (near(int(about[1]), 145), int(about[2])) == (True, kept)
    said = up_to("pages=400")
    assert "With the topic as it was taught by 5 answers" in said
    assert figures(said)[0] == 400
    assert kept < figures(said)[1] <= 134 + TOLERANCE

    for job in ("whole", "breadth"):
        row = re.search(rf"\| `{job}`.*\| (\d+) \| (\d+) \|", text)
        assert row is not None
        fetched, kept = figures(up_to(f"JOBDIR=jobs/{job}"))
        assert (fetched, near(kept, int(row[2]))) == (int(row[1]), True), job
    hits = up_to("search")
    assert "«古镇»" in hits
    assert "«门票»" in hits

    total = sum(visit.stored for visit in follower.visits("travel"))
    assert f"{total} pages written" in up_to("travel.jsonl")
    pages = [json.loads(line) for line in (follower.folder / "travel.jsonl").read_text("utf-8").splitlines()]
    assert len(pages) == total
    assert {"url", "title", "text", "relevance", "published", "language"} <= set(pages[0])
    up_to("travel.csv")
    with (follower.folder / "travel.csv").open(encoding="utf-8-sig", newline="") as file:
        assert 0 < len([row for row in csv.DictReader(file) if float(row["relevance"]) >= 0.9]) < total
    up_to("report.html")
    assert "Harvest" in (follower.folder / "report.html").read_text(encoding="utf-8")
    page = up_to("scrapy dashboard")
    assert [job for job in ("travel", "whole", "breadth") if f'"/jobs/{job}"' not in page] == []
    up_to("unset")
    assert next(lines, None) is None


@pytest.mark.slow
def test_the_commands_of_the_readme_work(follower: Follower) -> None:
    follower.serve()
    follower.use_the_web()
    said = {line: follower.follow(line, "y\nn\nq\n" if "teach" in line else "") for line in commands(README)}
    crawl = next(printed for line, printed in said.items() if line.startswith("scrapy crawl"))
    assert figures(crawl)[0] == 500
    assert PROGRESS.search(crawl)
    assert PROGRESS.search(README.read_text(encoding="utf-8"))
    job = follower.folder / "jobs" / "funds"
    assert [name for name in ("pages.sqlite", "visits.jsonl", "job.json") if not (job / name).is_file()] == []
    assert "«基金»" in said['scrapy search "基金 定投"']
    assert '"/jobs/funds"' in said["scrapy dashboard"]
    assert (follower.folder / "pages.csv").stat().st_size > 0
    assert (follower.folder / "report.html").stat().st_size > 0


@pytest.mark.slow
def test_the_demo_prints_the_table_of_the_readme_and_its_curve_can_be_drawn(follower: Follower) -> None:
    said = follower.follow("scrapy demo")
    row = re.compile(r"^ +(100|300|600) +(\d+) +[\d.]+% +(\d+) +[\d.]+%$", re.MULTILINE)
    written, measured = (
        {pages: (int(focused), int(baseline)) for pages, focused, baseline in row.findall(text)}
        for text in (README.read_text(encoding="utf-8"), said)
    )
    assert list(written) == list(measured) == ["100", "300", "600"]
    assert [pages for pages in written if not all(map(near, measured[pages], written[pages]))] == []
    follower.follow(f"python {ROOT / 'examples' / 'harvest_curve.py'} data/demo")
    drawn = (follower.folder / "harvest.svg").read_text(encoding="utf-8")
    assert drawn.count("<polyline") == 2
    assert all(name in drawn for name in ("naive_bayes", "breadth_first", "pages fetched", "pages on topic"))
