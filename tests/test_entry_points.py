"""Parts of other people's packages, found by entry points: the examples of docs/architecture.md, installed and used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from warm import WarmScrapy

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of another name, as an installer leaves it; its modules stand in docs/architecture.md."""
    place = tmp_path_factory.mktemp("site")
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name, code in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", text, re.DOTALL):
        (place / name).write_text(code, encoding="utf-8")
    about = place / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    points = re.findall(r"```ini\n(.*?)```", text, re.DOTALL)
    broken = "broken = theirs_strategy:Missing\nnone = theirs_strategy:KEPT\n"
    strategies, classifiers = points[0].split("\n\n")
    text = f"{strategies}\n{broken}\n{classifiers}broken = theirs_classifier:Missing\nnone = builtins:str\n"
    (about / "entry_points.txt").write_text(text)
    return place


@pytest.fixture
def answer(installed: Path, warm_scrapy: WarmScrapy, tmp_path: Path) -> Callable[[str], str]:
    """What a program prints where the package is installed, or the last line of its fault."""

    def run(program: str) -> str:
        script = tmp_path / "program.py"
        script.write_text(program, encoding="utf-8")
        done = warm_scrapy(str(script), PYTHONPATH=str(installed))
        return done.out.strip() or done.err.strip().splitlines()[-1]

    return run


STRATEGIES = """
from topiccrawler.errors import StrategyError
from topiccrawler.strategies import STRATEGIES, build

print(build("shallow", {"most": "2"}), "shallow" in STRATEGIES)
for name in ("broken", "none"):
    try:
        build(name)
    except StrategyError as fault:
        print(fault)
"""


def test_a_strategy_of_another_package_is_built_by_its_name_and_what_is_none_is_one_line(
    installed: Path,
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])}
    command = [sys.executable, "-c", STRATEGIES]  # new: strategies are looked for once a process
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    built, broken, none = done.stdout.splitlines()
    assert built == "Shallow(most=2) True"
    assert broken.startswith("strategy 'broken': cannot be imported")
    assert none.startswith("strategy 'none': is no class derived from")


def test_a_page_classifier_of_another_package_judges(answer: Callable[[str], str]) -> None:
    program = (
        "from topiccrawler.topics.topic import Topic; from topiccrawler.relevance.choose import make_page_classifier;"
        "from topiccrawler.pages.read import PageWords;"
        "it = make_page_classifier(Topic(name='t', keywords={'基金': 1.0}), 'title_only');"
        "print(it.relevance(PageWords(title=['基金'])), it.relevance(PageWords(body=['基金'])))"
    )
    assert answer(program) == "1.0 0.0"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("broken", "page classifier 'broken': cannot be made: AttributeError"),
        ("none", "page classifier 'none': has no threshold, reads_segments"),
    ],
)
def test_what_is_no_page_classifier_is_one_line(answer: Callable[[str], str], name: str, fault: str) -> None:
    program = (
        "from topiccrawler.topics.topic import Topic; from topiccrawler.relevance.choose import make_page_classifier;"
        f"make_page_classifier(Topic(name='t', keywords={{'基金': 1.0}}), {name!r})"
    )
    assert fault in answer(program)
