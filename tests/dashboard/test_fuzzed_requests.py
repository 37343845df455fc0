"""No request, however it is made, is answered with a fault of the program."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from damaged_inputs import TEXTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from page_records import PAGE

from topiccrawler.model import Visit

pytestmark = pytest.mark.slow
FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
GETS = ["", "new", "jobs-table", "search", "static/x", *(f"jobs/job{path}" for path in ("", "/events", "/reading", "/curve.json", "/queue", "/outcomes", "/log", "/sites", "/sites.csv", "/urls", "/pages", "/page", "/urls.csv", "/urls.jsonl", "/pages.csv", "/pages.jsonl"))]  # fmt: skip
NAMES = ["q", "url", "state", "reason", "site", "sort", "order", "page", "n", "from", "since", "min", "kind", "host", "topic", "after", "back", "to"]  # fmt: skip
WORDS = st.one_of(st.sampled_from([*TEXTS, "http://a.cn/1", "error", "kept", "基金", "-1", "9" * 30, "nan", "1e9", '"', "a OR (", "*"]), st.text(max_size=10))  # fmt: skip
FORM = ["topic", "keywords", "seeds", "strategy", "pages", "targets", "name", "value", "pattern", "site", "settings", "form", "page_classifier", "verb"]  # fmt: skip


def escaped(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass")[:300], safe="")


@pytest.fixture
def dashboard(open_dashboard: Callable[[Path], Any], make_job: Callable[..., Path]) -> Any:
    job = make_job("job", PAGE, visits=(Visit(PAGE.url, 200, 1.0, 0.75, True, 1.0, PAGE.source_url, "定投"),))
    return open_dashboard(job.parent)


def test_of_pages(dashboard: Any, caplog: pytest.LogCaptureFixture) -> None:
    @FUZZ
    @given(
        st.sampled_from([path for path in GETS if not path.endswith("/events")]),
        st.one_of(st.just(""), WORDS),
        st.lists(st.tuples(st.sampled_from(NAMES), WORDS), max_size=3),
        st.sampled_from(["", "zh-CN", "en;q=x", "\xff", "*" * 100]),
    )
    def ask(path: str, more: str, query: list[tuple[str, str]], language: str) -> None:
        path = f"/{path}{escaped(more)}?" + "&".join(f"{name}={escaped(value)}" for name, value in query)
        answer = dashboard.get(path, **{"Accept-Language": language})
        assert answer.status < 500, path

    ask()
    assert "failed" not in caplog.text


def test_a_job_whose_name_no_file_can_have_is_none(dashboard: Any) -> None:
    assert dashboard.get(f"/jobs/{'a' * 300}").status == dashboard.get("/jobs/none").status == 404


def test_of_forms(dashboard: Any, caplog: pytest.LogCaptureFixture) -> None:
    """No job is begun: its topic is none."""

    @FUZZ
    @given(
        st.sampled_from(
            ["new", "language", "jobs/job/set", "jobs/job/block", "jobs/job/pause", "jobs/none/stop"]
        ),
        st.dictionaries(st.sampled_from(FORM), WORDS, max_size=4),
    )
    def send(path: str, form: dict[str, str]) -> None:
        if path == "new":
            form["topic"] = "no such topic"
        form = {name: value.encode("utf-8", "replace").decode() for name, value in form.items()}
        answer = dashboard.post(f"/{path}", form)
        assert answer.status < 500, (path, urlencode(form))

    send()
    assert "failed" not in caplog.text
