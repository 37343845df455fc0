"""A call that cannot be meant is one line and exit code 2, and nothing is logged before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["topc"], "spider 'topc': is unknown; did you mean topic?"),
        (["weather"], "spider 'weather': is unknown; known spiders: links, topic"),
        (["topic", "finance"], "'finance' is not expected; arguments are given with -a NAME=VALUE"),
        (["topic", "--nope"], "'--nope' is not expected"),
        (["topic", "-a", "topic"], "Invalid -a value, use -a NAME=VALUE"),
        (["topic", "-s", "LOG_LEVEL"], "Invalid -s value, use -s NAME=VALUE"),
        (["topic", "-L", "LOUD"], "LOG_LEVEL 'LOUD' is unknown; use DEBUG, INFO"),
        (["topic", "-o", "out.pages"], "Unrecognized output format 'pages'"),
    ],
)
def test_a_wrong_call_is_one_line(command: Callable[..., Any], words: list[str], fault: str) -> None:
    ran = command("crawl", *words)
    assert ran.code == 2
    assert ran.err.startswith(f"scrapy crawl: {fault}")
    assert ran.err.count("\n") == 1
    assert ran.out == ""
