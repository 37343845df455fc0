"""Parts of other people's packages, found by entry points: the examples of docs/architecture.md, installed and used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
    (about / "entry_points.txt").write_text(points[0].replace("\n\n[", f"\n{broken}\n[", 1))
    return place


def answer(installed: Path, program: str) -> str:
    path = os.pathsep.join([str(installed), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_a_strategy_of_another_package_is_built_by_its_name_and_parameters(installed: Path) -> None:
    program = "from topiccrawler.strategies import STRATEGIES, build; print(build('shallow', {'most': '2'}), 'shallow' in STRATEGIES)"
    assert answer(installed, program) == "Shallow(most=2) True"


def test_what_is_no_strategy_is_one_line(installed: Path) -> None:
    program = "from topiccrawler.strategies import build; build('broken')"
    assert "strategy 'broken': cannot be imported" in answer(installed, program)
    program = "from topiccrawler.strategies import build; build('none')"
    assert "strategy 'none': is no class derived from" in answer(installed, program)


def test_a_page_classifier_of_another_package_judges(installed: Path) -> None:
    program = (
        "from topiccrawler.topics.topic import Topic; from topiccrawler.relevance.choose import make_page_classifier;"
        "from topiccrawler.pages.read import PageWords;"
        "it = make_page_classifier(Topic(name='t', keywords={'基金': 1.0}), 'title_only');"
        "print(it.relevance(PageWords(title=['基金'])), it.relevance(PageWords(body=['基金'])))"
    )
    assert answer(installed, program) == "1.0 0.0"
