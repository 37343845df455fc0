"""What a terminal's encoding lacks is escaped; a crawl of the web finds such characters, and no command ends because of them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

WORDS = "围棋,🀄麻将,ßü"


@pytest.mark.parametrize(
    ("encoding", "displayed"),
    [
        ("utf-8", "围棋、🀄麻将、ßü"),
        ("gb18030", "围棋、🀄麻将、ßü"),
        ("gbk", r"围棋、\ud83c\udc04麻将、\u00dfü"),
        ("ascii", r"\u56f4\u68cb\u3001\ud83c\udc04\u9ebb\u5c06\u3001\u00df\u00fc"),
    ],
)
def test_a_terminal_shows_what_it_can_and_json_keeps_its_meaning(
    command: Callable[..., Any], encoding: str, displayed: str
) -> None:
    ran = command("topics", "show", WORDS, encoding=encoding)
    assert (ran.code, ran.out.splitlines()[0]) == (0, displayed)
    ran = command("topics", "show", WORDS, "--json", encoding=encoding)
    assert (ran.code, json.loads(ran.out)["zh"]) == (0, WORDS.replace(",", "、"))
