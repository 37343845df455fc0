"""Which of a job's pages are asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """Of all pages those that meet each condition; an empty one is none."""

    topic: str = ""
    site: str = ""  # a host, or a domain above it
    since: str = ""  # YYYY-MM-DD: the day of the page, else the day it was fetched, is not before
    min_relevance: float = 0.0  # 0..1
    kind: str = ""  # html, pdf … (docs/formats.md)

    def condition(self, *, host: str, day: str) -> tuple[str, list[object]]:
        """SQL that is true of such pages, and its values; `host` and `day`: what gives them."""
        tests: list[tuple[str, list[object]]] = [("1", [])]
        if self.topic:
            tests.append(("instr(',' || topic || ',', ',' || ? || ',')", [self.topic]))  # of several
        if self.site:
            below = f".{self.site}"
            tests.append((f"({host} = ? OR substr({host}, -length(?)) = ?)", [self.site, below, below]))
        if self.since:
            tests.append((f"{day} >= ?", [self.since]))
        if self.min_relevance > 0:
            tests.append(("relevance >= ?", [self.min_relevance]))
        if self.kind:
            tests.append(("format = ?", [self.kind]))
        return " AND ".join(test for test, _ in tests), [value for _, values in tests for value in values]


ALL = Selection()
