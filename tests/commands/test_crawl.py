"""A call that cannot be meant is one line and exit code 2, and nothing is logged before it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["topc"], r"spider 'topc': .*\btopic\?"),
        (["weather"], "spider 'weather': .*: links, topic"),
        (["topic", "finance"], "'finance' .* -a NAME=VALUE"),
        (["topic", "--nope"], "'--nope' "),
        (["topic", "-a", "topic"], "Invalid -a value, use -a NAME=VALUE"),
        (["topic", "-s", "LOG_LEVEL"], "Invalid -s value, use -s NAME=VALUE"),
        (["topic", "-L", "LOUD"], "LOG_LEVEL 'LOUD' .*DEBUG, INFO"),
        (["topic", "-o", "out.pages"], ".* 'pages'"),
    ],
)
def test_a_wrong_call_is_one_line(command: Callable[..., Any], words: list[str], fault: str) -> None:
    ran = command("crawl", *words)
    assert ran.code == 2
    assert re.match(f"scrapy crawl: {fault}", ran.err)
    assert ran.err.count("\n") == 1
    assert ran.out == ""
