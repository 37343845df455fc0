"""Computes how far raters agree (kappa), the majority of their answers, and shares of rated pages with a confidence interval.

Formula: Cohen (two raters) and Fleiss (several): kappa = (P - Pe) / (1 - Pe), over the pages that all have rated. Fleiss: P = mean over
pages of (sum of squared counts - n) / (n(n - 1)), Pe = sum of squared shares of each answer. Cohen: P = share of pages rated alike,
Pe = sum over answers of the product of both raters' shares. None when all answers are equal, because kappa is then undefined.
Interval: Wilson's score interval of a share, at 95 %.
Reference: Cohen (1960), Educ. Psychol. Meas. 20; Fleiss (1971), Psychol. Bull. 76; Wilson (1927), J. Am. Stat. Assoc. 22; nb-guided §4.3.1
for the harvest curve by ratings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from topiccrawler.lab.measures import CONFIDENCE


class Share(NamedTuple):
    """A share of rated pages with its confidence interval: `yes` of `of` pages."""

    yes: int
    of: int
    low: float
    high: float

    @classmethod
    def of_answers(cls, answers: Sequence[bool]) -> Share:
        """The share of positive answers with Wilson's interval, which is 0 to 1 without answers."""
        if not answers:
            return cls(0, 0, 0.0, 1.0)
        from scipy.stats import binomtest

        interval = binomtest(sum(answers), len(answers)).proportion_ci(CONFIDENCE, "wilson")
        return cls(sum(answers), len(answers), float(interval.low), float(interval.high))

    @property
    def share(self) -> float:
        """The share, 0..1; 0 without answers."""
        return self.yes / self.of if self.of else 0.0


def kappa(ratings: Sequence[Mapping[str, bool]]) -> tuple[str, float | None, int]:
    """The author of the formula, kappa, and the number of pages that it is computed on: those that every rater has rated."""
    if len(ratings) < 2:
        return "", None, 0
    common = sorted(set.intersection(*(set(rating) for rating in ratings)))
    answers = [[rating[url] for rating in ratings] for url in common]
    formula, name = (cohen_kappa, "Cohen") if len(ratings) == 2 else (fleiss_kappa, "Fleiss")
    return name, formula(answers), len(common)


def cohen_kappa(answers: Sequence[Sequence[bool]]) -> float | None:
    """Cohen's kappa of two raters' answers about each page; None without pages, or if kappa is undefined."""
    if not answers:
        return None
    p, q = (fmean(of_rater) for of_rater in zip(*answers, strict=True))
    return _beyond_chance(fmean(one == other for one, other in answers), p * q + (1 - p) * (1 - q))


def fleiss_kappa(answers: Sequence[Sequence[bool]]) -> float | None:
    """Fleiss' kappa of the answers about each page, by the same number of raters (at least two); None without answers, or if undefined."""
    if not answers or len(answers[0]) < 2:
        return None
    raters = len(answers[0])
    counts = [(sum(of_page), raters - sum(of_page)) for of_page in answers]
    alike = fmean((yes * yes + no * no - raters) / (raters * (raters - 1)) for yes, no in counts)
    share = sum(yes for yes, _ in counts) / (raters * len(counts))
    return _beyond_chance(alike, share * share + (1 - share) * (1 - share))


def _beyond_chance(alike: float, by_chance: float) -> float | None:
    return None if by_chance >= 1 else (alike - by_chance) / (1 - by_chance)


def majority(ratings: Sequence[Mapping[str, bool]]) -> dict[str, bool]:
    """The answer of most raters about each page; pages with a tie are left out."""
    found = {}
    for url in sorted(set().union(*ratings)):
        votes = [rating[url] for rating in ratings if url in rating]
        if 2 * sum(votes) != len(votes):
            found[url] = 2 * sum(votes) > len(votes)
    return found
