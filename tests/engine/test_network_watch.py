"""A probe that cannot be sent has failed, and the next one follows."""

import asyncio
from unittest.mock import Mock

from topiccrawler.crawling.outages import PROBE_SECONDS, Outages, Sign
from topiccrawler.engine.network_watch import Prober
from topiccrawler.frontier.hosts import Hosts


def test_a_root_of_a_damaged_note_that_is_no_url_does_not_end_the_probes() -> None:
    outages = Outages(Hosts())
    outages.restore('{"": [["no url"], 0, 60]}')
    for host in ("a.cn", "b.cn"):
        outages.failed(host, "connection refused", Sign(network=True, host=True), 0.0)
    probe = outages.probe(0.0)
    assert probe == ("", "no url")
    prober = Prober(Mock(), outages, lambda: 0.0)
    prober.close()  # the engine's timers are not needed
    asyncio.run(prober._probe(*probe))
    assert (outages.outages, outages.next_probe()) == (1, PROBE_SECONDS)
