"""How like two topics are: the cosine of their keyword vectors."""

from __future__ import annotations

from topiccrawler.text.vectors import cosine
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.topic import Topic

NEIGHBOUR = 0.1  # cosine, from which two topics share pages: film and entertainment have .35, health and parenting .09


def nearest(topic: Topic, most: int = 5) -> list[tuple[str, float]]:
    """The other topics of the catalogue most like this one, with their cosine (0..1), the most like first; none of 0."""
    others = [load_topic(name) for name, _ in topic_names() if name != topic.name]
    found = [(other.name, cosine(topic.keywords, other.keywords)) for other in others]
    return sorted((pair for pair in found if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:most]


def unlike(topic: Topic) -> list[Topic]:
    """The other topics of the catalogue whose words may stand for everything that is not about this one.

    A neighbour's may not: most pages about films are about entertainment too.
    """
    others = (load_topic(name) for name, _ in topic_names() if name != topic.name)
    return [other for other in others if cosine(topic.keywords, other.keywords) < NEIGHBOUR]
