"""The thesis' interface (MySpider, fig. 4-4 and 4-5) in a real browser: the form of parameters is filled and sent, the panels change
while the crawl runs, it is paused and stopped at any time, and its pages are searched meanwhile."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import needs_browser, open_browser, running_dashboard
from dashboard_user import LOOK_MS, stopped

from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.dashboard.job_view import PANEL_EVERY, SECONDS
from topiccrawler.engine.control.client import ask
from topiccrawler.lab.demo.crawls import DemoFiles
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer

JOB = "myspider"
FORM = {
    "Seeds": "",  # filled below
    "Formats": "html",
    "Pages": "5000",
    "Name of the job": JOB,
    "Settings": "CONCURRENT_REQUESTS=8\nDOWNLOAD_DELAY=0.5\nTOPIC_LINK_MODELS=none",
}
SITES = """() => Object.fromEntries([...document.querySelectorAll('#where tbody tr')].map(
    (row) => [row.querySelector('th bdi').textContent, Number(row.querySelector('td').textContent)]))"""
OTHER_TEXT = "([place, before]) => document.querySelector(place).innerText !== before"

pytestmark = [pytest.mark.slow, needs_browser]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("myspider")


@pytest.fixture(scope="module")
def web() -> Iterator[RunningServer]:
    with RunningServer(Web()) as server:
        yield server


@pytest.fixture(scope="module")
def page(place: Path, web: RunningServer) -> Iterator[Any]:
    """The job's page, once its form was sent."""
    files = DemoFiles(place / "demo")
    files.make_ready(web.web.seeds, ())
    (place / "data").mkdir()
    with (
        running_dashboard(place / "data", web.environment(), JOB) as link,
        open_browser(place / "profile") as context,
    ):
        page = context.new_page()
        page.goto(link)
        page.get_by_role("link", name="New job").first.click()
        page.locator("#more summary").click()
        page.get_by_label("Topic", exact=True).fill(str(files.topic))
        page.get_by_label("Strategy", exact=True).select_option("best_first")
        for label, text in {**FORM, "Seeds": "\n".join(web.web.seeds)}.items():
            page.get_by_label(label, exact=True).fill(text)
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("[data-state-badge].running")
        page.evaluate("window.loaded = 1")  # gone when the page is loaded anew
        yield page
        page.close()


def test_form_panels_and_search(page: Any, place: Path) -> None:
    """One test, since each would need a browser and a crawl of its own."""
    what_was_filled_in_is_what_runs(place / "data" / JOB)
    panels_change_while_the_crawl_runs(page)
    pages_are_searched_while_the_crawl_runs(page)
    paused_the_panels_stand_still_and_resumed_they_go_on(page)
    stopped(page)
    assert page.evaluate("window.loaded") is None  # its figures are final


def what_was_filled_in_is_what_runs(job: Path) -> None:
    status, recipe = ask(job, "status"), read_recipe(job)
    assert (recipe.strategy, recipe.link_models) == ("best_first", "none")
    assert status["limits"]["pages"] == 5000


def panels_change_while_the_crawl_runs(page: Any) -> None:
    """Sites with what was fetched of each, and what comes next, twice over; the page is never loaded anew."""
    page.wait_for_selector("#where tbody tr")
    seen = [page.evaluate(SITES)]
    for _ in range(2):
        before = {place: page.locator(place).inner_text() for place in ("#where", "#next")}
        for panel in before.items():
            page.wait_for_function(OTHER_TEXT, arg=list(panel), polling=LOOK_MS)
        seen.append(page.evaluate(SITES))
    totals = [sum(sites.values()) for sites in seen]
    assert totals == sorted(set(totals))
    assert all(host.endswith(".example") for host in seen[-1])
    for host, fetched in seen[0].items():
        assert seen[-1].get(host, fetched) >= fetched, host
    assert page.evaluate("window.loaded") == 1


def pages_are_searched_while_the_crawl_runs(page: Any) -> None:
    search = page.context.new_page()
    search.goto(re.sub(r"/jobs/.*", "/search", page.url))
    search.get_by_role("searchbox").fill("基金")
    search.get_by_label("Job").select_option(JOB)
    search.get_by_role("button", name="Search").click()
    search.wait_for_selector(".hits mark")
    found = search.locator(".hits > li").count()
    site = urlsplit(search.locator(".hits .url").first.inner_text()).hostname
    search.get_by_label("Site", exact=True).fill(site)
    search.keyboard.press("Enter")
    search.wait_for_url(f"**site={site}**")
    assert {urlsplit(url).hostname for url in search.locator(".hits .url").all_inner_texts()} == {site}
    search.get_by_label("Relevance at least").fill("1")
    search.keyboard.press("Enter")
    search.wait_for_url("**min_relevance=1**")
    assert search.locator(".hits > li").count() < found
    assert search.get_by_role("searchbox").input_value() == "基金"
    search.close()


def paused_the_panels_stand_still_and_resumed_they_go_on(page: Any) -> None:
    page.get_by_role("button", name="Pause").click()
    page.wait_for_selector("[data-state-badge].paused")
    page.wait_for_timeout(1000 * SECONDS * (PANEL_EVERY + 1))  # what was under way has come
    still = page.evaluate(SITES)
    page.wait_for_timeout(1000 * SECONDS * (PANEL_EVERY + 1))
    assert page.evaluate(SITES) == still
    before = page.locator("#where").inner_text()
    page.get_by_role("button", name="Resume").click()
    page.wait_for_function(OTHER_TEXT, arg=["#where", before], polling=LOOK_MS)
    assert sum(page.evaluate(SITES).values()) > sum(still.values())
