"""A job of a user's own few words that is taught keeps other pages than before, goes on so, and takes it back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl

from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.topics.catalogue import load_topic

pytestmark = pytest.mark.slow

HUB = "http://hub.example/"
WORDS = "容器,镜像"


def web() -> dict[str, str]:
    """A hub that links pages about containers of programs and containers of glass; its links say the same of all."""
    pages = {}
    for number in range(24):
        docker, pot = (
            ("docker", "镜像", "镜像，挂载，部署，守护进程。"),
            ("pot", "玻璃容器", "容器，陶瓷，储物罐，玻璃杯。"),
        )
        host, title, words = pot if number % 2 else docker
        pages[f"http://{host}{number}.example/"] = f"<title>{title}之{number}</title><p>{words * 12}"
    links = "".join(f"<a href={url}>文章</a>" for url in pages)
    return {HUB: f"<title>目录</title>{links}", **pages}


def test_answers_change_what_a_narrow_crawl_keeps(crawl: Crawl, command: Any, tmp_path: Path) -> None:
    options = {
        "topic": None, "keywords": WORDS, "seeds": HUB, "strategy": None, "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 1,
        "TOPIC_DUPLICATES": "keep",
    }  # fmt: skip
    begun = crawl(web(), pages=13, **options)
    drawn, job = begun.web, begun.job
    before = load_topic(str(job / "topic.toml"))
    assert before.narrow
    asked = [url for url in drawn.asked if "hub" not in url and "robots" not in url]
    answers = tmp_path / "answers.csv"
    rows = [f"{url},{'y' if 'docker' in url else 'n'}" for url in asked[:10]]
    answers.write_text("\n".join(["url,answer", *rows]), encoding="utf-8")
    found = json.loads(command("topics", "teach", str(job), "--answers", str(answers), "--json").out)
    assert found["answers"] == 10
    assert found["kept_now"] < found["kept_before"]
    assert "容器" in found["trust"]
    assert "储物罐" in found["against"]
    topic = load_topic(str(job / "topic.toml"))
    assert topic.trust["容器"] < 0.5
    assert "镜像" not in topic.trust
    assert "no pages" in topic.reasons["容器"]
    recipe = read_recipe(job)
    assert recipe.strategy_topic is None  # the strategy learns from pages as they are judged now
    assert found["refused"] == found["kept_before"] - found["kept_now"]
    assert not any("pot" in record for record in _kept(command, job))  # they left the results at once
    refused = _kept(command, job, "--refused")
    assert len(refused) == found["refused"]
    assert all("pot" in record for record in refused)
    ran = crawl(drawn, pages=25, **options)
    assert " 10 answers" in ran.err
    # none of the pots that came since either
    assert not any("pot" in record for record in _kept(command, job))
    command("topics", "teach", str(job), "--undo")
    assert sum("pot" in record for record in _kept(command, job)) >= len(refused)
    assert _kept(command, job, "--refused") == []
    assert load_topic(str(job / "topic.toml")) == before


def _kept(command: Callable[..., Any], job: Path, *options: str) -> list[str]:
    lines = command("pages", str(job), "--json", *options).out.splitlines()
    return [line for line in lines if "example" in line]
