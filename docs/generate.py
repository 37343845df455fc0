"""Writes the generated parts of the reference: `python docs/generate.py`; with `--check` it only says which pages are not current.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. What it says has one source in the code: the arguments' model, the
comments of topiccrawler/settings.py, topiccrawler/engine/stats_keys.toml, the commands' faces (topiccrawler/commands/*.toml), the cards of the strategies, the format readers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))  # a checkout need not be installed

_PART = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
_SECTION = re.compile(r"# --- (.+?) -+")
_STATEMENT = re.compile(r"([A-Z_]+)(?:: [^=]+)? = ")
LONGEST_VALUE = 60  # characters
SCRAPYS = {"crawl", "parse"}  # commands of Scrapy that we extend
EXPLAINED_IN = {  # page of each command
    "compare": "comparing", "control": "control", "dashboard": "dashboard", "demo": "tutorial", "explain": "explain",
    "frontier": "explain", "models": "models", "pages": "results", "rate": "comparing", "read": "explain", "search": "results",
    "seeds": "seeds", "strategies": "strategies", "topics": "topics", "train": "models",
}  # fmt: skip


def listing(rows: Iterable[tuple[str, str]]) -> str:
    """A Markdown list of names with their meanings."""
    return "\n".join(f"- {name}: {meaning}" if meaning else f"- {name}" for name, meaning in rows)


def linked(text: str) -> str:
    """Names of pages as links, names of settings as code."""
    text = re.sub(r"docs/([\w/-]+\.md)", r"[\1](\1)", text)
    return re.sub(
        r"(?<![`\w])((?:TOPIC|FRONTIER|REDIS|STORE|WARC|CONCURRENT)_[A-Z_]+|JOBDIR)(?![`\w=])", r"`\1`", text
    )


@cache
def settings() -> Mapping[str, list[tuple[str, str, str]]]:
    """Name, value and comment of each setting, by section."""
    from topiccrawler import settings as module

    found: dict[str, list[tuple[str, str, str]]] = {}
    section, comment = "", list[str]()
    for line in Path(module.__file__).read_text(encoding="utf-8").splitlines():
        if head := _SECTION.fullmatch(line):
            section, comment = head[1].partition(":")[0], []
        elif line.startswith("# "):
            comment.append(line[2:])
        elif statement := _STATEMENT.match(line):
            value = getattr(module, statement[1])
            beside = line.partition("  # ")[2]
            text = " ".join([*comment, beside]).strip()
            found.setdefault(section, []).append((statement[1], f"`{value!r}`", linked(text)))
            comment = []
        else:
            comment = []
    return found


def sections(parts: Iterable[tuple[str, str]]) -> str:
    """Each part under its title; none for an empty part."""
    return "\n\n".join(f"## {title[0].upper()}{title[1:]}\n\n{text}" for title, text in parts if text)


def our_settings() -> str:
    """Ours, by section."""
    return sections(
        (
            title,
            listing((_assigned(name, value), text) for name, value, text in entries if not is_scrapys(name)),
        )
        for title, entries in settings().items()
    )


def scrapys_settings() -> str:
    """Those of Scrapy that have one short value, and no class of ours."""
    return listing(
        (_assigned(name, value), text)
        for title, entries in settings().items()
        for name, value, text in entries
        if is_scrapys(name)
        and title != "the project"
        and len(value) < LONGEST_VALUE
        and "topiccrawler." not in value
    )


def _assigned(name: str, value: str) -> str:
    return f"`{name} = {value.strip('`')}`"


def is_scrapys(name: str) -> bool:
    return not name.startswith(("TOPIC", "FRONTIER_", "REDIS_URL", "STORE_URL", "WARC_"))


def arguments() -> str:
    """Those of `scrapy crawl topic`."""
    return _fields("CrawlParams", frozenset())


def links_arguments() -> str:
    """Those that `scrapy crawl links` has besides."""
    from topiccrawler.crawling.recipe import CrawlParams

    return _fields("LinksParams", frozenset(CrawlParams.model_fields))


def _fields(model: str, without: frozenset[str]) -> str:
    recipe = import_module("topiccrawler.crawling.recipe")
    fields, texts = getattr(recipe, model).model_fields, recipe.described(getattr(recipe, model))
    rows = []
    for name, field in fields.items():
        if name not in without:
            shown = "strategy_NAME" if name == "parameters" else name
            text = "a parameter of the strategy" if name == "parameters" else linked(texts[name])
            default = field.get_default(call_default_factory=True)
            if not field.is_required() and default not in (None, (), {}, "", False):
                text += f" (default `{default}`)"
            rows.append((f"`{shown}`", text))
    return listing(rows)


def stats() -> str:
    """The keys, by section."""
    from topiccrawler.engine.control.metrics import SECTIONS

    return sections(
        (
            title,
            listing(
                (f"`{key}` ({entry.kind.split()[-1]})", linked(entry.meaning)) for key, entry in keys.items()
            ),
        )
        for title, keys in SECTIONS.items()
    )


def commands() -> str:
    """What each command of ours does, and the page that shows its use; `--help` has the rest."""
    import topiccrawler.commands

    names = {module.name for module in iter_modules(topiccrawler.commands.__path__)}
    found = {
        name: import_module(f"topiccrawler.commands.{name}").Command() for name in sorted(names - SCRAPYS)
    }
    return listing(
        (
            f"`scrapy {name}`",
            f"{command.short_desc().rstrip('.')} ([{EXPLAINED_IN[name]}.md]({EXPLAINED_IN[name]}.md))",
        )
        for name, command in found.items()
    )


def strategies() -> str:
    """The first line of each card, and the parameters; a star is behind those that may change while a crawl runs."""
    from topiccrawler.strategies import STRATEGIES, parameters_of
    from topiccrawler.strategies.card import card

    rows = []
    for name, strategy in STRATEGIES.items():
        settable = " ".join(
            f"`{key}={value}`{'*' * (key in strategy.changeable)}"
            for key, value in parameters_of(strategy).items()
        )
        rows.append((f"`{name}`", f"{card(strategy)['Does']} {settable}".strip()))
    return listing(rows)


def formats() -> str:
    """Each format by the first sentence of its reader."""
    from topiccrawler.pages.formats import listings
    from topiccrawler.pages.formats.registry import FILES, IN_PROCESS

    readers: dict[str, Any] = {name: import_module(f"topiccrawler.pages.formats.{name}") for name in FILES}
    readers |= {name: getattr(listings, f"read_{name}") for name in IN_PROCESS}
    return listing((f"`{name}`", _first_sentence(reader)) for name, reader in readers.items())


def _first_sentence(reader: Any) -> str:
    return str(reader.__doc__).strip().splitlines()[0].partition(". ")[0].rstrip(".")


PARTS: dict[str, Callable[[], str]] = {
    "arguments": arguments,
    "arguments of links": links_arguments,
    "commands": commands,
    "strategies": strategies,
    "formats": formats,
    "settings": our_settings,
    "settings of Scrapy": scrapys_settings,
    "stats": stats,
}


def current(page: str) -> str:
    """The page with its generated parts made anew."""
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n\n{found[3]}", page)


def stale() -> Iterator[tuple[Path, str]]:
    """Pages that are not current, with the text they should have."""
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if text != (made := current(text)):
            yield path, made


def main() -> None:
    """Write the pages; with --check end with exit code 1 when one is not current."""
    pages = list(stale())
    for path, text in pages:
        print(path.relative_to(DOCS.parent))
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    if pages and "--check" in sys.argv:
        sys.exit(1)


if __name__ == "__main__":
    main()
