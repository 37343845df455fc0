"""requirements.txt: each package has its reason, and is used."""

from __future__ import annotations

import re
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_each_package_says_what_it_is_for_and_is_imported() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()[1:]
    rows = [re.fullmatch(r"([\w.-]+)==[^#]+# (.+)", line) for line in lines]
    assert None not in rows, lines[rows.index(None)]
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "topiccrawler").rglob("*.py"))
    imported = set(re.findall(r"(?:^\s*(?:from|import) |import_module\(\")(\w+)", code, re.MULTILINE))
    used = {
        name.lower().replace("_", "-")
        for module, names in packages_distributions().items()
        if module in imported
        for name in names
    }
    used |= {module.lower().replace("_", "-") for module in imported}  # no lone extension module is listed
    assert {row[1].lower() for row in rows if row} - used == set()
