"""The dashboard in a real browser, on a real crawl of the synthetic web: one start of each for all that is seen."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import needs_browser, open_browser, running_dashboard
from dashboard_user import (
    HOSTILE,
    JOB,
    TYPED,
    Seen,
    changed,
    figure_moves,
    filled_by_keyboard,
    gone_on,
    looked_over,
    paused,
    searched,
    started,
    stopped,
    taught,
)
from message_facts import numbers

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.dashboard.job_form import FIELDS
from topiccrawler.dashboard.texts import texts_in
from topiccrawler.engine.control.client import orders
from topiccrawler.lab.demo.crawls import DemoFiles
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer
from topiccrawler.model import Visit
from topiccrawler.store.pages import PageRecord

OVER = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>\u202e\x1b[31m"
TITLE = OVER + "基金" * 50_000

pytestmark = [pytest.mark.slow, needs_browser]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one job, of pages that want to break out."""
    folder = tmp_path_factory.mktemp("dashboard") / "data"
    files = JobFiles(folder / HOSTILE, Recipe("finance", "breadth_first"))
    files.begin()
    seed = "http://a.example/"
    page = PageRecord(url=seed, title=TITLE, text=OVER + "基金", topic="finance", relevance=0.9, fetched=1.0, source_url="javascript:alert(1)", anchor=OVER, keywords=OVER, author="=1+1", format="html")  # fmt: skip
    files.keep(page)
    files.visits.append(Visit(seed, 200, 1.0, 0.9, True, 1.0, "javascript:alert(1)", OVER))
    files.visits.append(
        Visit("http://<script>window.broken=1</script>/", 404, 1.0, 0.0, False, 2.0, seed, OVER)
    )
    files.close()
    return folder


@pytest.fixture(scope="module")
def web() -> Iterator[RunningServer]:
    with RunningServer(Web()) as server:
        yield server


@pytest.fixture(scope="module")
def link(data: Path, web: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a running dashboard, as a user starts it."""
    with running_dashboard(data, web.environment(), JOB) as address:
        yield address


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_browser(tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture(scope="module")
def seen(
    browser: Any, link: str, data: Path, web: RunningServer, tmp_path_factory: pytest.TempPathFactory
) -> Seen:
    """The whole way: start from the form, watch, pause, change, resume, stop, go on, stop, search, read why."""
    files, seen = DemoFiles(tmp_path_factory.mktemp("demo")), Seen()
    files.make_ready(web.web.seeds, ())
    page = browser.new_page()
    page.on(
        "console",
        lambda reported: (
            seen.complaints.append(f"{reported.location['url']}: {reported.text}")
            if reported.type == "error"
            else None
        ),
    )
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (seen.complaints.append(dialog.message), dialog.dismiss()))
    page.goto(link)
    seen.values["entered"] = page.url
    page.keyboard.press("Tab")
    seen.values["first"] = page.evaluate("document.activeElement.getAttribute('href')")
    page.keyboard.press("Enter")
    seen.values["skipped to"] = page.evaluate("document.activeElement.id")
    filled_by_keyboard(page, seen)
    seen.complaints.clear()  # the browser notes the refusal's status
    started(page, files, seen)
    paused(page, data / JOB, web, seen)
    changed(page, seen)
    held = len(web.requests)
    page.get_by_role("button", name="Resume").press("Enter")
    page.wait_for_selector("[data-state-badge].running")
    figure_moves(page, "pages")
    taught(page, seen)
    seen.values["held"], seen.values["resumed"] = held, len(web.requests)
    stopped(page)
    gone_on(page, data / JOB, seen)
    stopped(page)
    seen.values["orders"] = list(orders(data / JOB))
    seen.values["told"] = page.locator(".about").inner_text()
    searched(page, seen)
    looked_over(page, link.partition("?")[0], seen)
    page.close()
    return seen


def test_in_a_browser(seen: Seen) -> None:
    """One test, since tests of one file may run in several processes, each with a browser and a crawl of its own."""
    a_job_is_started_from_the_form_and_its_figures_move(seen)
    paused_no_request_reaches_the_web_until_it_is_resumed(seen)
    a_change_is_shown_before_it_is_made(seen)
    the_form_and_the_answers_need_no_mouse(seen)
    a_stopped_job_goes_on_where_it_was(seen)
    every_order_stands_in_the_journal_and_on_the_page(seen)
    a_page_is_searched_and_says_why_it_was_kept(seen)
    every_page_fits_and_is_named_in_both_widths_and_languages(seen)
    what_comes_out_of_the_web_is_inert(seen)


def a_job_is_started_from_the_form_and_its_figures_move(seen: Seen) -> None:
    assert "token" not in seen["entered"]
    assert "argument -a pages=many" in seen["refused"]
    assert seen["kept"].startswith("DOWNLOAD_DELAY=3")
    assert all(before != after for before, after in seen["figures"])
    assert ".example" in seen["next"]
    assert seen["path"] > 1


def paused_no_request_reaches_the_web_until_it_is_resumed(seen: Seen) -> None:
    assert seen["last"] <= 2.0
    assert seen["resumed"] > seen["held"]
    assert seen["focus"] == "Resume"


def a_change_is_shown_before_it_is_made(seen: Seen) -> None:
    assert re.match(r"link_threshold .*\b0\.99\b\D.*\b\d+ \w+ \d+ queued", seen["Preview"])
    assert re.match(r"link_threshold is 0\.99, was .*refuses \d+ of \d+ queued", seen["Set"])
    assert " 0 to 1" in seen["fault"]
    dropped, queued = map(int, re.findall(r"\d+", seen["block"]))
    assert dropped == queued > 0


def the_form_and_the_answers_need_no_mouse(seen: Seen) -> None:
    assert sorted(seen["reached"]) == sorted(FIELDS)
    assert seen["typed"] == {"strategy": seen["typed"]["strategy"], **TYPED}
    assert seen["typed"]["strategy"]
    assert "argument -a until=2" in seen["typed fault"]
    assert seen["focus after faults"] == "until"
    assert seen["checked"] == ["yes", "no"]
    assert numbers(seen["taught"])[:2] == ["2", "1"]
    assert len(numbers(seen["taught"])) >= 4  # words, scores


def a_stopped_job_goes_on_where_it_was(seen: Seen) -> None:
    before, after = seen["gone on"]
    assert 0 < before < after


def every_order_stands_in_the_journal_and_on_the_page(seen: Seen) -> None:
    assert [order["verb"] for order in seen["orders"]] == [
        "pause",
        "set",
        "set",
        "resume",
        "teach",
        "stop",
        "stop",
    ]
    assert "Orders given (7)" in seen["told"]


def a_page_is_searched_and_says_why_it_was_kept(seen: Seen) -> None:
    assert texts_in("en")("words_that_count") in seen["why"]
    assert seen["words"] > 0
    assert seen["way"] > 1


def every_page_fits_and_is_named_in_both_widths_and_languages(seen: Seen) -> None:
    for (width, path), look in seen["looks"].items():
        assert look["status"] == 200, path
        assert not look["sticksOut"], (width, path)
        assert (look["headings"], look["nameless"]) == (1, 0), path
        assert look["language"] == {390: "zh-Hans", 1600: "en"}[width]
    assert (seen["first"], seen["skipped to"]) == ("#main", "main")
    assert len({look["ground"] for look in seen["looks"].values()}) == 2


def what_comes_out_of_the_web_is_inert(seen: Seen) -> None:
    for (_, path), look in seen["looks"].items():
        assert not look["broken"], path
        assert (look["links"], look["outside"]) == (0, 0), path
        assert look["longest"] < 5_000, path
    assert seen.complaints == []
