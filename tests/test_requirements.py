"""Extras are pinned, in pyproject.toml alone."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def extras() -> dict[str, list[Requirement]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {name: [*map(Requirement, lines)] for name, lines in project["optional-dependencies"].items()}


def test_each_package_of_an_extra_is_pinned_once_and_all_is_all_of_them() -> None:
    found = extras()
    [everything] = found.pop("all")
    assert (everything.name, everything.extras) == ("topiccrawler", {*found})
    pins = [one for lines in found.values() for one in lines]
    assert [str(one) for one in pins if [each.operator for each in one.specifier] != ["=="]] == []
    names = [one.name for one in pins]
    assert len(names) == len({*names})
    texts = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("requirements.txt", "requirements-dev.txt")
    ]
    elsewhere = re.findall(r"^([\w.-]+)==", "\n".join(texts), re.MULTILINE)
    assert {*elsewhere} & {*names} == set()
    assert {*re.findall(r"^([\w.-]+)\s+#", texts[1], re.MULTILINE)} <= {*names}  # those without a version


def test_make_reads_the_pins_from_the_extras() -> None:
    line = next(
        line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if line.startswith("EXTRAS =")
    )
    program = re.search("-c '(.+)'$", line)
    assert program is not None
    command = [sys.executable, "-c", program[1], "docs", "redis"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = extras()
    assert ran.stdout.splitlines() == [str(one) for one in (*found["docs"], *found["redis"])]
    names = re.findall(r"\$\(EXTRAS\) ([a-z ]+)", (ROOT / "Makefile").read_text("utf-8"))
    assert {*" ".join(names).split()} == {*found} - {"all"}


def test_an_older_python_is_refused_in_one_line(tmp_path: Path) -> None:
    """Its interpreter is this one, which says that it is older by one than what pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = re.fullmatch(r">=3\.(\d+)", project["requires-python"])
    assert needed is not None
    made = tmp_path / "venv"
    for minor, refused in ((int(needed[1]) - 1, True), (int(needed[1]), False)):
        old = tmp_path / f"python3.{minor}"
        old.write_text(
            f'#!/bin/sh\ncase "$1" in -c) exec {sys.executable} -c "import sys; sys.version_info = (3, {minor}, 9); $2";; esac\n'
        )
        old.chmod(0o755)
        ran = subprocess.run(
            ["make", "install", f"PYTHON={old}", f"VENV={made}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode != 0  # the newer one makes no virtual environment
        said = [line for line in ran.stderr.splitlines() if not line.startswith("make")]
        assert [
            f"is Python 3.{minor}, and topiccrawler needs 3.{needed[1]} or newer" in line for line in said
        ] == ([True] if refused else [False] * len(said))
        assert not made.exists()
