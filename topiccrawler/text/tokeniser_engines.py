"""The two engines of one algorithm, as plain functions: rjieba when it is installed, else jieba.

jieba is pure Python and always installs, but it warns at import, logs to stderr and leaves a world-readable
cache in the folder for temporary files; rjieba does none of that, but has wheels only for common machines.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

Cut = Callable[[str], Iterable[str]]


def fastest_cut() -> Cut:
    """rjieba where it can be imported, jieba elsewhere."""
    try:
        return rjieba_cut()
    except ImportError:
        return jieba_cut()


def rjieba_cut() -> Cut:
    """An engine of our own: words added to the module's engine by someone else do not reach it."""
    import rjieba

    engine = rjieba.Jieba()

    def cut(text: str) -> Iterable[str]:
        found: list[str] = engine.cut(text, True)
        return found

    return cut


def jieba_cut(cache_folder: Path | None = None) -> Cut:
    """jieba, silenced, with its dictionary cached in a folder only this user can read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources, at every import
        import jieba

        jieba.setLogLevel(logging.CRITICAL)
        engine = jieba.Tokenizer()
        engine.tmp_dir = str(_private(cache_folder or _user_cache()))
        engine.initialize()

    def cut(text: str) -> Iterable[str]:
        found: list[str] = engine.lcut(text)
        return found

    return cut


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "topiccrawler"


def _private(folder: Path) -> Path:
    """`folder`, made if it can be; where it cannot, jieba does without a cache."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
