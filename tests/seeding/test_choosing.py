"""Seeds are chosen among candidates: those that cannot be fetched make room for the next."""

import asyncio
from collections.abc import Sequence

from topiccrawler.seeding.candidates import Candidate, choose


def test_dead_ones_make_room_for_the_next_and_no_host_has_more_than_its_share() -> None:
    urls = [*(f"http://a.example/{number}" for number in range(5)), "http://b.example/", "http://c.example/"]
    every = [Candidate(url, relevance=1 - place / 10) for place, url in enumerate(urls)]
    asked: list[Sequence[str]] = []

    async def check(batch: Sequence[str]) -> dict[str, str]:
        asked.append(batch)
        return {url: "gone" if url.endswith(("/0", "b.example/")) else "" for url in batch}

    choice = asyncio.run(choose(every, count=3, per_host=2, check=check))
    assert [one.url for one in choice.chosen] == [
        "http://a.example/1",
        "http://a.example/2",
        "http://c.example/",
    ]
    assert choice.dead == {"http://a.example/0": "gone", "http://b.example/": "gone"}
    assert asked[0] == ["http://a.example/0", "http://a.example/1", "http://b.example/"]
    assert sum(map(len, asked)) == 5
