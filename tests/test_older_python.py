"""`make install` with a Python that is too old."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_an_older_python_is_refused_in_one_line(tmp_path: Path) -> None:
    """Its interpreter is this one, which says that it is older by one than what pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = re.fullmatch(r">=3\.(\d+)", project["requires-python"])
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
