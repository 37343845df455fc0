"""Adaptive: an online logistic regression over the link text, its site, host, URL and words."""

from topiccrawler.strategies.adaptive.strategy import Adaptive

__all__ = ["Adaptive"]
