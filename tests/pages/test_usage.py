"""What sites say about the use of their pages: each way of saying it, who is meant, which of two counts."""

import pytest

from topiccrawler.pages.parse import parse
from topiccrawler.pages.robots_tags import robots_tags
from topiccrawler.pages.robots_txt import RobotsTxt, path_matcher
from topiccrawler.pages.usage import (
    MOST_RULES,
    PURPOSES,
    TdmFile,
    Wishes,
    preferences_in,
    refuses,
    stated_in,
    usage_text,
)

DRAFT = """
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: / train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: / train-ai=y
"""


def usage(robots: str, path: str = "/", agent: str = "topiccrawler/0.1") -> str:
    return usage_text(RobotsTxt(robots.encode(), agent).usage(f"http://a.cn{path}"))


def said(head: str = "", **headers: str) -> str:
    """The text for a page with this head and these headers; `_` in a name stands for `-`."""
    named = {name.replace("_", "-"): [text] for name, text in headers.items()}
    document = parse(f"<html><head>{head}</head><body>正文")
    tags = robots_tags(document, named.pop("X-Robots-Tag", []))
    return usage_text(Wishes(tags, named).statements(document))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("train-ai=n", {"train-ai": "n"}),
        ("train-ai=y, search=n", {"train-ai": "y", "search": "n"}),
        (" Train-AI = N ;p=1 ,search=y;a", {"train-ai": "n", "search": "y"}),
        ("search=yes, ai-train=no, ai-input=no", {"search": "y", "train-ai": "n", "ai-use": "n"}),
        ("genai=n, ai=n, bots=y", {"train-genai": "n", "train-ai": "n", "bots": "y"}),
        ("train-ai=n, train-ai=y", {"train-ai": "y"}),
        ("train-ai, search=?1, train-ai=1, foo=n, ai-use=maybe", {}),
        ('train-ai="n"', {}),
        ("train-ai＝n", {}),
        ("", {}),
    ],
)
def test_preferences_are_read_by_label(text: str, found: dict[str, str]) -> None:
    assert preferences_in(text) == found
    assert list(preferences_in(text)) == list(found)


@pytest.mark.parametrize(
    ("path", "agent", "found"),
    [
        ("/test", "topiccrawler", "train-ai=n; source=robots.txt"),
        ("/ai-ok/test", "topiccrawler", "train-ai=y; source=robots.txt"),
        ("/ai-ok/test", "ExampleBot/2.0 (x)", "train-ai=y; source=robots.txt"),
        ("/test", "ExampleBot", "train-ai=y; source=robots.txt"),
    ],
)
def test_the_example_of_the_draft(path: str, agent: str, found: str) -> None:
    assert usage(DRAFT, path, agent) == found
    assert not RobotsTxt(DRAFT.encode(), "x").allowed("http://a.cn/never/test")


@pytest.mark.parametrize(
    ("robots", "path", "found"),
    [
        ("Content-Usage: train-ai=n", "/", "train-ai=n; source=robots.txt"),
        ("content usage : /a train-ai=n # Kommentar", "/ab", "train-ai=n; source=robots.txt"),
        ("Content-Usage：train-ai=n", "/", "train-ai=n; source=robots.txt"),
        ("Content-Usage: /a train-ai=n", "/b", "unstated"),
        ("Content-Usage: /基金/ train-ai=n", "/%E5%9F%BA%E9%87%91/1", "train-ai=n; source=robots.txt"),
        ("Content-Usage: /*.pdf$ train-ai=n", "/x/y.pdf", "train-ai=n; source=robots.txt"),
        ("Content-Usage: /*.pdf$ train-ai=n", "/x/y.pdf.html", "unstated"),
        ("Content-Usage: / train-ai=y\nContent-Usage: / train-ai=n", "/", "train-ai=n; source=robots.txt"),
        ("Content-Usage: / search=y\nContent-Usage: / train-ai=y", "/", "search=y, train-ai=y; source=robots.txt"),
        ("Content-Usage: /a search=y\nContent-Usage: / train-ai=n", "/a", "search=y; source=robots.txt"),
        ("Content-Usage: nonsense\nContent-Usage:", "/", "unstated"),
        ("Content-signal: search=yes,ai-train=no", "/", "search=y, train-ai=n; source=robots.txt Content-Signal"),
        (
            "Content-Signal: ai-train=yes\nContent-Usage: train-ai=n",
            "/",
            "train-ai=n; source=robots.txt | train-ai=y; source=robots.txt Content-Signal",
        ),
        ("User-agent: other\nContent-Signal: ai-train=no", "/", "unstated"),
        ("User-agent: topiccrawler\nDisallow:\nUser-agent: *\nContent-Usage: train-ai=n", "/", "unstated"),
    ],
)  # fmt: skip
def test_lines_of_robots_txt_count_by_group_and_path(robots: str, path: str, found: str) -> None:
    begin = "" if robots.startswith("User-agent") else "User-agent: *\n"
    assert usage(f"{begin}{robots}\nDisallow: /x/\n", path) == found


def test_lines_about_use_do_not_end_a_group() -> None:
    robots = "User-agent: a\nUser-agent: topiccrawler\nContent-Usage: train-ai=n\nDisallow: /x\n"
    read = RobotsTxt(robots.encode(), "topiccrawler")
    assert (read.allowed("http://a.cn/x"), read.allowed("http://a.cn/y")) == (False, True)
    assert str(read.rule("http://a.cn/x")) == "line 4: Disallow: /x"


@pytest.mark.parametrize(
    ("head", "headers", "found"),
    [
        ("", {"Content_Usage": "train-ai=n, search=y"}, "train-ai=n, search=y; source=header Content-Usage"),
        ("<meta name=robots content='noai,noimageai'>", {}, "train-ai=n; source=meta robots | train-ai-images=n; source=meta robots"),
        ("", {"X_Robots_Tag": "noai"}, "train-ai=n; source=X-Robots-Tag"),
        ("", {"X_Robots_Tag": "gptbot: noai"}, "unstated"),
        ("<meta name=tdm-reservation content=1>", {}, "tdm=n; source=meta tdm-reservation"),
        ("<meta name=TDM-Reservation content=' 0 '>", {"tdm_reservation": "1"}, "tdm=y; source=meta tdm-reservation"),
        ("<meta name=tdm-reservation content=yes>", {"tdm_reservation": "1"}, "tdm=n; source=header tdm-reservation"),
        ("", {"tdm_reservation": "1", "tdm_policy": "https://a.cn/p.json"}, "tdm=n, policy=https://a.cn/p.json; source=header tdm-reservation"),
        ("<meta name=tdm-policy content=https://a.cn/p.json>", {}, "unstated"),
        ("<meta name=description content=noai>", {}, "unstated"),
    ],
)  # fmt: skip
def test_what_a_page_says(head: str, headers: dict[str, str], found: str) -> None:
    assert said(head, **headers) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('[{"location": "/", "tdm-reservation": 1}]', "tdm=n; source=tdmrep.json"),
        ('\ufeff[{"location": "*", "tdm-reservation": "1"}]', "tdm=n; source=tdmrep.json"),
        ('[{"location": "/b", "tdm-reservation": 1}, {"location": "/a/", "tdm-reservation": 0}]', "tdm=y; source=tdmrep.json"),
        ('[{"location": "/a/*.html$", "tdm-reservation": 0}, {"location": "/a", "tdm-reservation": 1}]', "tdm=y; source=tdmrep.json"),
        ('[{"location": "/a/基金", "tdm-reservation": 1}]', "tdm=n; source=tdmrep.json"),
        ('[{"location": "/b", "tdm-reservation": 1}]', "unstated"),
        ('[{"location": "/", "tdm-reservation": 2}, {"location": "/", "tdm-reservation": 1}]', "unstated"),
        ('[{"location": "/", "tdm-reservation": true}]', "unstated"),
        ('[{"tdm-reservation": 1}, 7, null, {"location": 3}]', "unstated"),
        ('{"location": "/", "tdm-reservation": 1}', "unstated"),
        ("<!DOCTYPE html><title>404</title>", "unstated"),
        ("[" * 100_000, "unstated"),
        ("", "unstated"),
    ],
)  # fmt: skip
def test_the_first_rule_of_a_hosts_file_that_matches_counts(body: str, found: str) -> None:
    file = TdmFile(body.encode(), path_matcher)
    statement = file.statement("http://a.cn/a/%E5%9F%BA%E9%87%91.html")
    assert usage_text([] if statement is None else [statement]) == found


def test_a_long_file_is_read_in_part() -> None:
    rules = '{"location": "/x", "tdm-reservation": 1},' * (MOST_RULES + 50)
    assert len(TdmFile(f"[{rules[:-1]}]".encode(), path_matcher)) == MOST_RULES


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("unstated", []),
        ("", []),
        ("train-ai=n; source=robots.txt", ["train-ai"]),
        ("train-ai=y; source=robots.txt", []),
        ("train-ai=y; source=robots.txt | train-ai=n; source=meta robots", ["train-ai"]),
        ("train-ai-images=n; source=meta robots", []),
        ("train-genai=n; source=robots.txt", ["train-ai"]),
        ("search=n, ai-use=n; source=robots.txt", ["ai-use", "search"]),
        (
            "tdm=n, policy=https://a.cn/?train-ai=y%20search=n; source=tdmrep.json",
            ["train-ai", "ai-use", "tdm"],
        ),
        ("bots=n; source=header Content-Usage", ["train-ai", "ai-use", "search", "tdm"]),
    ],
)
def test_what_a_text_refuses(text: str, refused: list[str]) -> None:
    assert [purpose for purpose in PURPOSES if refuses(text, purpose)] == refused


def test_a_text_is_read_as_it_was_written() -> None:
    text = said(
        "<meta name=robots content=noai>", Content_Usage="search=y, train-ai=y", tdm_reservation="1",
        tdm_policy="https://a.cn/,x=y; z=n|search=n",
    )  # fmt: skip
    assert stated_in(text) == {"search": "y", "train-ai": "n", "tdm": "n"}
