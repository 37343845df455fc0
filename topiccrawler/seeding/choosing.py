"""Chooses seeds among candidates: the best, few of a host, those that answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from topiccrawler.seeding.candidate import Candidate
from topiccrawler.urls.canonical import host_of


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, best first, and why others were not there."""

    chosen: list[Candidate]
    dead: dict[str, str]  # URL -> fault


def choose(
    candidates: Iterable[Candidate],
    count: int,
    per_host: int,
    check: Callable[[Sequence[str]], Mapping[str, str]] | None = None,
) -> Choice:
    """At most `count`, at most `per_host` of one host. `candidates` come best first; `check` gives the fault of each URL, empty for
    one that is there, and is asked for no more than may be needed; None = all are."""
    chosen: list[Candidate] = []
    dead: dict[str, str] = {}
    waiting = list(candidates)
    while waiting and len(chosen) < count:
        taken = Counter(host_of(one.url) for one in chosen)
        batch: list[Candidate] = []
        later: list[Candidate] = []
        for one in waiting:
            if len(chosen) + len(batch) < count and taken[host_of(one.url)] < per_host:
                taken[host_of(one.url)] += 1
                batch.append(one)
            else:
                later.append(one)
        if not batch:
            break
        faults = check([one.url for one in batch]) if check else {}
        for one in batch:
            if fault := faults.get(one.url, ""):
                dead[one.url] = fault
            else:
                chosen.append(one)
        waiting = later
    return Choice(sorted(chosen, key=lambda one: (-one.score, one.url)), dead)
