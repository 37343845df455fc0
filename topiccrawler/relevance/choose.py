"""The page judge a user names, for a topic: `vsm` from the topic alone, the others from their trained file.

The conflict: `vsm` must work for a topic made a minute ago, a trained judge only where someone trained it; a name without
its file is told in one line before the first request. A trained topic vector, where there is one, replaces the topic's own.
"""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

from topiccrawler.errors import ArgumentError, ModelError
from topiccrawler.relevance.base import JUDGES, VSM, PageJudge
from topiccrawler.relevance.vsm import VsmJudge
from topiccrawler.resources import folder as data_folder
from topiccrawler.topics.topic import Topic

FOLDER = "judges"  # within the folder of models


def make_judge(topic: Topic, name: str = VSM, folder: Path | None = None) -> PageJudge:
    """The judge `name` of that topic; `folder`: where trained models lie, by default those that travel with the package."""
    if name not in JUDGES:
        raise ArgumentError(f"judge {name!r}", "is unknown", f"judges are {', '.join(JUDGES)}")
    place = judge_file(topic.name, name, folder)
    if name == VSM:
        if not place.is_file():
            return VsmJudge(topic)
        from topiccrawler.relevance.model_file import load_vectors

        return load_vectors(place, topic)
    if not place.is_file():
        raise ModelError(
            f"judge {name} of topic {topic.name!r}",
            f"there is no {place}",
            f"train it: scrapy train {topic.name} --judge {name} --documents FILE",
        )
    from topiccrawler.relevance.model_file import load  # numpy: only for those who need it

    return load(place, name)


def judge_file(topic: str, name: str, folder: Path | None = None) -> Path | Traversable:
    """Where the trained judge of a topic lies."""
    place: Path | Traversable = folder or data_folder("models")
    return place.joinpath(FOLDER, f"{topic}.{name}.json")
