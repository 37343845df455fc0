"""A call that cannot be meant ends with one line that says so; the calls are in wrong_calls.toml."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler import commands
from topiccrawler.model import Visit
from topiccrawler.store.pages import PageRecord

CALLS: dict[str, list[tuple[list[str], int, str]]] = tomllib.loads(
    Path(__file__).with_name("wrong_calls.toml").read_text(encoding="utf-8")
)
USAGE = 2  # the exit code of a wrong call; its message stands below the usage
REACTOR = ("parse", "read", "seeds")  # commands that run in a process of their own


def test_every_command_has_wrong_calls() -> None:
    assert sorted(CALLS) == sorted(path.stem for path in Path(commands.__file__).parent.glob("[a-z]*.py"))


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    fund = PageRecord(url="http://a.cn/1", title="基金", text="基金定投", topic="finance", relevance=0.5)
    return make_job("funds", fund, visits=(Visit(fund.url, 200, 1.0, 0.5, stored=True, time=1.0),))


@pytest.mark.parametrize(
    ("name", "words", "code", "message"), [(name, *call) for name, calls in CALLS.items() for call in calls]
)
def test_a_wrong_call_is_one_line(
    command: Callable[..., Any],
    forked_scrapy: Callable[..., Any],
    job: Path,
    name: str,
    words: list[str],
    code: int,
    message: str,
) -> None:
    places = {"JOB": str(job), "TOPIC_DATA_DIR=DATA": f"TOPIC_DATA_DIR={job.parent}"}
    ran = (forked_scrapy if name in REACTOR else command)(name, *(places.get(word, word) for word in words))
    assert ran.code == code
    assert re.search(message, ran.err + ran.out, re.MULTILINE)
    assert "Traceback" not in ran.err
    assert (ran.err + ran.out).count("Usage\n") <= 1
    assert code == USAGE or len(ran.err.splitlines()) == 1
