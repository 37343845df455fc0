"""The success rates of groups of URLs: of a site, or of a host that links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from topiccrawler.links.numbering import Numbering
from topiccrawler.links.packed_arrays import Floats, Numbers, doubled, packed, unpacked

LEAST = 1e-3  # probabilities are kept this far from 0 and 1 before a logit


class GroupRates:
    """Pages fetched from each group, and how many were relevant. With each page of a group the earlier ones decay by
    `keep`, so that an unproductive site is soon left.
    """

    def __init__(self, keep: float = 1.0) -> None:
        self.keep = keep
        self.names = Numbering()
        self.pages = np.zeros(256)
        self.relevant = np.zeros(256)
        self.touched = np.zeros(256, dtype=bool)  # since the last look

    def number(self, name: str) -> int:
        """The group's number; a new one for a new name."""
        found = self.names.get(name)
        if found is None:
            found = self.names.add(name)
            self._grow()
            self.pages[found] = self.relevant[found] = self.touched[found] = 0
        return found

    def add(self, number: int, relevant: float) -> None:
        """One of its pages was fetched."""
        self.pages[number] = self.keep * self.pages[number] + 1.0
        self.relevant[number] = self.keep * self.relevant[number] + relevant
        self.touched[number] = True

    def forget(self, used: Numbers, most: int) -> None:
        """Forget the groups that are not `used` and gave no page; and of those that gave some the ones that gave fewest,
        while there are more than `most`.
        """
        spare = self.names.used()
        spare[used] = False
        spares = np.flatnonzero(spare)
        spares = spares[np.argsort(self.pages[spares], kind="stable")]
        silent = np.count_nonzero(self.pages[spares] == 0)
        self.names.forget(spares[: max(silent, len(self.names) - most)])

    def rate(self, numbers: Numbers, prior: Floats | float, strength: float) -> Floats:
        """Relevant share, smoothed: (relevant + strength * prior) / (pages + strength)."""
        rates: Floats = (self.relevant[numbers] + strength * prior) / (self.pages[numbers] + strength)
        return rates

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        count = self.names.size
        return {
            "names": self.names.save(),
            "pages": packed(self.pages[:count]),
            "relevant": packed(self.relevant[:count]),
            "touched": packed(self.touched[:count]),
        }

    @classmethod
    def load(cls, state: Mapping[str, Any], keep: float = 1.0) -> GroupRates:
        """What `save` kept."""
        group_rates = cls(keep)
        group_rates.names = Numbering.load(state["names"])
        group_rates._grow()
        count = group_rates.names.size
        group_rates.pages[:count] = unpacked(state["pages"])
        group_rates.relevant[:count] = unpacked(state["relevant"])
        group_rates.touched[:count] = unpacked(state["touched"], np.bool_)
        return group_rates

    def _grow(self) -> None:
        while len(self.pages) < self.names.size:
            columns = self.pages, self.relevant, self.touched
            self.pages, self.relevant, self.touched = map(doubled, columns)


def logit(probability: Floats | float) -> Floats:
    """ln p / (1 - p), kept finite."""
    kept = np.clip(probability, LEAST, 1.0 - LEAST)
    odds: Floats = np.log(kept / (1.0 - kept))
    return odds
