"""Paced recorded answers: asked order, one at a time when as many wait as may be under way, never left waiting."""

import asyncio

import pytest

from topiccrawler.replay import pacing
from topiccrawler.replay.pacing import Pacer


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "STILL_SECONDS", 0.001)


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_an_answer_comes_when_as_many_wait_as_may_be_under_way() -> None:
    async def crawl() -> None:
        line, answered = Pacer(3), list[int]()

        async def ask(number: int) -> None:
            await line.wait(lambda: False)
            answered.append(number)

        asked: list[asyncio.Task[None]] = []
        seen = []
        for number in range(5):
            asked.append(asyncio.create_task(ask(number)))
            await settled()
            seen.append(list(answered))
        assert seen == [[], [], [0], [0, 1], [0, 1, 2]]
        for task in asked:
            task.cancel()

    asyncio.run(crawl())


def test_where_fewer_wait_they_are_answered_one_by_one_once_the_crawl_stands_still() -> None:
    async def crawl() -> None:
        line, answered, reading = Pacer(16), list[int](), True

        async def ask(number: int) -> None:
            await line.wait(lambda: not reading)
            answered.append(number)

        async with asyncio.timeout(10):
            tasks = [asyncio.create_task(ask(number)) for number in range(3)]
            await asyncio.sleep(0.05)
            assert answered == []
            reading = False
            await asyncio.gather(*tasks)
        assert answered == [0, 1, 2]

    asyncio.run(crawl())
