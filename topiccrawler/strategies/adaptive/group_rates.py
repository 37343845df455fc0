"""The success rates of groups of URLs: of a site, or of a host that links; what the links to a group say before it gave a page, and how
many of its pages in a row were irrelevant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from topiccrawler.links.numbering import Numbering
from topiccrawler.links.packed_arrays import Floats, Numbers, doubled, packed, unpacked

TEXT_SMOOTHING = 2.0  # URLs
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
        self.unproductive = np.zeros(256)  # pages in a row
        self.urls, self.texts = np.zeros(256), np.zeros(256)  # URLs met, and the sum of what their links say

    def number(self, name: str) -> int:
        """The group's number; a new one for a new name."""
        found = self.names.get(name)
        if found is None:
            found = self.names.add(name)
            self._grow()
            for column in (self.pages, self.relevant, self.unproductive, self.touched, self.urls, self.texts):
                column[found] = 0
        return found

    def add(self, number: int, relevant: float) -> None:
        """One of its pages was fetched."""
        self.pages[number] = self.keep * self.pages[number] + 1.0
        self.relevant[number] = self.keep * self.relevant[number] + relevant
        self.unproductive[number] = 0.0 if relevant > 0.0 else self.unproductive[number] + 1.0
        self.touched[number] = True

    def meet(self, numbers: Numbers, texts: Floats) -> None:
        """URLs of these groups were met for the first time, by links that say so much (log-odds scale)."""
        np.add.at(self.urls, numbers, 1.0)
        np.add.at(self.texts, numbers, texts)

    def text(self, numbers: Numbers) -> Floats:
        """What the links to the URLs of each group say, in the mean; smoothed: sum / (URLs + TEXT_SMOOTHING)."""
        means: Floats = self.texts[numbers] / (self.urls[numbers] + TEXT_SMOOTHING)
        return means

    def forget(self, used: Numbers, most: int) -> None:
        """Forget the groups that are not `used` and of which nothing is known; and of the others not used those that gave fewest
        pages, while there are more than `most`.
        """
        spare = self.names.used()
        spare[used] = False
        spares = np.flatnonzero(spare)
        spares = spares[np.argsort(self.pages[spares], kind="stable")]
        silent = (self.pages[spares] == 0) & (self.urls[spares] == 0)
        spares = np.concatenate([spares[silent], spares[~silent]])
        self.names.forget(spares[: max(np.count_nonzero(silent), len(self.names) - most)])

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
            "unproductive": packed(self.unproductive[:count]),
            "touched": packed(self.touched[:count]),
            "urls": packed(self.urls[:count]),
            "texts": packed(self.texts[:count]),
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
        group_rates.unproductive[:count] = unpacked(state["unproductive"])
        group_rates.touched[:count] = unpacked(state["touched"], np.bool_)
        group_rates.urls[:count] = unpacked(state["urls"])
        group_rates.texts[:count] = unpacked(state["texts"])
        return group_rates

    def _grow(self) -> None:
        while len(self.pages) < self.names.size:
            self.pages, self.relevant, self.touched = map(doubled, (self.pages, self.relevant, self.touched))
            self.urls, self.texts = map(doubled, (self.urls, self.texts))
            self.unproductive = doubled(self.unproductive)


def logit(probability: Floats | float) -> Floats:
    """ln p / (1 - p), kept finite."""
    kept = np.clip(probability, LEAST, 1.0 - LEAST)
    odds: Floats = np.log(kept / (1.0 - kept))
    return odds


def bounded(log_odds: Floats) -> Floats:
    """What words say, between -2 and 2."""
    found: Floats = 2.0 * np.tanh(log_odds)
    return found
