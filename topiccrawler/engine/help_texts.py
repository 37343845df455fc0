"""A command's `--help` in the user's language, Scrapy's own part of it too."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyHelpFormatter

from topiccrawler.messages import translated

_USAGE = "Usage"


class TranslatedHelp(ScrapyHelpFormatter):
    """Looks each text up when the help is printed."""

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and translated(heading))

    def add_argument(self, action: argparse.Action) -> None:
        action.help = action.help and translated(action.help)
        super().add_argument(action)

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        parts = super().format_part_strings(part_strings)
        if parts and parts[0].startswith(f"{_USAGE}\n"):
            parts[0] = translated(_USAGE) + parts[0].removeprefix(_USAGE)
        return parts
