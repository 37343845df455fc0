"""`scrapy topics learn` as users run it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_web import answer
from message_facts import numbers

from topiccrawler.topics.catalogue import load_topic

pytestmark = pytest.mark.slow

TEA, BALL = "龙井和普洱都是茶叶，茶园在山上。", "足球比赛的射门，球员在场上。"


@pytest.fixture
def documents(tmp_path: Path) -> str:
    file = tmp_path / "docs.jsonl"
    rows = [{"label": "tea", "title": "茶叶", "text": TEA}] * 12 + [{"label": "ball", "text": BALL}] * 12
    lines = (json.dumps({**row, "url": f"http://a.example/{n}"}) for n, row in enumerate(rows))
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def test_a_topic_is_learned_from_documents_and_says_why_each_word(
    command: Callable[..., Any], documents: str, tmp_path: Path
) -> None:
    place = str(tmp_path / "tea.toml")
    call = ("topics", "learn", "tea", "--zh", "茶", "--positive", documents, "--negative", documents)
    ran = command(*call, "--near", "5", "--out", place)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert numbers(lines[0])[1:3] == ["12", "12"]
    assert " food: " in lines[1]
    assert lines[2].startswith("held out: F1 1.000")
    assert numbers(lines[3])[:3] == ["12", "30", "100.0"]
    assert lines[-1].count(place) == 3
    topic = load_topic(place)
    assert (topic.zh, topic.reasons["茶园"]) == ("茶", "in 12 of 12 pages, 0 of 12 others")
    printed = command("topics", "show", place).out
    assert "茶园" in printed
    assert "(in 12 of 12 pages, 0 of 12 others)" in printed
    assert "--out" in command(*call, "--out", place).err
    found = json.loads(command(*call, "--thesis", "--out", place, "--force", "--json").out)
    assert (found["positive"], found["negative"], found["statistics"]["titled"]) == (12, 12, 12)
    assert found["kindred"] is None
    thesis = load_topic(place)
    assert all(why.startswith("in ") for why in thesis.reasons.values())
    assert (len(topic.against) > 2, thesis.against) == (True, {})


def test_pages_are_fetched_as_a_crawl_fetches_them(forked_scrapy: Any, draw_web: Any, tmp_path: Path) -> None:
    site, ball = "http://tea.example", "http://ball.example/"
    robots = answer(200, b"User-agent: *\nDisallow: /closed", **{"Content-Type": "text/plain"})
    pages = {f"{site}/{number}": f"<title>茶叶</title><p>{TEA * 9}" for number in range(3)}
    web = draw_web({**pages, f"{site}/closed": TEA, f"{site}/robots.txt": robots, ball: f"<p>{BALL * 9}"})
    urls = tmp_path / "urls.txt"
    urls.write_text("\n".join([*pages, f"{site}/closed", f"{site}/gone", "http://10.0.0.1/"]), "utf-8")
    ran = forked_scrapy(
        "topics", "learn", "tea", "--positive", str(urls), "--negative", ball, "--json", "--near", "0",
        "--out", str(tmp_path / "tea.toml"), "-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", proxy=web.proxy,
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["positive"], found["negative"]) == (3, 1)
    assert found["faults"] == {
        f"{site}/closed": "Forbidden by robots.txt",
        f"{site}/gone": "answers 404",
        "http://10.0.0.1/": "private address: 10.0.0.1",
    }
    assert load_topic(str(tmp_path / "tea.toml")).keywords["茶叶"] > 0


@pytest.mark.parametrize(("term1", "term2"), [("净值", "基金"), ("淨值", "基金"), ("term1", "term2")])
def test_the_thesis_own_two_texts_give_its_tables_through_the_command(
    command: Callable[..., Any], tmp_path: Path, term1: str, term2: str
) -> None:
    for name, count in (("text1", 10), ("text2", 36)):
        (tmp_path / f"{name}.txt").write_text(f"{term1} " * 40 + f"{term2} " * count, encoding="utf-8")
    call = ["topics", "learn", "funds", "--thesis", "--positive", str(tmp_path / "text2.txt")]
    call += ["--negative", str(tmp_path / "text1.txt"), "--out", str(tmp_path / "funds.toml")]
    lines = command(*call).out.splitlines()
    table = [line.split() for line in lines if line[:2] in {"36", "40"}]
    assert table == [
        ["36", "10", "0.077785", "0.021607", "0.755375", "0.244625", "0.019028", term2],
        ["40", "40", "0.086427", "0.086427", "1.000000", "0.000000", "0.000000", "净值" if "值" in term1 else term1, "(left", "out)"],
    ]  # fmt: skip
    found = json.loads(command(*call, "--force", "--json").out)
    assert [round(row["gain"], 4) for row in found["table"]] == [0.2446, 0.0]
    assert load_topic(str(tmp_path / "funds.toml")).keywords == {term2: 1.0}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "learn: .*--positive"),
        (["--positive", "nowhere"], "nowhere: "),
        (["--positive", "DOCS"], "coffee.* ball, tea; .*--label"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    command: Callable[..., Any], documents: str, args: list[str], said: str, tmp_path: Path
) -> None:
    configured = [documents if arg == "DOCS" else arg for arg in args]
    ran = command("topics", "learn", "coffee", *configured, "--out", str(tmp_path / "coffee.toml"))
    assert ran.code == 1
    assert re.search(said, ran.err)
    assert len(ran.err.splitlines()) == 1
