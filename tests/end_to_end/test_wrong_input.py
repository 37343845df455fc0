"""Each wrong input ends with one line that names it, its fault and a remedy; exit status 1; nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASES = {
    "unknown topic": (
        {"topic": "finanse"},
        "topic 'finanse': is not in the catalogue; did you mean finance?",
    ),
    "no topic": (
        {"topic": None},
        "argument 'topic': is missing; for example: scrapy crawl topic -a topic=finance",
    ),
    "unknown strategy": (
        {"strategy": "best_frist"},
        "strategy 'best_frist': is unknown; did you mean 'best_first'?",
    ),
    "unknown parameter": (
        {"strategy_x": "1"},
        "strategy parameter 'x': best_first does not have it; its parameters: none",
    ),
    "unknown argument": ({"page": "3"}, "argument -a page=3: is unknown; known arguments: topic, seeds,"),
    "pages is no number": ({"pages": "many"}, "argument -a pages=many: input should be a valid integer"),
    "seeds file is missing": ({"seeds": "no/such/file.txt"}, "no/such/file.txt"),
    "seed is no URL": ({"seeds": "http://ok.example/,ftp://bad.example/"}, "ftp://bad.example/"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line_names_input_fault_and_remedy(scrapy: Callable[..., Any], tmp_path: Path, case: str) -> None:
    arguments, message = CASES[case]
    given = {"topic": "finance", "seeds": "http://a.example/", "strategy": "best_first", **arguments}
    words = [word for name, value in given.items() if value is not None for word in ("-a", f"{name}={value}")]
    ran = scrapy("crawl", "topic", *words, "-s", "LOG_LEVEL=ERROR", "-s", f"TOPIC_DATA_DIR={tmp_path}")
    assert ran.code == 1
    assert ran.out == ""
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert "; " in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [None, "{", '{"version": 99}', "NaN"])
def test_a_missing_or_damaged_model_is_one_line(
    scrapy: Callable[..., Any], tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "finance.json").write_text(content)
    ran = scrapy(
        "crawl", "topic", "-a", "topic=finance", "-a", "seeds=http://a.example/", "-s", "LOG_LEVEL=ERROR",
        "-s", f"TOPIC_LINK_MODELS={tmp_path}",
    )  # fmt: skip
    assert ran.code == 1
    assert "finance.json" in ran.err
    assert "scrapy train" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(("name", "content"), [("frontier.sqlite", b"this is no database" * 100)])
def test_a_damaged_job_folder_is_one_line(
    scrapy: Callable[..., Any], tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    ran = scrapy(
        "crawl", "topic", "-a", "topic=finance", "-a", "strategy=best_first", "-a", "seeds=http://a.example/",
        "-s", "LOG_LEVEL=ERROR", "-s", f"JOBDIR={tmp_path}",
    )  # fmt: skip
    assert ran.code == 1
    assert name in ran.err
    assert ran.err.count("\n") == 1
    assert (tmp_path / name).read_bytes() == content


def test_an_unreadable_recorded_web_is_one_line_in_any_command(
    scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    ran = scrapy(
        "fetch",
        "http://a.example/",
        "-s",
        f"REPLAY_WARC={tmp_path / 'none.warc.gz'}",
        "-s",
        "LOG_LEVEL=ERROR",
    )
    assert ran.code == 1
    assert "none.warc.gz" in ran.err
    assert ran.err.count("\n") == 1
