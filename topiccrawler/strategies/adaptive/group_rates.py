"""The success rates of groups of URLs: of a site, or of a host that links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from topiccrawler.links.packed_arrays import Floats, Numbers, doubled, list_of, packed, packed_list, unpacked

LEAST = 1e-3  # probabilities are kept this far from 0 and 1 before a logit


class GroupRates:
    """Pages fetched from each group, and how many were relevant. With each page of a group the earlier ones decay by
    `keep`, so that an unproductive site is soon left.
    """

    def __init__(self, keep: float = 1.0) -> None:
        self.keep = keep
        self.names: dict[str, int] = {}
        self.pages = np.zeros(256)
        self.relevant = np.zeros(256)
        self.touched = np.zeros(256, dtype=bool)  # since the last look

    def number(self, name: str) -> int:
        """The group's number; a new one for a new name."""
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = len(self.names)
            if found == len(self.pages):
                columns = self.pages, self.relevant, self.touched
                self.pages, self.relevant, self.touched = map(doubled, columns)
        return found

    def add(self, number: int, relevant: float) -> None:
        """One of its pages was fetched."""
        self.pages[number] = self.keep * self.pages[number] + 1.0
        self.relevant[number] = self.keep * self.relevant[number] + relevant
        self.touched[number] = True

    def keep_only(self, used: Numbers) -> Numbers:
        """Forget the groups that are not `used` and gave no page; the new numbers of those used."""
        names = list(self.names)
        stays = np.zeros(len(names), dtype=bool)
        stays[used] = True
        stays |= self.pages[: len(names)] > 0
        kept = np.flatnonzero(stays)
        self.names = {names[old]: new for new, old in enumerate(kept.tolist())}
        room = max(256, len(kept))
        for column in ("pages", "relevant", "touched"):
            values = getattr(self, column)[kept]
            setattr(self, column, np.concatenate([values, np.zeros(room - len(kept), dtype=values.dtype)]))
        renumbered: Numbers = (np.cumsum(stays) - 1)[used]
        return renumbered

    def rate(self, numbers: Numbers, prior: Floats | float, strength: float) -> Floats:
        """Relevant share, smoothed: (relevant + strength * prior) / (pages + strength)."""
        rates: Floats = (self.relevant[numbers] + strength * prior) / (self.pages[numbers] + strength)
        return rates

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        count = len(self.names)
        return {
            "names": packed_list(self.names),
            "pages": packed(self.pages[:count]),
            "relevant": packed(self.relevant[:count]),
            "touched": packed(self.touched[:count]),
        }

    @classmethod
    def load(cls, state: Mapping[str, Any], keep: float = 1.0) -> GroupRates:
        """What `save` kept."""
        group_rates = cls(keep)
        for name in list_of(state["names"]):
            group_rates.number(name)
        count = len(group_rates.names)
        group_rates.pages[:count] = unpacked(state["pages"])
        group_rates.relevant[:count] = unpacked(state["relevant"])
        group_rates.touched[:count] = unpacked(state["touched"], np.bool_)
        return group_rates


def logit(probability: Floats | float) -> Floats:
    """ln p / (1 - p), kept finite."""
    kept = np.clip(probability, LEAST, 1.0 - LEAST)
    odds: Floats = np.log(kept / (1.0 - kept))
    return odds
