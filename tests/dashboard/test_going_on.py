"""What a folder says of how its job was started is believed as far as a form is. The real way: tests/end_to_end/test_dashboard.py."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.dashboard import starting
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.dashboard.starting import ORDER, can_go_on, go_on
from topiccrawler.errors import StateError
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Score, Visit

DEFAULTS = {"TOPIC": None, "TOPIC_STRATEGY": "adaptive"}
ARGUMENTS = {"topic": "finance", "seeds": "http://a.example/"}


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("{", "is damaged"),
        ([], "is damaged"),
        ({"arguments": ARGUMENTS}, "is damaged"),
        ({"arguments": {"topic": 7}, "settings": {}}, "is damaged"),
        ({"arguments": {**ARGUMENTS, "job": "x"}, "settings": {}}, "argument 'job': "),
        ({"arguments": {**ARGUMENTS, "x\n": "x"}, "settings": {}}, "argument 'x"),
        ({"arguments": {"topic": "finanse"}, "settings": {}}, "'finanse': .* finance"),
        ({"arguments": ARGUMENTS, "settings": {"EXTENSIONS": "{}"}}, "setting EXTENSIONS: "),
        ({"arguments": ARGUMENTS, "settings": {"TOPIC_BROWSER": "/bin/sh"}}, "setting TOPIC_BROWSER: "),
        ({"arguments": ARGUMENTS, "settings": {"STORE_URL": "postgresql://h/d"}}, "setting STORE_URL: "),
    ],
)
def test_no_more_is_started_than_a_form_may(make_job: Callable[..., Path], kept: Any, said: str) -> None:
    folder = make_job("old")
    (folder / ORDER).write_text(kept if isinstance(kept, str) else json.dumps(kept))
    jobs = Jobs(folder.parent)
    with pytest.raises(StateError, match=said):
        go_on(jobs.get("old"), jobs, DEFAULTS)


def test_a_job_of_the_command_line_goes_on_by_its_folder(
    make_job: Callable[..., Path], open_dashboard: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_job("old", visits=(Visit("http://a.example/", 200, 1.0, 0.9, True, 1.0),))
    jobs, begun = Jobs(folder.parent), list[tuple[dict[str, str], Path]]()
    monkeypatch.setattr(starting, "begin", lambda order, _, place: begun.append((order.arguments, place)))
    assert not can_go_on(jobs.get("old"))
    with pytest.raises(StateError, match="JOBDIR"):
        go_on(jobs.get("old"), jobs, DEFAULTS)
    dashboard = open_dashboard(folder.parent)
    assert "/jobs/old/go-on" not in dashboard.get("/jobs/old").text
    assert "JOBDIR" in dashboard.post("/jobs/old/go-on", {}).text
    with SqliteFrontier(folder / JOB_DATABASE) as frontier:
        frontier.push([(Link("http://a.example/1", "a.example"), Score("http://a.example/1", 1.0))], now=0.0)
    assert "/jobs/old/go-on" in dashboard.get("/jobs/old").text
    assert dashboard.post("/jobs/old/go-on", {"pages": "70"}).headers["Location"] == "/jobs/old"
    go_on(jobs.get("old"), jobs, DEFAULTS)
    assert begun == [({"pages": "70"}, folder), ({}, folder)]
    with pytest.raises(StateError, match="argument -a pages=many"):
        go_on(jobs.get("old"), jobs, DEFAULTS, "many")


def test_a_running_job_is_not_started_twice(make_job: Callable[..., Path]) -> None:
    folder = make_job("old")
    (folder / ORDER).write_text(json.dumps({"arguments": ARGUMENTS, "settings": {}}))
    jobs = Jobs(folder.parent)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        job = jobs.started("old", process)
        with pytest.raises(StateError, match="is running"):
            go_on(job, jobs, DEFAULTS)
        process.kill()
