"""Who the dashboard answers: the browser that was given the link, and no web page in its place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[[Path], Any]


@pytest.fixture
def dashboard(open_dashboard: Open, make_job: Callable[..., Path]) -> Any:
    return open_dashboard(make_job("job").parent)


def test_the_link_is_good_once_and_gives_a_cookie_that_scripts_and_other_sites_do_not_get(
    dashboard: Any,
) -> None:
    used, fresh = (link.removeprefix(dashboard.origin) for link in dashboard.links)
    assert dashboard.ask("GET", used, {}).status == 401
    answer = dashboard.ask("GET", fresh, {})
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert "token" not in dashboard.get("/").text


def test_what_comes_from_elsewhere_is_refused(dashboard: Any) -> None:
    port = dashboard.origin.rpartition(":")[2]
    cookie = {"Cookie": dashboard.cookie}
    statuses = {
        "no cookie": dashboard.ask("GET", "/", {}).status,
        "wrong cookie": dashboard.get("/", Cookie=dashboard.cookie[:-1]).status,
        "foreign host": dashboard.get("/", Host=f"evil.example:{port}").status,
        "other port": dashboard.get("/", Host="127.0.0.1:1").status,
        "cross site": dashboard.get("/", **{"Sec-Fetch-Site": "cross-site"}).status,
        "other port of this machine": dashboard.get("/", **{"Sec-Fetch-Site": "same-site"}).status,
        "style sheet without a key": dashboard.ask("GET", "/static/dashboard.css", {}).status,
        "no form token": dashboard.ask("POST", "/jobs/job/stop", {**cookie, "Origin": dashboard.origin}, "").status,
        "foreign form": dashboard.post("/jobs/job/stop", {}, Origin="http://evil.example").status,
        "no origin": dashboard.post("/jobs/job/stop", {}, Origin="null").status,
        "cross site form": dashboard.post("/jobs/job/stop", {}, **{"Sec-Fetch-Site": "cross-site"}).status,
        "an order as a link": dashboard.get("/jobs/job/stop").status,
    }  # fmt: skip
    assert statuses == {
        **dict.fromkeys(statuses, 403),
        "no cookie": 401,
        "wrong cookie": 401,
        "style sheet without a key": 401,
        "an order as a link": 405,
    }
    own = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    assert (
        dashboard.post("/language", {"to": "zh", "back": "//evil.example"}, **own).headers["Location"] == "/"
    )


def test_every_answer_forbids_what_is_not_from_here(dashboard: Any) -> None:
    for answer in (dashboard.get("/"), dashboard.get("/jobs/none"), dashboard.ask("GET", "/", {})):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/jobs/..", "/jobs/%2e%2e/page?url=x", "/jobs/a%2fb", "/jobs/%00", "/static/../session.py", "/static/%2e%2e/app.py"]
)  # fmt: skip
def test_no_path_leads_out_of_the_data_folder(dashboard: Any, path: str) -> None:
    assert dashboard.get(path).status == 404


def test_the_style_sheet_is_there_and_its_folder_is_not_listed(dashboard: Any) -> None:
    sheet = dashboard.get("/static/dashboard.css")
    assert (sheet.status, sheet.headers["Content-Type"], sheet.headers["Cache-Control"]) == (
        200,
        "text/css",
        "no-cache",
    )
    assert dashboard.get("/static/vendor").status == 403
