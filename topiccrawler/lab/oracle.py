"""Computes the crawl of the oracle, a strategy that knows all links and all labels.

Idea: always fetch the queued page from which the nearest relevant page is fewest links away.
Formula: key = (links to the nearest relevant page, order of arrival); 0 for a relevant page; a page from which no relevant one
    can be reached comes after all others; equal keys first in, first out.
Parameters: none.
Reads: the whole link table and the truth, which no crawl has.
Cost: O(links + pages · log pages), once a topic.
But: it is greedy and not optimal: it does not weigh one near relevant page against many that are a step farther.
Reference: house definition (ALGORITHMS §7); oracle_ratio divides by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from topiccrawler.lab.recorded_web import NOWHERE, LinkTable


def oracle_order(links: LinkTable, seeds: Sequence[int], relevant: Iterable[int], pages: int) -> list[int]:
    """The first `pages` pages that the oracle fetches from the seeds, in order."""
    distances = links.distances(relevant)
    heap: list[tuple[int, int, int]] = []
    queued: set[int] = set()

    def queue(found: Iterable[int]) -> None:
        for page in found:
            if page not in queued:
                distance = len(links) if distances[page] == NOWHERE else distances[page]
                heappush(heap, (distance, len(queued), page))
                queued.add(page)

    order: list[int] = []
    queue(seeds)
    while heap and len(order) < pages:
        page = heappop(heap)[2]
        order.append(page)
        queue(links[page])
    return order
