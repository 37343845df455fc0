"""The facts in a message (figures, names, places) without its wording, so that tests do not depend on English prose."""

import re
from collections.abc import Sequence

_FIGURE = re.compile(r"\d+(?:\.\d+)?")


def one_line(fault: str = "", begin: str = "") -> str:
    """For `pytest.raises(match=…)`: a message of one line that begins so, and in which a regular expression matches."""
    return rf"\A{re.escape(begin)}(?=.*\Z).*{fault}"


def count_and_place(line: str) -> tuple[int, str]:
    """The count that a line begins with and the file that it ends with."""
    words = line.split()
    return int(words[0]), words[-1]


def unlike(lines: Sequence[str], *patterns: str) -> list[str]:
    """The lines that the regular expression at the same place does not match from their start on."""
    return [line for line, pattern in zip(lines, patterns, strict=True) if re.match(pattern, line) is None]


def numbers(text: str) -> list[str]:
    """The figures in a text, as they are written."""
    return _FIGURE.findall(text)
