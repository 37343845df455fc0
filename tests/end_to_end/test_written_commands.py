"""README and tutorial, followed to the letter in a fresh folder: their commands work, and print what the text says."""

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from written_commands import ROOT, Follower, commands, on_topic

from topiccrawler.lab.demo.plan import Web

README, CHINESE_README = ROOT / "README.md", ROOT / "README.zh-CN.md"
TUTORIAL, CHINESE_TUTORIAL = ROOT / "docs" / "tutorial.md", ROOT / "docs" / "tutorial.zh-CN.md"
TOLERANCE = 15  # pages; of the demo, whose requests run side by side, and of another machine's arithmetic
PROGRESS = re.compile(
    r"\d+ pages, \d+ kept, harvest rate \d\.\d\d \(last 200: \d\.\d\d\), \d+ queued, \d+ hosts"
)
KEPT = re.compile(r"(\d+) pages fetched.*?, \d+ relevant \(\d+%\), (\d+) kept")


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    made = Follower(tmp_path / "clone")
    yield made
    made.close()


def figures(said: str) -> tuple[int, int]:
    """Pages fetched and kept, by the summary of a crawl."""
    found = KEPT.search(said)
    assert found is not None, said
    return int(found[1]), int(found[2])


def near(measured: int, written: int) -> bool:
    return abs(measured - written) <= TOLERANCE


@pytest.mark.slow
def test_the_tutorial_leads_to_a_searched_and_exported_corpus(follower: Follower) -> None:
    lines, text = iter(commands(TUTORIAL)), TUTORIAL.read_text(encoding="utf-8")
    web, said = Web(), ""

    def up_to(word: str, answers: str = "") -> str:
        """Follow the commands through the one that has `word`; what that one printed."""
        for line in lines:
            printed = follower.follow(line, answers if word in line else "")
            if word in line:
                return printed
        raise AssertionError(f"{word}: in no command")

    said = up_to("scrapy crawl topic -a keywords")
    assert re.search(r" 旅行 景区 古镇 门票 酒店: .* -a topic=travel ", said)
    fetched, kept = figures(said)
    assert (fetched, near(kept, 155)) == (300, True)
    visits = follower.visits("travel")
    assert on_topic(web, visits, "travel", stored=True) == kept  # "every page kept is about travel"
    assert on_topic(web, visits, "travel") > kept  # "but the crawl also left out pages about travel"
    assert "[酒店]机票迎来旺季" in up_to("scrapy pages travel")
    said = up_to("pages travel show")
    assert "kept: relevance" in said
    assert ":\n  http://daohang.example/" in said
    assert up_to("explain").startswith("Link ")

    said = up_to("teach", "y\n" * 5)
    about = re.search(r"\b300 pages [a-z ]+(\d+) [a-z ]+\(\w+: (\d+)\)", said)
    assert about is not None, said
    assert (near(int(about[1]), 195), int(about[2])) == (True, kept)
    said = up_to("pages=400")
    assert re.search(r"\b5 answers", said)
    assert figures(said)[0] == 400
    total = figures(said)[1]
    assert kept < total <= 227 + TOLERANCE

    for job in ("whole", "breadth"):
        row = re.search(rf"^`{job}`.*\| (\d+) \| (\d+)$", text, re.MULTILINE)
        fetched, kept = figures(up_to(f"JOBDIR=jobs/{job}"))
        assert (fetched, near(kept, int(row[2]))) == (int(row[1]), True), job
    hits = up_to("search")
    assert "«古镇»" in hits
    assert "«门票»" in hits

    assert f"{total} pages written" in up_to("travel.jsonl")
    pages = [json.loads(line) for line in (follower.folder / "travel.jsonl").read_text("utf-8").splitlines()]
    assert len(pages) == total
    assert {"url", "title", "text", "relevance", "published", "language"} <= set(pages[0])
    up_to("travel.csv")
    with (follower.folder / "travel.csv").open(encoding="utf-8-sig", newline="") as file:
        assert 0 < len([row for row in csv.DictReader(file) if float(row["relevance"]) >= 0.9]) < total
    up_to("report.html")
    assert "Harvest" in (follower.folder / "report.html").read_text(encoding="utf-8")
    page = up_to("scrapy dashboard")
    assert [job for job in ("travel", "whole", "breadth") if f'"/jobs/{job}"' not in page] == []
    up_to("unset")
    assert next(lines, None) is None


@pytest.mark.slow
def test_the_commands_of_the_readme_work(follower: Follower) -> None:
    follower.serve()
    follower.use_the_web()
    said = {line: follower.follow(line, "y\nn\nq\n" if "teach" in line else "") for line in commands(README)}
    crawl = next(printed for line, printed in said.items() if line.startswith("scrapy crawl"))
    assert figures(crawl)[0] == 500
    assert PROGRESS.search(crawl)
    assert PROGRESS.search(README.read_text(encoding="utf-8"))
    job = follower.folder / "jobs" / "funds"
    assert [name for name in ("job.sqlite", "job.json") if not (job / name).is_file()] == []
    assert "«基金»" in said['scrapy search "基金 定投"']
    assert '"/jobs/funds"' in said["scrapy dashboard"]
    assert (follower.folder / "pages.csv").stat().st_size > 0
    assert (follower.folder / "report.html").stat().st_size > 0


# tests of their own follow the tutorial, and the page whose commands need a server of a language model
NEEDS_A_MODEL = "second-opinion"
HOW_TOS = sorted(
    page for page in (ROOT / "docs").glob("*.md") if not page.stem.startswith(("tutorial", NEEDS_A_MODEL))
)
ANSWERS = "y\nn\ny\nn\ny\n"


def written_files(page: Path) -> dict[str, str]:
    """File name -> text, of blocks whose first line is a comment with the name."""
    text = page.read_text(encoding="utf-8")
    return dict(re.findall(r"^```\w+\n# (\S+\.\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Follower]:
    """A reader who has crawled once, as the tutorial says: the job `travel`."""
    reader = Follower(tmp_path_factory.mktemp("how-tos") / "clone")
    reader.serve()
    reader.use_the_web()
    reader.follow(
        "scrapy crawl topic -a keywords=旅行,景区,古镇,门票,酒店 -a seeds=http://daohang.example/ -a pages=300 -s JOBDIR=jobs/travel"
    )
    yield reader
    reader.close()


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in HOW_TOS if commands(page)], ids=lambda page: page.stem)
def test_the_commands_of_a_page_work(page: Path, begun: Follower, tmp_path: Path) -> None:
    reader = Follower(tmp_path / "clone")
    reader.environment = {**begun.environment, "INTRANET": "secret"}
    shutil.copytree(begun.folder, reader.folder, dirs_exist_ok=True)
    for name, text in written_files(page).items():
        (reader.folder / name).write_text(text, encoding="utf-8")
    said = "\n".join(reader.follow(line, ANSWERS) for line in commands(page))
    for expected in PROMISED.get(page.stem.partition(".")[0], ()):
        assert re.search(expected, said), f"{expected}\n{said}"
    for line in commands(page):
        for name in re.findall(r"(?:--out|-o|--write-questions) (\S+)", line):
            assert (reader.folder / name).stat().st_size > 0


# What the commands of a page print; those of the page in Chinese are the same.
PROMISED = {
    "topics": [
        "within travel",
        "44 topics|travel +441",
        "F59",
        "100 pages fetched",
        r"\b5 answers",
        r"\(\w+: \d+\)",
    ],
    "clean-corpus": [
        r"[1-9]\d* pages are not kept, because their text is one of the 1\d\d in \S*travel ",
        r"[1-9]\d+ pages written to \S*travel\.wacz",
        r"20 pages written to \S*notes",
        r"About \d+ relevant pages can be found .* 1?\d\d % are found",
    ],
    "seeds": ["100 pages fetched"],
    "jobs": [r"400 pages fetched \(100 in this run\)", "waiting"],
    "judged-again": [
        r"of \d+ pages \d+ are about it",
        r"\b[1-9]\d* of them left the results",
        "by a person's answer: not kept any more",
        "are kept again",
    ],
    "revisiting": ["pages .*: 0 changed, 1[0-9][0-9] unchanged", r"\(\d+ in this run\)"],
    "results": [
        r"\d\d pages .* pages\.csv",
        r"\d\d pages .* corpus .*\b1 files; \d+ .*",
        r"20 pages .* pages\.md",
    ],
    "site-rules": ["50 pages fetched"],
    "wishes": [
        r"robots +-\nusage +unstated\nlicence +-\npersonal_data +-",
        r"\d\d pages .* may-be-trained-on\.jsonl",
        r"\d\d pages .* all-pages in 1 files; 0 pages by what they say",
        r"\d\d pages .* hidden\.csv",
        r"\d\d pages .* hidden-corpus",
    ],
}
