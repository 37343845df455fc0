"""The link model of a crawl for several topics: a link is as promising as for the topic it promises most."""

from __future__ import annotations

from collections.abc import Sequence

from topiccrawler.errors import ModelError
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.links.extract import ContextMaker
from topiccrawler.model import Link


class SeveralLinkModels:
    """ModelError when they read different contexts."""

    def __init__(self, models: Sequence[LinkClassifier]) -> None:
        self._models = models
        self.context: ContextMaker = models[0].context
        for model in models[1:]:
            if model.context != self.context:
                fault = f"reads the context {model.context}, that of {models[0].topic} {self.context}"
                raise ModelError(f"link model of {model.topic}", fault, "train both with the same --context")
        limits = [model.gate_threshold for model in models]
        self.gate_threshold = None if None in limits else min(limit for limit in limits if limit is not None)

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        """The largest of each link."""
        return list(map(max, *(model.log_odds(links) for model in self._models)))

    def explain(self, link: Link) -> list[tuple[str, float]]:
        """The words of the link, by the model that gives it most."""
        return max(self._models, key=lambda model: model.log_odds([link])[0]).explain(link)
