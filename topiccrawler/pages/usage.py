"""Reads what a site says about the use of its pages: IETF Content-Usage, Cloudflare's Content-Signal, TDMRep, `noai`.

All become one text, `Statement`s joined by ` | `, each with its source:

    train-ai=n, search=y; source=robots.txt | tdm=n; source=tdmrep.json

`y` allows a use, `n` refuses it. The labels are those of the IETF: train-ai (training of generative models), ai-use (as input of such a model),
search; besides them tdm (text and data mining, which covers training) and train-ai-images. What nobody states is UNSTATED.
When statements differ, a refusal counts, as the IETF's draft has it. Within TDMRep the page's meta comes before its header, that before the
file of the host.
Reference: draft-ietf-aipref-attach-05 and draft-ietf-aipref-vocab; contentsignals.org; www.w3.org/community/reports/tdmrep (2024-05-10);
`noai` and `noimageai` are DeviantArt's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from topiccrawler.pages.document import Document
from topiccrawler.pages.robots_tags import NO_TAGS, RobotsTags

UNSTATED = "unstated"
ALLOWED, REFUSED = "y", "n"
ANY_USE = "any"  # of a filter: whatever pages say
TRAIN_AI, AI_USE, SEARCH, TDM, IMAGES = "train-ai", "ai-use", "search", "tdm", "train-ai-images"
ALL_USES = "bots"  # of earlier drafts: any automated use
# A purpose, and the labels by which it is refused.
PURPOSES: Mapping[str, Sequence[str]] = {
    TRAIN_AI: (TRAIN_AI, "train-genai", TDM, ALL_USES),
    AI_USE: (AI_USE, TDM, ALL_USES),
    SEARCH: (SEARCH, ALL_USES),
    TDM: (TDM, ALL_USES),
}
_LABELS = {  # as written -> label
    **{label: label for label in (TRAIN_AI, "train-genai", AI_USE, SEARCH, ALL_USES)},
    "ai": TRAIN_AI,  # earlier drafts
    "genai": "train-genai",
    "ai-train": TRAIN_AI,  # Content-Signal
    "ai-input": AI_USE,
}
_VALUES = {"y": ALLOWED, "n": REFUSED, "yes": ALLOWED, "no": REFUSED}
_MEMBER = re.compile(r"\s*([a-z*][a-z0-9_.*-]{0,40})\s*=\s*([a-z]{1,3})\s*(?:;.*)?", re.DOTALL)
_RESERVATIONS = {"1": REFUSED, "0": ALLOWED}
_NOT_PLAIN = re.compile(r"[\s;,|]+")
_STATED = re.compile(r"(?:^| )([a-z-]+)=([yn])(?=[,;])")  # a policy has no blanks

CONTENT_USAGE, RESERVATION, POLICY = "Content-Usage", "tdm-reservation", "tdm-policy"  # headers
LONGEST = 2_000  # characters of a header or line that are read
LONGEST_POLICY = 300  # characters of a URL
WELL_KNOWN = "/.well-known/tdmrep.json"
MOST_RULES = 200  # of that file: matching them takes some ms a page


class Statement(NamedTuple):
    """What one source says: label -> ALLOWED or REFUSED, and for TDMRep perhaps the URL of a policy, by which a licence can be had."""

    preferences: Mapping[str, str]
    source: str
    policy: str = ""

    def __str__(self) -> str:
        said = [f"{label}={value}" for label, value in self.preferences.items()]
        return (
            f"{', '.join([*said, *([f'policy={self.policy}'] if self.policy else [])])}; source={self.source}"
        )


def preferences_in(text: str) -> dict[str, str]:
    """The preferences of a Content-Usage or Content-Signal: a list of `label=y` or `label=yes`. Unknown labels and values are left out; of a
    label that is there twice the last one counts."""
    found: dict[str, str] = {}
    for part in text[:LONGEST].lower().split(","):
        member = _MEMBER.fullmatch(part)
        label, value = (_LABELS.get(member[1]), _VALUES.get(member[2])) if member else (None, None)
        if label and value:
            found[label] = value
    return found


def combined(preferences: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """All preferences by label in the order of their first statement; a refusal counts more than a permission."""
    found: dict[str, str] = {}
    for one in preferences:
        for label, value in one.items():
            found[label] = REFUSED if REFUSED in (value, found.get(label)) else value
    return found


def stated_in(usage: str) -> dict[str, str]:
    """All preferences in a text of `usage_text` by label."""
    return combined({label: value} for label, value in _STATED.findall(usage))


def refuses(usage: str, purpose: str) -> bool:
    """Whether a text of `usage_text` refuses one of PURPOSES."""
    stated = stated_in(usage)
    return any(stated.get(label) == REFUSED for label in PURPOSES[purpose])


def meets(usage: str, wanted: str) -> bool:
    """Whether a text of `usage_text` meets a filter: one of PURPOSES is not refused, `PURPOSE=y` is allowed; ANY_USE and "" are always met."""
    purpose, _, allowed = wanted.partition("=")
    if purpose not in PURPOSES:
        return True
    return not refuses(usage, purpose) and (not allowed or stated_in(usage).get(purpose) == ALLOWED)


def usage_text(statements: Iterable[Statement]) -> str:
    """The statements as one text, each once; UNSTATED when there are none."""
    return " | ".join(dict.fromkeys(map(str, statements))) or UNSTATED


def page_statements(
    document: Document, tags: RobotsTags, headers: Mapping[str, Sequence[str]]
) -> list[Statement]:
    """What a page itself says. `headers`: the values of the headers CONTENT_USAGE, RESERVATION and POLICY."""
    found = []
    if usage := preferences_in(",".join(headers.get(CONTENT_USAGE, ()))):
        found.append(Statement(usage, f"header {CONTENT_USAGE}"))
    for rule, label in (("noai", TRAIN_AI), ("noimageai", IMAGES)):
        if source := tags.source_of(rule):
            found.append(Statement({label: REFUSED}, source))
    metas = document.metas
    header = {name: ",".join(headers.get(name, ())) for name in (RESERVATION, POLICY)}
    for place, said in (("meta", metas), ("header", header)):
        if tdm := _reservation(said.get(RESERVATION, ""), said.get(POLICY), f"{place} {RESERVATION}"):
            return [*found, tdm]
    return found


def _reservation(value: object, policy: object, source: str) -> Statement | None:
    preference = _RESERVATIONS.get(str(value).strip())
    if preference is None or isinstance(value, bool):
        return None
    url = _NOT_PLAIN.sub("%20", policy.strip()) if isinstance(policy, str) else ""
    return Statement({TDM: preference}, source, url if len(url) <= LONGEST_POLICY else "")


NO_HEADERS: Mapping[str, Sequence[str]] = MappingProxyType({})


class Wishes(NamedTuple):
    """What came with a page besides its content: its robots tags, the headers about use by name, and what its host's robots.txt says of it."""

    tags: RobotsTags = NO_TAGS
    headers: Mapping[str, Sequence[str]] = NO_HEADERS
    of_host: Sequence[Statement] = ()

    def statements(self, document: Document) -> list[Statement]:
        """All that is said about the use of the page, without the file of TDMRep."""
        return [*self.of_host, *page_statements(document, self.tags, self.headers)]


NO_WISHES = Wishes()


class TdmFile:
    """The file of TDMRep of one host: rules for patterns of paths. A body that is no such file has no rules.

    `matcher(pattern)` returns a function of a URL, as pages.robots_txt.path_matcher does.
    """

    def __init__(self, body: bytes, matcher: Callable[[bytes], Callable[[str], bool]]) -> None:
        try:
            rules: Any = json.loads(body.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            rules = None
        self._rules: list[tuple[Callable[[str], bool], Statement | None]] = []
        for rule in rules[:MOST_RULES] if isinstance(rules, list) else []:
            location = rule.get("location") if isinstance(rule, dict) else None
            if isinstance(location, str) and location:
                pattern = location if location.startswith("/") else f"/{location}"
                statement = _reservation(rule.get(RESERVATION), rule.get(POLICY), "tdmrep.json")
                self._rules.append((matcher(pattern.encode("utf-8", "replace")), statement))

    def __len__(self) -> int:
        return len(self._rules)

    def statement(self, url: str) -> Statement | None:
        """What the first rule that matches a URL says; None when none does, or it says nothing valid."""
        return next((said for matches, said in self._rules if matches(url)), None)
