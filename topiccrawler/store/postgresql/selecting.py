"""Which of a job's pages are asked for, as PostgreSQL has it (store.selection says it for SQLite)."""

from __future__ import annotations

from topiccrawler.store.selection import Selection


def condition(selection: Selection) -> tuple[str, list[object]]:
    """SQL that is true of such pages, and its values."""
    tests: list[tuple[str, list[object]]] = [("true", [])]
    if selection.topic:
        tests.append(("%s = ANY (string_to_array(topic, ','))", [selection.topic]))  # of several
    if selection.site:
        below = f".{selection.site}"
        tests.append(("(host = %s OR right(host, %s) = %s)", [selection.site, len(below), below]))
    if selection.since:
        tests.append(("day >= %s", [selection.since]))
    if selection.min_relevance > 0:
        tests.append(("relevance >= %s", [selection.min_relevance]))
    if selection.kind:
        tests.append(("format = %s", [selection.kind]))
    return " AND ".join(test for test, _ in tests), [value for _, values in tests for value in values]
