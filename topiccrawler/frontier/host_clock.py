"""One host's clock and leases: when it may be asked next, how many requests are under way, and why it must wait.

Several sources set one clock (the delay setting, robots.txt, AutoThrottle, Retry-After), so each value is kept under its
reason: the longest delay counts, a back-off is only lengthened, and the clock before the last slot is remembered.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from topiccrawler.frontier.paces import Pace

DELAY = "delay"
BUSY = "busy"


@dataclass(slots=True)
class HostClock:
    """The clock of one host; its pace is passed with each call."""

    name: str
    started: float = -inf  # when the last slot was taken
    next: float = -inf  # when the delay after that slot has passed
    before: tuple[float, float] | None = None  # started and next before the last slot
    requests: int = 0
    leases: int = 0
    delays: dict[str, float] | None = None  # reason -> seconds; most hosts have none
    back_off_until: float = -inf
    back_off_reason: str = ""

    def time(self) -> float:
        """Not before; -inf = at once."""
        return max(self.next, self.back_off_until)

    def begin(self, now: float, delay: float) -> None:
        """A slot is taken."""
        self.before = (self.started, self.next)
        self.leases += 1
        self.requests += 1
        self.started, self.next = now, now + delay

    def give_back(self) -> None:
        """A slot was not used. The clock goes back if that slot must have been the last. While other slots are under way it is
        unknown which one comes back, and the clock stays: slower, never too fast.
        """
        if self.leases == 1 and self.before is not None:
            self.started, self.next = self.before
        self.end()

    def end(self) -> None:
        """A slot ended."""
        self.leases = max(0, self.leases - 1)
        self.before = None

    def delay(self, default: float) -> tuple[float, str]:
        """The longest delay any reason asks for, and that reason."""
        if self.delays is not None:
            reason = max(self.delays, key=self.delays.__getitem__)
            if self.delays[reason] > default:
                return self.delays[reason], reason
        return default, DELAY

    def ask_delay(self, seconds: float, reason: str) -> None:
        """Replace the delay asked for under this reason; 0, less or NaN removes it."""
        delays = self.delays or {}
        delays.pop(reason, None)
        if seconds > 0:
            delays[reason] = seconds
        self.delays = delays or None

    def measure(self, delay: float) -> None:
        """Use this delay after the slot taken last, if any."""
        if self.started > -inf:
            self.next = self.started + delay

    def back_off(self, until: float, reason: str) -> None:
        """No slot before `until`; an earlier back-off is never shortened."""
        if until > self.back_off_until:
            self.back_off_until, self.back_off_reason = until, reason

    def reason(self, now: float, pace: Pace) -> str | None:
        """Why it may not be asked now, None when it may."""
        if self.time() > now:
            is_delayed = self.back_off_until < self.next
            return self.delay(pace.delay_seconds)[1] if is_delayed else self.back_off_reason
        return BUSY if self.leases >= pace.concurrency else None
