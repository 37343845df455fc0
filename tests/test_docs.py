"""The tables in docs/ name what there is, no more and no less."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from topiccrawler import settings

ROOT = Path(__file__).parents[1]
KEY = re.compile(r"(?:frontier|topic|strategy|links)/[a-z_…-]+(?:/[a-z_…-]+)*")


def rows(name: str) -> list[list[str]]:
    """Cells of the rows of all tables in a page, without heads."""
    lines = (ROOT / "docs" / name).read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in cells if row[0].startswith("`")]


def texts(tree: ast.AST) -> Iterator[str]:
    """Every string a module has, docstrings left out; what is filled in is …"""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        else:
            yield from texts(node)


def test_every_stats_key_the_code_writes_is_explained_and_no_other() -> None:
    written = {
        text
        for path in (ROOT / "topiccrawler").rglob("*.py")
        for text in texts(ast.parse(path.read_text(encoding="utf-8")))
        if KEY.fullmatch(text)
    }
    explained = [row[0].strip("`") for row in rows("stats.md")]
    assert len(written) > 20
    assert sorted(written) == sorted(explained)


def test_every_setting_of_ours_is_listed_with_its_default_and_no_other() -> None:
    ours = {
        name: repr(value) for name, value in vars(settings).items() if re.match("(TOPIC|FRONTIER)(_|$)", name)
    }
    listed = {row[0].strip("`"): row[1].strip("`") for row in rows("settings.md")}
    assert listed == ours
