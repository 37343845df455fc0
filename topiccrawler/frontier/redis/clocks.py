"""A host's clock as it is handed to its next owner: when it may be asked, why not before, the delays that were asked for, its record
(frontier.budgets).

Times are those of the server, since clocks of machines differ.
"""

from __future__ import annotations

import json

from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.redis.records import DOUBLE


def told(hosts: Hosts, host: str, now: float, offset: float, session: str) -> bytes:
    """For the next owner. `offset`: the server's clock minus ours; `session`: who tells it."""
    due = hosts.ready_at(host)
    reason = hosts.waiting_reason(host, now) if due > now else ""
    until = due + offset if due > now else 0.0
    record = hosts.records.told(host) if hosts.records is not None else ""
    kept = {"why": reason or "", "delays": hosts.delays(host), "by": session, "record": record}
    return DOUBLE.pack(until) + json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")


def heard(hosts: Hosts, host: str, text: bytes, offset: float, session: str) -> None:
    """Take over what the last owner told, if that was another. A clock that lies ahead here already stays."""
    if len(text) < DOUBLE.size:
        return
    due = DOUBLE.unpack_from(text)[0] - offset
    try:
        kept = json.loads(text[DOUBLE.size :] or b"{}")
        delays = {str(why): float(seconds) for why, seconds in dict(kept.get("delays") or {}).items()}
        reason = str(kept.get("why") or "delay")
        if kept.get("by") == session:
            return
        record = str(kept.get("record") or "")
    except (ValueError, TypeError, AttributeError):
        delays, reason, record = {}, "delay", ""
    for why, seconds in delays.items():
        if why not in hosts.delays(host):
            hosts.set_delay(host, seconds, why)
    if due > hosts.ready_at(host) + 0.001:
        hosts.back_off(host, due, reason)
    if record and hosts.records is not None:
        hosts.records.heard(host, record)
