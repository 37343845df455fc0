"""The tables in docs/ name what there is, no more and no less; files and names quoted in text exist."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from topiccrawler import settings
from topiccrawler.engine.control.metrics import STATS_KEYS
from topiccrawler.topics.topic import Topic

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "topiccrawler"
PAGES = sorted([*ROOT.glob("*.md"), ROOT / "models" / "README.md", *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = "|".join(sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()))
FILES = "sqlite|jsonl?|md|toml|txt|tsv|csv|html|png|warc"  # file extensions, not names in a module
A_PATH = re.compile(
    rf"(?<![\w/.-])(?:(?:topiccrawler(?!/\d)|tests|docs|benchmarks)/[\w./-]*\w|(?:{ROOMS})/[\w/]+\.py\b)"
)
# `engine.crawl` is a method of Scrapy's engine.
A_NAME = re.compile(
    rf"(?<![\w/.@-])(?!engine\.crawl\b)(?:topiccrawler\.|(?:{ROOMS})\.)(?!(?:{FILES})\b)\w+(?:\.\w+)*(?![\w/(])"
)
A_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
A_MODULE = re.compile(r"(?<![\w/.*-])\w+\.py\b")
A_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")
KEY = re.compile(r"(?:frontier|topic|strategy|links)/[a-z_…-]+(?:/[a-z_…-]+)*")
KEY_BEGINS = re.compile(r"(?:frontier|topic|strategy|links)/")
_spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
assert _spec is not None
assert _spec.loader is not None
generate = module_from_spec(_spec)
_spec.loader.exec_module(generate)
SOURCES = {path: path.read_text(encoding="utf-8") for path in MODULES}
MODULE_NAMES = {path.name for path in [*MODULES, *ROOT.glob("*/*.py")]}


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


def test_every_stats_key_that_the_code_writes_has_a_meaning_and_no_other() -> None:
    written = {
        text
        for path, source in SOURCES.items()
        if KEY_BEGINS.search(source)
        for text in texts(ast.parse(source))
        if KEY.fullmatch(text)
    }
    assert len(written) > 20
    families = tuple(key[:-1] for key in STATS_KEYS if key.endswith("…"))
    assert {key for key in written if key not in STATS_KEYS and not key.startswith(families)} == set()
    unwritten = {key for key in STATS_KEYS if not any(text.startswith(key.rstrip("…")) for text in written)}
    assert unwritten == set()


def test_every_setting_of_ours_has_a_meaning() -> None:
    found = {name: text for entries in generate.settings().values() for name, _, text in entries}
    ours = {name for name in vars(settings) if re.match("(TOPIC|FRONTIER)(_|$)", name)}
    assert {name for name in ours if not found[name]} == set()


def test_the_reference_is_what_the_code_says() -> None:
    assert [path.name for path, _ in generate.stale()] == []


def test_every_field_of_a_topic_file_is_explained_and_no_other() -> None:
    assert [row[0].strip("`") for row in rows("topics.md")] == list(Topic.model_fields)


def docstrings(path: Path) -> str:
    """All docstrings of a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = statements(ast.parse(SOURCES[path]))
    return "\n".join(ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all statements in it; what is defined stands in none of their expressions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield from statements(child)


@cache
def has_path(quoted: str) -> bool:
    """A file or folder of the repository, or of the package; NAME stands for any."""
    names = quoted.rstrip("/").replace("NAME", "*").replace("TOPIC", "*")
    return any(any(folder.glob(names)) for folder in (ROOT, PACKAGE))


@cache
def has_name(quoted: str) -> bool:
    """A module of the package, what can be got from one, or a group of entry points."""
    if any(f'"{quoted}"' in source for source in SOURCES.values()):
        return True
    module, *rest = quoted.removeprefix("topiccrawler.").split(".")
    thing: Any = import_module(f"topiccrawler.{module}")
    for name in rest:
        if hasattr(thing, "__path__") and not hasattr(thing, name) and find_spec(f"{thing.__name__}.{name}"):
            import_module(f"{thing.__name__}.{name}")
        if not hasattr(thing, name):
            return False
        thing = getattr(thing, name)
    return True


def missing(path: Path) -> list[str]:
    """What the text of a page, or of a module's docstrings, quotes and nothing has."""
    is_page = path.suffix == ".md"
    text = path.read_text(encoding="utf-8") if is_page else docstrings(path)
    # code has variables of such names
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found = [quoted for quoted in A_PATH.findall(text) if not has_path(quoted)]
    found += [quoted for quoted in A_NAME.findall(prose) if not has_name(quoted)]
    if is_page:
        return found + [link for link in A_LINK.findall(prose) if not (path.parent / link).exists()]
    return found + sorted(set(A_MODULE.findall(text)) - {"setup.py"} - MODULE_NAMES)


def test_files_and_names_in_text_exist() -> None:
    found = {str(path.relative_to(ROOT)): missing(path) for path in [*PAGES, *MODULES]}
    assert {path: names for path, names in found.items() if names} == {}


def test_tests_that_pages_name_exist() -> None:
    named = {(page, *found) for page in PAGES for found in A_TEST.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 10
    for page, file, name in named:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{page.name}: {file}::{name}"


def anchors(page: Path) -> set[str]:
    """Those of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_links_to_a_heading_find_it() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", text):
            assert anchor in anchors((page.parent / name) if name else page), f"{page.name}: {name}#{anchor}"


@pytest.mark.slow
def test_the_documentation_builds_as_a_site(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="make docs installs it")
    environment = {**os.environ, "PYTHONWARNINGS": "", "NO_MKDOCS_2_WARNING": "1"}
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "WARNING" not in made.stderr
    assert (tmp_path / "site" / "tutorial.zh-CN" / "index.html").is_file()
