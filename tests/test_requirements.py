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
