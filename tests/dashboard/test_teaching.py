"""A person's answers in the dashboard teach a job as `scrapy topics teach` does; what its pages are called hurts nobody."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from two_meanings import BASKETBALL, SPACE, job_of, texts_of

from topiccrawler.crawling.job_files import JobFiles, read_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.teaching import answered
from topiccrawler.dashboard.teaching import answers_in
from topiccrawler.dashboard.texts import texts_in
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import PageRecord

HOSTILE = '"><script>window.broken = 1</script>\u202e<img src=x onerror=alert(1)>'
OFF = "http://off.example/<script>"


def url(number: int) -> str:
    return f"http://a.example/{number}"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A job of nine pages, one of them hostile, and one that was not kept."""
    files = JobFiles(tmp_path / "job", recipe_of_words(Recipe("", "breadth_first"), ["考研", "高考"], 50))
    files.begin()
    for number in range(9):
        title = HOSTILE if number == 0 else f"考研 {number}"
        text = f"考研 高考 复习 资料 {number} " * 12
        files.keep(PageRecord(url=url(number), title=title, text=text, relevance=0.95 - 0.05 * number))
        files.visits.append(Visit(url(number), 200, 1.0, 0.9, stored=True, time=1.0))
    files.visits.append(Visit(OFF, 200, 1.0, 0.4, stored=False, time=2.0))
    files.close()
    sample = PageSample(files.folder / JOB_DATABASE, 9)
    sample.add(PageRecord(url=OFF, title="", text="足球 比赛 " * 40, relevance=0.4, stored=False))
    sample.close()
    return tmp_path


def asked(text: str) -> list[str]:
    return re.findall(r'name="url-\d+" value="([^"]*)"', text)


def test_five_best_and_the_uncertain_are_asked_about_and_nothing_breaks_out(
    data: Path, open_dashboard: Callable[[Path], Any]
) -> None:
    dashboard = open_dashboard(data)
    assert 'hx-get="/jobs/job/teach"' in dashboard.get("/jobs/job").text
    text = dashboard.get("/jobs/job/teach").text
    assert asked(text)[:5] == [url(number) for number in range(5)]
    assert asked(text)[5:] == [*(url(number) for number in range(5, 9)), "http://off.example/&lt;script&gt;"]
    assert "<script>window" not in text
    snippets = re.findall(r'<bdi class="snippet">(.*?)</bdi>', text)
    assert snippets[4].startswith("考研 高考 复习 资料 4")
    assert snippets[-1].startswith("足球 比赛")
    assert max(map(len, snippets)) < 170
    assert "<img" not in text
    assert "\u202e" not in text
    assert text.count('type="radio"') == 20
    part = dashboard.get("/jobs/job/teach", **{"HX-Request": "true"}).text
    assert part.lstrip().startswith('<div id="teach">')


def test_it_asks_which_of_two_kinds_of_pages_is_meant_until_it_is_taught(
    make_job: Callable[..., Path], open_dashboard: Callable[[Path], Any]
) -> None:
    folder = job_of(make_job, texts_of(SPACE, 12) + texts_of(BASKETBALL, 9))
    dashboard = open_dashboard(folder.parent)
    text = dashboard.get("/jobs/rockets/teach").text
    assert texts_in("en")("teach_kinds", number=21) in text
    assert {"http://a.cn/0", "http://a.cn/12"} & set(asked(text)[:2])  # a sure one of each
    assert len({int(url.rpartition("/")[2]) < 12 for url in asked(text)[:2]}) == 2
    page = asked(text)[0]
    taught = dashboard.post("/jobs/rockets/teach", {"url-1": page, "answer-1": "yes"}).text
    assert 'id="teach-said"' in taught
    assert "teach-kinds" not in taught


def test_answers_teach_the_topic_and_are_taken_back(
    data: Path, open_dashboard: Callable[[Path], Any]
) -> None:
    dashboard, job = open_dashboard(data), data / "job"
    before = read_recipe(job)
    form = {"url-1": url(0), "answer-1": "yes", "url-2": url(1), "url-3": OFF, "answer-3": "no"}
    form |= {"url-4": "http://unknown.example/", "answer-4": "yes"}
    text = dashboard.post("/jobs/job/teach", form).text
    assert re.search(r" 2 \w+ \(1 \w+\)", text)
    assert answered(job) == {url(0): True, OFF: False}
    assert url(0) not in asked(text)
    taught = read_recipe(job)
    assert taught is not None
    assert before is not None
    assert taught.topic_fields != before.topic_fields
    assert dashboard.post("/jobs/job/teach", {"undo": "1"}).status == 200
    assert (answered(job), read_recipe(job).topic_fields["keywords"]) == ({}, before.topic_fields["keywords"])
    assert texts_in("en")("said_no_answers") in dashboard.post("/jobs/job/teach", {"url-1": url(0)}).text
    assert "job " in dashboard.post("/jobs/job/teach", {"undo": "1"}).text


def test_only_a_form_of_the_dashboard_teaches(data: Path, open_dashboard: Callable[[Path], Any]) -> None:
    dashboard = open_dashboard(data)
    form = {"url-1": url(0), "answer-1": "yes"}
    assert dashboard.post("/jobs/job/teach", {**form, "form": "forged"}).status == 403
    assert dashboard.post("/jobs/job/teach", form, Origin="http://evil.example").status == 403
    assert dashboard.post("/jobs/job/teach", form, Cookie="").status == 401
    assert answered(data / "job") == {}


def test_answers_are_read_by_their_numbers() -> None:
    form = {
        "url-1": "a",
        "answer-1": "yes",
        "url-2": "b",
        "answer-2": "perhaps",
        "url-3": "c",
        "answer-9": "no",
    }
    assert answers_in(form) == {"a": True}


@pytest.mark.parametrize(
    ("language", "said"), [("en", "考研 高考: your own topic"), ("zh", "考研 高考：您自己的主题")]
)
def test_how_the_words_were_understood_is_told_in_the_language_of_the_page(
    data: Path, open_dashboard: Callable[[Path], Any], language: str, said: str
) -> None:
    dashboard = open_dashboard(data)
    while "hx-trigger" in dashboard.get("/jobs/job/reading").text:
        pass
    assert said in dashboard.get("/jobs/job", **{"Accept-Language": language}).text


def test_answers_of_a_list_judge_its_pages_and_lead_back_to_it(
    make_job: Callable[..., Path], open_dashboard: Callable[[Path], Any]
) -> None:
    folder = job_of(
        make_job, [f"火箭，{text}火箭的消息。" for text in texts_of(SPACE, 12) + texts_of(BASKETBALL, 9)]
    )
    dashboard = open_dashboard(folder.parent)
    games = [f"http://a.cn/{12 + at}" for at in range(4)]
    listed = dashboard.get("/jobs/rockets/pages").text
    assert set(games) <= set(asked(listed))
    form = {"back": "/jobs/rockets/pages?site=a.cn"}
    for at, game in enumerate(games):
        form |= {f"url-{at}": game, f"job-{at}": "rockets", f"answer-{at}": "no"}
    sent = dashboard.post("/answers", form)
    assert (sent.status, sent.headers["Location"]) == (303, form["back"])
    listed = dashboard.get(form["back"]).text
    left = [int(url.rpartition("/")[2]) for url in asked(listed)]
    assert len(left) == 12
    assert max(left) < 12
    assert texts_in("en")("said_judged", kept=12, before=21, refused=9) in listed
    assert 'class="said"' not in dashboard.get(form["back"]).text  # it is said once
    assert len(asked(dashboard.get("/jobs/rockets/pages?refused=1").text)) == 9
    lines = dashboard.get("/jobs/rockets/pages.csv").text.splitlines()
    assert sum("http://a.cn/" in line for line in lines) == 12
    for back in ("//evil.example/", "http://evil.example/", "/\\evil.example"):
        assert dashboard.post("/answers", {**form, "back": back}).headers["Location"] == "/"
