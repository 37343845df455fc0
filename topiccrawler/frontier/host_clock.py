"""One host's clock and leases: when it may be asked next, how many askings are under way, and why it must wait.

The conflict: several voices speak about one clock (the delay setting, robots.txt, AutoThrottle, Retry-After), each may
change its mind, and a turn may turn out not to have been used. So every voice is kept under its reason: the longest
delay counts, rests only lengthen, and the last turn remembers the clock before it.
"""

from __future__ import annotations

from math import inf

DELAY = "delay"
BUSY = "busy"


class HostClock:
    """Of one host; the delay it has by default and its concurrency are told with each call."""

    __slots__ = (
        "back_off_reason",
        "back_off_until",
        "before",
        "delays",
        "leases",
        "name",
        "next",
        "requests",
        "started",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.started = -inf  # when the last turn began
        self.next = -inf  # when the delay after that turn has passed
        self.before: tuple[float, float] | None = None  # started and next before the last turn
        self.requests = 0
        self.leases = 0
        self.delays: dict[str, float] | None = None  # reason -> seconds; most hosts have none
        self.back_off_until = -inf
        self.back_off_reason = ""

    def time(self) -> float:
        """Not before; -inf = at once."""
        return max(self.next, self.back_off_until)

    def begin(self, now: float, delay: float) -> None:
        """A turn begins."""
        self.before = (self.started, self.next)
        self.leases += 1
        self.requests += 1
        self.started, self.next = now, now + delay

    def give_back(self) -> None:
        """A turn was not used. The clock goes back if that turn must have been the last; while other turns are under
        way it cannot be told which one comes back, and the clock stays: slower, never ruder."""
        if self.leases == 1 and self.before is not None:
            self.started, self.next = self.before
        self.end()

    def end(self) -> None:
        """A turn ended."""
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
        """Replace what this reason asked before; 0, less or NaN takes it back."""
        delays = self.delays or {}
        delays.pop(reason, None)
        if seconds > 0:
            delays[reason] = seconds
        self.delays = delays or None

    def measure(self, delay: float) -> None:
        """The turn that began last, if any did, is followed by this delay."""
        if self.started > -inf:
            self.next = self.started + delay

    def back_off(self, until: float, reason: str) -> None:
        """No turn before `until`; never shortens an earlier rest."""
        if until > self.back_off_until:
            self.back_off_until, self.back_off_reason = until, reason

    def reason(self, now: float, default: float, concurrency: int) -> str | None:
        """Why it may not be asked now, None when it may."""
        if self.time() > now:
            return self.back_off_reason if self.back_off_until >= self.next else self.delay(default)[1]
        return BUSY if self.leases >= concurrency else None
