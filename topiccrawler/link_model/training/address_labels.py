"""Labels a link by the URL of its target.

Training needs tens of thousands of labelled links. Sites about one topic publish little else. So a link into such a site, or into such a
channel of a site, is an example of the topic, without manual labelling.

Idea: target under a positive URL prefix -> +; under a negative one -> -; elsewhere no label.
Formula: a prefix is a host (with all its sub-domains) or host/path; the longest prefix of the URL decides.
Parameters: the topic's `positive` and `negative` URL prefixes.
Reads: the URL only, neither anchor nor page. Cost: a few dictionary look-ups a link.
But: paths count too (www.sohu.com/c/8/), and a longer prefix overrules a shorter one of the other class; the
    paper has domains only. A link such as 更多 into a channel gets the channel's label.
Reference: Han et al. 2010, §3.2.2, algorithm 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical

_BELOW = "-"  # stands for what is below a prefix, so that canonical keeps its last directory


def label(url: str, topic: Topic) -> int | None:
    """Return 1 for a URL of the topic, 0 for another one, None if neither list has a prefix of it. A prefix in both lists is positive."""
    labels = _label_of_prefix(tuple(topic.positive), tuple(topic.negative))
    for prefix in _prefixes(url):
        if prefix in labels:
            return labels[prefix]
    return None


@lru_cache(maxsize=64)
def _label_of_prefix(positive: Iterable[str], negative: Iterable[str]) -> dict[str, int]:
    return {_trimmed(prefix): 0 for prefix in negative} | {_trimmed(prefix): 1 for prefix in positive}


def _trimmed(prefix: str) -> str:
    """Return a prefix as it is in canonical URLs in lower case: an IDN host and Chinese directories are encoded."""
    written = re.sub(r"^(?:https?://)?", "", prefix.strip().lower()).rstrip("/")
    address = (canonical(f"http://{written}/{_BELOW}") or "").lower()
    if not address.endswith(f"/{_BELOW}"):
        return written
    host, slash, path = address.removeprefix("http://").removesuffix(f"/{_BELOW}").partition("/")
    return f"{host.removesuffix(':443')}{slash}{path}"


def _prefixes(url: str) -> Iterator[str]:
    """Yield every prefix of `url`: those on its own host, longest path first, then those on its parent domains, nearest first."""
    try:
        parts = urlsplit(url.lower())
        port = f":{parts.port}" if parts.port not in {None, 80, 443} else ""
    except ValueError:
        return
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return
    steps = [step for step in parts.path.split("/") if step]
    domain = parts.hostname + port
    while domain:
        for length in range(len(steps), -1, -1):
            yield "/".join([domain, *steps[:length]])
        domain = domain.partition(".")[2]
