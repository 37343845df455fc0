"""Learns success rates of groups of URLs: those of a site, or those that one host links.

`GroupRates` stores once for each group (a site, a linking host) what its URLs share: the success rate, the mean text of its links,
and the number of irrelevant pages since the last relevant one. Rows gather it by the number of their group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from topiccrawler.links.columns import Floats, Numbers, packed, unpacked
from topiccrawler.strategies.numbering import Numbering, doubled

TEXT_SMOOTHING = 2.0  # URLs with a text of 0

LEAST_STRENGTH = 1e-9  # pages


class GroupRates:
    """The number of pages fetched from each group, and of relevant ones. With each further page of a group its counts are multiplied
    by `keep`, so that the crawl soon leaves an unproductive site.
    """

    COLUMNS = ("pages", "relevant", "unproductive", "touched", "opened", "urls", "texts")

    def __init__(self, keep: float = 1.0) -> None:
        self.keep = keep
        self.names = Numbering()
        self.pages = np.zeros(256)
        self.relevant = np.zeros(256)
        self.touched = np.zeros(256, dtype=bool)  # changed since the last call of UrlFeatures.touched_rows
        self.unproductive = np.zeros(256)  # consecutive unproductive pages
        self.opened = np.zeros(256)  # groups first reached by this group's links; decays like `pages`
        self.urls, self.texts = np.zeros(256), np.zeros(256)  # URLs found, and the sum of their text scores

    def numbers(self, names: Sequence[str]) -> Numbers:
        """Return the numbers of the named groups; new names get new numbers."""
        if new := self.names.add_all(names):
            self._grow()
            for name in self.COLUMNS:
                getattr(self, name)[new] = 0
        return self.names.of(names)

    def add(self, number: int, relevant: float, least: float = 0.0) -> None:
        """Count a fetched page of a group. `relevant` is its outcome, 0..1; it is unproductive if that is at most `least`."""
        self.pages[number] = self.keep * self.pages[number] + 1.0
        self.relevant[number] = self.keep * self.relevant[number] + relevant
        self.unproductive[number] = 0.0 if relevant > least else self.unproductive[number] + 1.0
        self.opened[number] *= self.keep
        self.touched[number] = True

    def meet(self, numbers: Numbers, texts: Floats) -> None:
        """Count new URLs of these groups. `texts`: the text score of the link to each (log-odds scale)."""
        np.add.at(self.urls, numbers, 1.0)
        np.add.at(self.texts, numbers, texts)

    def text(self, numbers: Numbers) -> Floats:
        """Return the smoothed mean text score of the links to each group's URLs: sum / (URLs + TEXT_SMOOTHING)."""
        means: Floats = self.texts[numbers] / (self.urls[numbers] + TEXT_SMOOTHING)
        return means

    def forget(self, used: Numbers, most: int) -> None:
        """Forget the groups that are not `used` and have neither pages nor URLs. If more than `most` groups are left, also forget
        unused ones, those with the fewest pages first.
        """
        spare = self.names.used()
        spare[used] = False
        spares = np.flatnonzero(spare)
        spares = spares[np.argsort(self.pages[spares], kind="stable")]
        silent = (self.pages[spares] == 0) & (self.urls[spares] == 0)
        spares = np.concatenate([spares[silent], spares[~silent]])
        self.names.forget(spares[: max(np.count_nonzero(silent), len(self.names) - most)])

    def rate(self, numbers: Numbers, prior: Floats | float, strength: float) -> Floats:
        """Return the smoothed relevant share of each group: (relevant + strength * prior) / (pages + strength)."""
        strength = max(strength, LEAST_STRENGTH)  # 0 / 0 for a group without pages otherwise
        rates: Floats = (self.relevant[numbers] + strength * prior) / (self.pages[numbers] + strength)
        return rates

    def save(self) -> dict[str, Any]:
        """Return the groups and their counts as JSON values."""
        count = self.names.size
        columns = {name: packed(getattr(self, name)[:count]) for name in self.COLUMNS}
        return {"names": self.names.save(), **columns}

    @classmethod
    def load(cls, state: Mapping[str, Any], keep: float = 1.0) -> GroupRates:
        """Restore what `save` returned."""
        group_rates = cls(keep)
        group_rates.names = Numbering.load(state["names"])
        group_rates._grow()
        count = group_rates.names.size
        for name in cls.COLUMNS:
            column = getattr(group_rates, name)
            column[:count] = unpacked(state[name], column.dtype)
        return group_rates

    def _grow(self) -> None:
        while len(self.pages) < self.names.size:
            for name in self.COLUMNS:
                setattr(self, name, doubled(getattr(self, name)))
