"""A topic made of a user's words is called by them wherever the dashboard shows it; its id is where programs read it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.dashboard.texts import texts_in
from topiccrawler.model import Visit
from topiccrawler.store.pages import PageRecord
from topiccrawler.topics.subjects import terms_for

PAGE = "http://a.example/"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    recipe = recipe_of_words(Recipe("", "breadth_first"), ["考研", "高考"], 50)
    files = JobFiles(tmp_path / "job", recipe)
    files.begin()
    files.keep(PageRecord(url=PAGE, title="考研", text="考研 高考", relevance=0.5, topic=recipe.topic))
    files.visits.append(Visit(PAGE, 200, 1.0, 0.5, stored=True, time=1.0))
    files.close()
    return tmp_path


def test_jobs_and_pages_show_the_words(data: Path, open_dashboard: Callable[[Path], Any]) -> None:
    dashboard = open_dashboard(data)
    topic = json.loads((data / "job" / "job.json").read_text(encoding="utf-8"))["topic"]
    assert topic.startswith("keywords-")
    for path in ("/", "/jobs/job", f"/jobs/job/page?url={quote(PAGE, safe='')}"):
        text = dashboard.get(path).text
        assert "考研、高考" in text, path
        assert topic not in text, path
    for asked, found in (("考研、高考", True), (topic, True), ("高考", False)):
        listed = dashboard.get(f"/jobs/job/pages?topic={quote(asked)}").text
        assert (f"url={quote(PAGE, safe='')}" in listed) is found, asked


def test_a_page_and_a_job_show_both_heads(data: Path, open_dashboard: Callable[[Path], Any]) -> None:
    dashboard = open_dashboard(data)
    while "hx-trigger" in (job := dashboard.get("/jobs/job/reading").text):
        pass  # it is still read
    assert "考研 高考: " in job
    assert texts_in("en")("judging_words") in job
    numbers = {
        name: int(re.search(re.escape(texts_in("en")(name, number=77)).replace("77", "([0-9]+)"), job)[1])
        for name in ("terms", "leading_words")
    }
    assert numbers["terms"] == len(terms_for(["考研", "高考"])) > 3
    assert 20 < numbers["leading_words"] < 50
    page = dashboard.get(f"/jobs/job/page?url={quote(PAGE, safe='')}", **{"Accept-Language": "zh"}).text
    assert "相似度（链接按它排序） <b>" in page
