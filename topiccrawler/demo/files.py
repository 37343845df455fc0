"""Where everything of one demo lies, and how a folder becomes ready for a new one.

The conflict: a demo is run again and again into the same folder, so what earlier crawls left must go; and a folder named by
mistake may hold somebody's work, so nothing else may.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from topiccrawler.demo.topic_file import topic_toml
from topiccrawler.demo.words import FINANCE
from topiccrawler.errors import ArgumentError


class DemoFiles:
    """Where everything of one demo lies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.topic = folder / "demo.toml"
        self.seeds = folder / "seeds.txt"
        self.links = folder / "links.jsonl"
        self.models = folder / "models"
        self.model = self.models / f"{FINANCE}.json"
        self.comparison = folder / "comparison.json"

    def job(self, strategy: str) -> Path:
        """The folder the crawl writes: pages.sqlite and visits.jsonl."""
        return self.folder / strategy

    def log(self, strategy: str) -> Path:
        return self.folder / f"{strategy}.log"

    def feed(self, strategy: str) -> Path:
        return self.folder / f"{strategy}.jsonl"

    def make_ready(self, seeds: Iterable[str], strategies: Iterable[str]) -> None:
        """Write topic and seeds; take away what an earlier demo's crawls left, so that nothing is added to it."""
        if self.folder.exists() and not self.topic.exists() and not _is_empty(self.folder):
            raise ArgumentError(
                f"--out {self.folder}", "holds something else than a demo", "name a new folder"
            )
        try:
            self.models.mkdir(parents=True, exist_ok=True)
            for strategy in strategies:
                job = self.job(strategy)
                left = list(job.iterdir()) if job.is_dir() else []
                for file in (*left, self.log(strategy), self.feed(strategy)):
                    file.unlink(missing_ok=True)
            self.topic.write_text(topic_toml(), encoding="utf-8")
            self.seeds.write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")
        except OSError as failure:
            fault = f"cannot be written: {failure.strerror}"
            raise ArgumentError(f"--out {self.folder}", fault, "name another folder") from None


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())
