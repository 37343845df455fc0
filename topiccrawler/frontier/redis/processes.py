"""Whether the process of a worker on this machine is alive: one that was killed here need not be waited for."""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")


def identity() -> str:
    """This process, unlike any other of this or another machine; "" where the system does not tell."""
    try:
        return f"{_machine()} {os.getpid()} {_started(os.getpid())}"
    except (OSError, IndexError):
        return ""


def has_ended(who: str) -> bool:
    """A process that is known to have ended; False for those of other machines."""
    machine, _, rest = who.partition(" ")
    pid, _, started = rest.partition(" ")
    try:
        if not started or machine != _machine():
            return False
        return _started(int(pid)) != started
    except (FileNotFoundError, ProcessLookupError):
        return True
    except (OSError, ValueError, IndexError):
        return False


def _machine() -> str:
    """Since its start; containers with processes of their own count as machines."""
    boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"


def _started(pid: int) -> str:
    """When, by the system's clock ticks: numbers of processes are given again."""
    return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
