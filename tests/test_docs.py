"""The reference in docs/ is what the code says; files, names and headings that pages name exist."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import default_settings

from topiccrawler import settings
from topiccrawler.crawling.recipe import LinksParams
from topiccrawler.engine.control.metrics import STATS_KEYS
from topiccrawler.strategies import STRATEGIES, parameters_of
from topiccrawler.topics.topic import Topic

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "topiccrawler"
PAGES = sorted([*ROOT.glob("*.md"), ROOT / "models" / "README.md", *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = "|".join(sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()))
FILES = "sqlite|jsonl?|zh-CN|md|toml|txt|tsv|csv|html|png|warc"  # file extensions, not names in a module
A_PATH = re.compile(
    rf"(?<![\w/.-])(?:(?:topiccrawler(?!/\d)|tests|docs|benchmarks)/[\w./-]*\w|(?:{ROOMS})/[\w/]+\.py\b)"
)
# `engine.crawl` is a method of Scrapy's engine.
A_NAME = re.compile(
    rf"(?<![\w/.@-])(?!engine\.crawl\b)(?:topiccrawler\.|(?:{ROOMS})\.)(?!(?:{FILES})\b)\w+(?:\.\w+)*(?![\w/(])"
)
A_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")
KEY = re.compile(r"(?:frontier|topic|strategy|links)/[a-z_…-]+(?:/[a-z_…-]+)*")
KEY_BEGINS = re.compile(r"(?:frontier|topic|strategy|links)/")
_spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
generate = module_from_spec(_spec)
_spec.loader.exec_module(generate)
SOURCES = {path: path.read_text(encoding="utf-8") for path in MODULES}
COMMANDS = {path.stem for path in (PACKAGE / "commands").glob("*.toml")}


def rows(name: str) -> list[list[str]]:
    """Cells of the rows of all tables in a page that begin with a name."""
    lines = (ROOT / "docs" / name).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in lines if re.match(r"`[^`]+` \|", line)]


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


def missing(page: Path) -> list[str]:
    """What a page quotes and nothing has."""
    text = page.read_text(encoding="utf-8")
    prose = re.sub(
        r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE
    )  # code has variables of such names
    found = [quoted for quoted in A_PATH.findall(text) if not has_path(quoted)]
    found += [quoted for quoted in A_NAME.findall(prose) if not has_name(quoted)]
    return found + [link for link in A_LINK.findall(prose) if not (page.parent / link).exists()]


def test_files_and_names_in_text_exist() -> None:
    found = {str(page.relative_to(ROOT)): missing(page) for page in PAGES}
    assert {page: names for page, names in found.items() if names} == {}


def code(language: str) -> list[tuple[str, str]]:
    """Page and text of each block of that language."""
    block = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [(page.name, text) for page in PAGES for text in block.findall(page.read_text(encoding="utf-8"))]


def test_blocks_of_code_are_of_their_language() -> None:
    readers: dict[str, Callable[[str], Any]] = {
        "python": ast.parse,
        "toml": tomllib.loads,
        "json": json.loads,
    }
    for language, read in readers.items():
        blocks = code(language)
        assert blocks, language
        for page, text in blocks:
            try:
                read(text)
            except (SyntaxError, ValueError) as error:
                pytest.fail(f"{page}: {error}\n{text}")


def quoted_commands() -> Iterator[tuple[str, str, str]]:
    """Page, name and further words of each command of `scrapy` that stands on a line of its own."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for name, words in re.findall(r"^ *scrapy (\w+) (.*)$", text, re.MULTILINE):
            yield page.name, name, words.partition(" #")[0]


def test_options_in_commands_that_pages_quote_exist() -> None:
    found = 0
    for page, name, words in quoted_commands():
        if name in COMMANDS:
            command = import_module(f"topiccrawler.commands.{name}").Command()
            known = {option for group in command.options.values() for option in group} | {"json"}
            quoted = set(re.findall(r"--([a-z-]+)", words))
            assert quoted <= known, f"{page}: scrapy {name} {words}"
            found += len(quoted)
    assert found > 30


def test_arguments_and_settings_in_commands_that_pages_quote_exist() -> None:
    parameters = {f"strategy_{key}" for strategy in STRATEGIES.values() for key in parameters_of(strategy)}
    known = {*LinksParams.model_fields, *parameters, "ARGUMENT"}
    lines = [(page, f"{name} {words}") for page, name, words in quoted_commands()]
    arguments = {(page, name) for page, words in lines for name in re.findall(r" -a (\w+)=", words)}
    set_here = {(page, name) for page, words in lines for name in re.findall(r" -s (\w+)=", words)}
    assert len(arguments) > 30
    assert {(page, name) for page, name in arguments if name not in known} == set()
    others = {"REPLAY_WARC", "SETTING"}
    assert {
        (page, name)
        for page, name in set_here
        if not (hasattr(settings, name) or hasattr(default_settings, name) or name in others)
    } == set()


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
