"""One link as its page shows it: under which text, in which shape, at which address.

The conflict: link text is the best evidence a crawler has, and on real pages it is cut, empty, an image, or the target is
gone. The shares below say how often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from topiccrawler.demo import addresses
from topiccrawler.demo.plan import PlannedPage, Web
from topiccrawler.demo.sentences import DULL_ANCHORS, headline

DULL_SHARE = 0.12  # links to articles whose text says nothing
DEAD_SHARE = 0.02  # links to articles that are gone
DEAD_NUMBER = 90_000  # of the one article of each channel that is gone
TRACKED_SHARE = 0.04  # links that carry a tracking parameter


@dataclass(frozen=True, slots=True)
class Shown:
    """One link as it will stand on the page."""

    url: str
    text: str
    note: str = ""  # plain text after it: a date, a description
    shape: str = "text"  # text | image | titled (the text is the title attribute) | area


@dataclass(frozen=True, slots=True)
class Block:
    """Links that stand together. `role` decides the markup."""

    role: str  # nav | crumb | section | list | pager | related | hot | inline | friends | footer | trade
    heading: str
    links: tuple[Shown, ...]


def to_article(web: Web, target: PlannedPage, dice: Random) -> Shown:
    """A link to an article: its headline, a cut headline, or nothing worth reading; at times tracked or dead."""
    text, url, shape = target.title, target.url, "text"
    drawn = dice.random()
    if drawn < DULL_SHARE:
        text = dice.choice(DULL_ANCHORS)
    elif drawn < DULL_SHARE + 0.15:
        text = text[:12] + "…" if len(text) > 13 else text
    if dice.random() < 0.06:
        shape = dice.choice(("image", "titled"))
    luck = dice.random()
    if luck < DEAD_SHARE and target.channel:
        nouns = web.nouns(target.site, target.topic)
        text = headline(web.dice("dead", target.channel), target.topic, nouns)
        url = addresses.article(target.site, target.channel, DEAD_NUMBER, text)
    elif luck < DEAD_SHARE + TRACKED_SHARE:
        url += ("&" if "?" in url else "?") + "utm_source=" + target.site.host.split(".")[0]
    return Shown(url, text, f"{dice.randint(1, 12):02}-{dice.randint(1, 28):02}", shape)


def some(web: Web, pool: Sequence[PlannedPage], count: int, dice: Random) -> tuple[Shown, ...]:
    """Links to `count` of these articles, drawn."""
    picked = dice.sample(pool, min(count, len(pool)))
    return tuple(to_article(web, target, dice) for target in picked)
