"""The two segmentation engines, which run the same algorithm, and the choice between them for this process.

`auto` is rjieba if it is installed, else jieba. jieba is pure Python and always installs, but it warns at import, logs to stderr and leaves a world-readable
cache in the folder for temporary files. rjieba does none of that, but has wheels only for common machines.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from topiccrawler.errors import ArgumentError, shortened
from topiccrawler.resources import package_table

Cut = Callable[[str], Iterable[str]]
"""An engine: a function that returns the tokens of a text, blanks and punctuation included."""

NEW_WORDS: tuple[str, ...] = tuple(package_table("text/words.toml")["new"].split())
# of 60 million. Higher than that of two words side by side by chance, lower than that of 多少 in 做多少.
LEARNED_FREQUENCY = 1_000


def rjieba_cut(words: Iterable[str] = ()) -> Cut:
    """A new engine of rjieba, separate from the module's global one, to which other code may add words. ImportError if not installed."""
    engine = _rjieba().Jieba()
    for word in (*NEW_WORDS, *sorted(words)):
        engine.add_word(word, LEARNED_FREQUENCY, "n")
    return lambda text: engine.cut(text, True)


@cache
def _rjieba() -> Any:
    """The compiled module, imported without the package around it, which would make one more engine: 24 MB and .1 s of CPU. ImportError
    when it is not installed."""
    package = find_spec("rjieba")
    spec = PathFinder.find_spec("rjieba.rjieba", package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        return import_module("rjieba")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jieba_cut(words: Iterable[str] = (), cache_folder: Path | None = None) -> Cut:
    """A new engine of jieba, silenced, with its dictionary cached in a folder that only this user can read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources, at every import
        import jieba

        jieba.setLogLevel(logging.CRITICAL)
        engine = jieba.Tokenizer()
        engine.tmp_dir = str(_private(cache_folder or _user_cache()))
        engine.initialize()
    for word in (*NEW_WORDS, *sorted(words)):
        engine.add_word(word, LEARNED_FREQUENCY)
    return engine.lcut  # type: ignore[no-any-return]


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "topiccrawler"


def _private(folder: Path) -> Path:
    """Make the folder if possible, and return it. If that fails, jieba works without a cache."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


AUTO, RJIEBA, JIEBA = "auto", "rjieba", "jieba"
CHOICES = (AUTO, JIEBA, RJIEBA)
SETTING = "TOPIC_SEGMENTER"

_chosen = [AUTO]  # of this process


def choose(choice: str) -> bool:
    """Set the engine of this process; return whether that is another one than before. ArgumentError if it is unknown or not installed."""
    if choice not in CHOICES:
        remedy = f"it must be one of {', '.join(CHOICES)}; the project's is {AUTO}"
        raise ArgumentError(f"setting {SETTING}", f"is {shortened(choice)}", remedy)
    if choice == RJIEBA and not _has_rjieba():
        remedy = f"pip install rjieba, or set {SETTING}={AUTO}"
        raise ArgumentError(f"setting {SETTING}", "is rjieba, which is not installed", remedy)
    before, _chosen[0] = in_use(), choice
    return in_use() != before


def choice() -> str:
    """The choice of this process, for another process to make."""
    return _chosen[0]


def in_use() -> str:
    """The name of the engine that this process uses."""
    if _chosen[0] != AUTO:
        return _chosen[0]
    return RJIEBA if _has_rjieba() else JIEBA


def in_use_with_version() -> str:
    """Name and version of the engine that this process uses, as in "rjieba 0.2.2"."""
    return f"{in_use()} {version(in_use())}"


def chosen_cut(words: Iterable[str] = ()) -> Cut:
    """A new engine, of the kind in use. Its dictionary has NEW_WORDS and `words` in addition."""
    return rjieba_cut(words) if in_use() == RJIEBA else jieba_cut(words)


def _has_rjieba() -> bool:
    try:
        _rjieba()
    except ImportError:
        return False
    return True
