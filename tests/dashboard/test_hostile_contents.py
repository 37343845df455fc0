"""What strangers write stays text: in pages, in files for a spreadsheet, in what a crawl said."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.dashboard.jobs import OUTPUT
from topiccrawler.dashboard.texts import texts_in
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Score, Visit
from topiccrawler.store.pages import PageRecord

pytestmark = pytest.mark.slow

SCRIPT = "<script>alert(1)</script>"
OVER = f'=HYPERLINK(1)\u202e\x1b[31m\x07{SCRIPT}" onmouseover="alert(1)"'
LONG = OVER + "长" * 1_000_000
PAGES = ["", "search?q=%E5%9F%BA%E9%87%91", "jobs/NAME", *(f"jobs/NAME/{path}" for path in ("pages", "sites", "queue", "outcomes", "log", "urls?state=error&reason=no+answer", "page?url=http%3A%2F%2Fa.example%2F"))]  # fmt: skip


@pytest.fixture
def dashboard(open_dashboard: Callable[[Path], Any], make_job: Callable[..., Path]) -> Any:
    """Of a job whose every text was written by somebody who means harm."""
    page = PageRecord(url="http://a.example/", title=LONG, text=f"基金 {LONG}", topic=SCRIPT, relevance=0.5, source_url="javascript:alert(1)", anchor=LONG, summary=LONG, published=SCRIPT, author=OVER, keywords=OVER, description=OVER, canonical_url="javascript:alert(1)", language=SCRIPT, encoding=SCRIPT, format=SCRIPT, usage=OVER, licence=OVER, personal_data=OVER, opinion="no", opinion_reason=LONG)  # fmt: skip
    copy = PageRecord(url="http://b.example/", title=OVER, topic="finance", relevance=0.4, alias_of="http://a.example/")  # fmt: skip
    visits = (
        Visit("http://a.example/", 200, 1.0, 0.5, True, 1.0, "javascript:alert(1)", LONG),
        Visit(f"http://{SCRIPT}/", 0, 1.0, 0.0, False, 2.0, "http://a.example/", LONG),
    )
    job = make_job("job", page, copy, visits=visits)
    with SqliteFrontier(job / JOB_DATABASE, Hosts()) as frontier:
        for name, ended in (("next", False), ("ended", True)):
            link = Link(f"javascript:alert('{name}')", SCRIPT, OVER, source_url="data:text/html,x")
            frontier.push([(link, Score(link.url, 1.0))], now=1.0)
            if ended:
                assert frontier.lease(1.0, target=(link, Score(link.url, 1.0)))
                frontier.end(link.url, State.ERROR, "no answer", 2.0)
    (job / "control.jsonl").write_text(
        json.dumps({"time": 1.0, "verb": OVER, "pattern": OVER}), encoding="utf-8"
    )
    (job / OUTPUT).write_text(f"one\n{OVER}\n", encoding="utf-8")
    return open_dashboard(job.rename(job.with_name(f"job {SCRIPT.replace('/', '')}")).parent)


def test_no_page_has_what_was_meant_as_more_than_text(dashboard: Any) -> None:
    [name] = [line for line in dashboard.get("/").text.split('"') if line.startswith("/jobs/job")]
    for path in PAGES:
        answer = dashboard.get("/" + path.replace("jobs/NAME", name.removeprefix("/")))
        assert answer.status == 200, path
        text = answer.text
        assert "<script>alert" not in text, path
        assert 'onmouseover="' not in text, path
        assert 'href="javascript' not in text, path
        assert 'href="data' not in text, path
        assert not set(text) & set("\u202e\x1b\x07"), path
        assert len(text) < 300_000, path


def test_no_cell_of_a_table_is_a_formula_and_no_line_steers_a_terminal(dashboard: Any) -> None:
    [name] = [line for line in dashboard.get("/").text.split('"') if line.startswith("/jobs/job")]
    query = "?state=error&reason=no+answer"
    for path in (f"{name}/urls.csv{query}", f"{name}/pages.csv", f"{name}/sites.csv"):
        answer = dashboard.get(path)
        assert "attachment" in answer.headers["Content-Disposition"]
        csv.field_size_limit(10_000_000)
        cells = [cell for row in csv.reader(io.StringIO(answer.body.decode("utf-8-sig"))) for cell in row]
        assert len(cells) >= 10
        assert not set("".join(cells)) & set("\x1b\x07")
        assert not [cell for cell in cells if cell[:1] in set("=+@\t\r") and not cell[1:2].isdigit()]
    lines = dashboard.get(f"{name}/urls.jsonl{query}").body
    assert json.loads(lines)["anchor"] == OVER
    assert not set(lines) & {0x1B, 0x07}


def test_near_copies_are_named_on_either_page(dashboard: Any) -> None:
    [name] = [line for line in dashboard.get("/").text.split('"') if line.startswith("/jobs/job")]
    first, copy = (dashboard.get(f"{name}/page?url=http%3A%2F%2F{host}.example%2F").text for host in "ab")
    says = texts_in("en")
    assert says("near_copies", number=1) in first
    assert "b.example" in first
    assert says("copy_of") in copy
    assert says("near_copies", number=1) in copy
