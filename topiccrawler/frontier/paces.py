"""How often a host may be asked, and how many requests it may have at once: the usual pace, and that of single hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Pace:
    """A request every `delay_seconds`, `concurrency` of them at once."""

    delay_seconds: float = 0.0
    concurrency: int = 1


@dataclass(slots=True)
class Paces:
    """`special`: by name of the host, with or without its port."""

    usual: Pace = field(default_factory=Pace)
    special: Mapping[str, Pace] = field(default_factory=dict)

    def of(self, host: str) -> Pace:
        """The pace of this host."""
        return self.special.get(self.key(host), self.usual) if self.special else self.usual

    def key(self, host: str) -> str:
        """The name its pace is kept under: without the port when only so it has one of its own, else its own."""
        name = host.partition(":")[0]
        return name if host not in self.special and name in self.special else host
