"""The two engines of one algorithm: rjieba when it is installed, else jieba.

jieba is pure Python and always installs, but it warns at import, logs to stderr and leaves a world-readable
cache in the folder for temporary files; rjieba does none of that, but has wheels only for common machines.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from topiccrawler.text.new_words import NEW_WORDS

Cut = Callable[[str], Iterable[str]]
LEARNED_FREQUENCY = (
    1_000  # of 60 million: more than two words have side by side by chance, less than 多少 in 做多少
)


@dataclass(frozen=True, slots=True)
class Engine:
    """Called with a text, it gives its tokens, blanks and punctuation included."""

    cut: Cut
    add: Callable[[str, int], object]

    def __call__(self, text: str) -> Iterable[str]:
        return self.cut(text)

    def learn(self, word: str) -> None:
        """From now on this word is one token."""
        self.add(word, LEARNED_FREQUENCY)


def fastest_cut() -> Engine:
    """rjieba where it can be imported, jieba elsewhere."""
    try:
        return rjieba_cut()
    except ImportError:
        return jieba_cut()


def rjieba_cut() -> Engine:
    """An engine of our own: words added to the module's engine by someone else do not reach it."""
    import rjieba

    engine = rjieba.Jieba()

    return _taught(
        Engine(lambda text: engine.cut(text, True), lambda word, freq: engine.add_word(word, freq, "n"))
    )


def jieba_cut(cache_folder: Path | None = None) -> Engine:
    """jieba, silenced, with its dictionary cached in a folder only this user can read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources, at every import
        import jieba

        jieba.setLogLevel(logging.CRITICAL)
        engine = jieba.Tokenizer()
        engine.tmp_dir = str(_private(cache_folder or _user_cache()))
        engine.initialize()

    return _taught(Engine(engine.lcut, engine.add_word))


def _taught(engine: Engine) -> Engine:
    for word in NEW_WORDS:
        engine.learn(word)
    return engine


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "topiccrawler"


def _private(folder: Path) -> Path:
    """`folder`, made if it can be; where it cannot, jieba does without a cache."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
