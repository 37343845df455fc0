"""A job that is taught in between goes on with the command it was begun with, and fetches what the answers prefer."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl

from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.topics.catalogue import load_topic

pytestmark = pytest.mark.slow

HUB = "http://hub.example/"


def web() -> dict[str, str]:
    """A hub that links pages about gold to wear and gold to invest in; its links say the same of all."""
    pages = {}
    for number in range(20):
        host, words = ("ring", "首饰，项链和戒指。") if number % 2 else ("fund", "基金，净值和申购。")
        text = f"第{number}页，黄金，{words * 12}"
        pages[f"http://{host}.example/{number}"] = f"<title>{number}</title><p>{text}"
    links = "".join(f"<a href={url}>黄金</a>" for url in pages)
    return {HUB: f"<title>黄金</title>{links}", **pages}


def test_answers_turn_a_crawl_and_can_be_taken_back(crawl: Crawl, command: Any, tmp_path: Path) -> None:
    options = {
        "topic": None, "keywords": "黄金", "seeds": HUB, "strategy": None, "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 1,
        "TOPIC_DUPLICATES": "keep", "TOPIC_PROPOSED_WORDS": 0,
    }  # fmt: skip
    begun = crawl(web(), pages=7, **options)
    drawn, job = begun.web, begun.job
    questions = tmp_path / "questions.csv"
    assert command("topics", "teach", str(job), "--write-questions", str(questions)).code == 0
    lines = questions.read_text(encoding="utf-8-sig").splitlines()
    filled = [f"{line}{'y' if 'fund' in line else 'n'}" for line in lines[1:] if "hub" not in line]
    questions.write_text("\n".join([lines[0], *filled]), encoding="utf-8")
    ran = command("topics", "teach", str(job), "--answers", str(questions))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("6 answers, 3 yes: ")
    topic = load_topic(str(job / "topic.toml"))
    assert "taught: in 3 of your 3 yes pages, 0 of your 3 no pages" in topic.reasons["净值"]
    ran = crawl(drawn, pages=12, **options)
    assert re.search(r" 6 answers", ran.err)
    assert f"Job {job} " not in ran.err
    drawn.settle()
    # of five; untaught they are of both kinds alike
    assert sum("fund" in url for url in drawn.asked[7:]) >= 4
    kept = read_recipe(job)
    assert "净值" in kept.topic_fields["keywords"]  # type: ignore[index]
    found = json.loads(command("topics", "teach", str(job), "--undo", "--json").out)
    assert found["answers"] == 0
    assert load_topic(str(job / "topic.toml")).keywords == {"黄金": 1.0}
    assert f"job {job}: " in command("topics", "teach", str(job), "--undo").err


def test_what_is_wrong_is_said_in_one_line(command: Callable[..., Any], tmp_path: Path) -> None:
    ran = command("topics", "teach", str(tmp_path))
    assert ran.code == 1
    assert "holds no job; name the folder of a job" in ran.err
    assert len(ran.err.splitlines()) == 1
    ran = command("topics", "teach", str(tmp_path), "--questions", "0")
    assert ran.code == 2
    assert "--questions 0: give a number from 1 on" in ran.out + ran.err
