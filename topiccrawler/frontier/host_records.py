"""What is known of a host beside its clock, and goes to its next owner when several processes share a crawl."""

from __future__ import annotations

from typing import Protocol


class HostRecords(Protocol):
    """Kept by whoever counts a host's pages (frontier.budgets)."""

    def told(self, host: str) -> str:
        """For the next owner; empty = nothing is known."""

    def heard(self, host: str, text: str) -> None:
        """What the last owner told; a damaged text tells nothing."""
