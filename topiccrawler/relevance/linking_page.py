"""The similarity of a page by its own words and by the page that links it.

Idea: short pages say little of themselves, and a page is mostly linked from pages about the same.
Formula: r · ((l + FLOOR) / (NEUTRAL + FLOOR))^weight, at most 1; r, l = similarity by its words of the page and of the page that links it.
Parameters: weight .5, NEUTRAL .2, FLOOR .05, for the scale of the page classifier vsm (docs/lab/page-classifiers.md).
But: it is the page whose link was followed that counts, the best of those met before; what links the page later says nothing.
Reference: Chakrabarti, Dom & Indyk (1998), Enhanced Hypertext Categorization Using Hyperlinks.
"""

from __future__ import annotations

NEUTRAL = 0.2  # similarity of a linking page that changes nothing
FLOOR = 0.05


def linking_page_factor(linking: float, weight: float) -> float:
    """What a linking page of this similarity, cut to 0..1, does to that of the page; `weight` 0..1, 0 = nothing. .45 to 2.05 with .5."""
    linking = min(1.0, max(0.0, linking))  # a crawl log may have been written into
    return float(((linking + FLOOR) / (NEUTRAL + FLOOR)) ** weight)


def with_linking_page(similarity: float, linking: float, weight: float) -> float:
    """Both 0..1 and so the answer."""
    return min(1.0, similarity * linking_page_factor(linking, weight))
