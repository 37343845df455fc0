"""Valid inputs with random damage, for tests of untrusted files: bytes cut, doubled or changed, values of other types."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

NUMBERS = [0, -1, 1, 2**31, 2**63, 10**400, -0.5, 1e308, float("nan"), float("inf")]
TEXTS = ["", " ", "\0", "\ud800", "中文", "..", "/", "http://[", "a" * 5000, "=1+1", "%s", "{}", "<script>"]
MARKS = [
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\r\n\r\n",
    b"<",
    b"]]>",
    b"&#0;",
    b"{",
    b'"',
    b"-1",
    b"9" * 400,
    b"\x1f\x8b",
    b"\n",
]

VALUES = st.one_of(
    st.sampled_from([None, True, False, [], {}, [[]], {"": None}]),
    st.sampled_from(NUMBERS),
    st.sampled_from(TEXTS),
    st.text(max_size=8),
    st.integers(-3, 3),
    st.lists(st.sampled_from([0, 1.5, "a", None]), max_size=3),
)


@st.composite
def spoilt_bytes(draw: Callable[[st.SearchStrategy[Any]], Any], body: bytes) -> bytes:
    """One to four cuts, insertions, doublings or changed bytes."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(body)))
        to = min(len(body), at + draw(st.sampled_from([0, 1, 2, 7, 40, 300])))
        body = (
            body[:at]
            + draw(
                st.one_of(
                    st.just(b""), st.just(body[at:to] * 2), st.sampled_from(MARKS), st.binary(max_size=4)
                )
            )
            + body[to:]
        )
    return body


@st.composite
def spoilt_value(draw: Callable[[st.SearchStrategy[Any]], Any], value: Any) -> Any:
    """A tree of dicts and lists with one to three of its places removed, added or of another value."""
    value = deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        place = value
        while isinstance(place, dict | list) and place:
            keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and draw(st.integers(0, 3)):
                place = place[key]
                continue
            change = draw(st.integers(0, 3))
            if change == 0:
                del place[key]
            elif change == 1 and isinstance(place, dict):
                place[draw(st.text(max_size=4))] = deepcopy(draw(VALUES))
            else:
                place[key] = deepcopy(draw(VALUES))
            break
    return value
