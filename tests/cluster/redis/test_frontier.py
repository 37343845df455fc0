"""A host's queue in Redis: the first as a sorted set, the rest packed in chunks behind it."""

import json
from importlib import resources
from uuid import uuid4

import pytest
import redis
from frontier_calls import drain, push
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profiles import examples
from redis_server import RedisServer
from synchronous_redis_frontier import PromptFrontier

from topiccrawler.cluster.redis import records
from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.joining import join
from topiccrawler.cluster.redis.records import prefix_of

pytestmark = pytest.mark.slow

HEAD, CHUNK = 8, 4
DRIVER = """
for _, step in ipairs(cjson.decode(ARGV[1])) do
  local number, scores, before = struct.pack('>I5', step[1]), step[2], step[3]
  local places = {}
  for _, score in ipairs(scores) do
    places[#places + 1] = score
    places[#places + 1] = number
  end
  if #places > 0 then
    enqueue('a', places, type(before) == 'number' and { [number] = before } or nil)
  else
    dequeue('a', before, number)
  end
end
local found, out = first('a', tonumber(ARGV[2])), {}
for i = 1, #found, 2 do
  out[#out + 1] = place_of(found[i])
  out[#out + 1] = found[i + 1]
end
return { waiting_of('a'), out }
"""
numbers = st.integers(1, 60)
scores = st.sampled_from([-0.1 - 0.2, -1 / 3, -2.0, 0.0, 1e-12, 5.0])  # several URLs have one
steps = st.lists(st.tuples(numbers, st.lists(scores, max_size=2)), min_size=60, max_size=200)


def driver() -> str:
    folder = resources.files(records.__package__ or "") / "scripts"
    parts = [(folder / f"{name}.lua").read_text(encoding="utf-8") for name in ("names", "queue")]
    return "\n".join([f"local HEAD, CHUNK = {HEAD}, {CHUNK}", *parts, DRIVER])


def chunks(client: redis.Redis, prefix: str) -> list[str]:
    return list(client.scan_iter(prefix.replace("[", "\\[") + "c:*", count=1000))


def test_it_agrees_with_sorted_whatever_comes_and_goes(redis_server: RedisServer) -> None:
    client, text, longest = redis_server.client(), driver(), 0

    @settings(max_examples=examples(150))
    @given(steps=steps, count=st.integers(1, 50))
    def check(steps: list[tuple[int, list[float]]], count: int) -> None:
        nonlocal longest
        prefix, waiting, sent = prefix_of(uuid4().hex), {}, []
        for number, values in steps:  # none: it is leased; two: its link is on the page twice
            before = waiting.pop(number, None)
            if values:
                waiting[number] = values[-1]
            if before is None and len(values) > 1:
                before = values[0]
            if values or before is not None:
                sent.append([number, values, before])
        size, found = client.eval(text, 1, prefix, json.dumps(sent), count)
        expected = sorted((score, number) for number, score in waiting.items())
        got = [(float(score), number) for number, score in zip(found[::2], found[1::2], strict=True)]
        assert (got, size) == (expected[:count], len(waiting))
        kept = chunks(client, prefix)
        assert len(kept) == client.zcard(prefix + "t:a")
        assert all(0 < client.zcard(key) <= CHUNK for key in kept)
        longest = max(longest, len(kept))

    check()
    assert longest > 5
    client.close()


def test_a_long_queue_takes_a_third_of_the_memory_and_keeps_its_order(redis_server: RedisServer) -> None:
    job, urls = uuid4().hex, [(f"a/{n}", n * 7919 % 9973 / 9973) for n in range(9_000)]
    with PromptFrontier(join(Client(redis_server.url, job), call_seconds=60.0)) as frontier:
        push(frontier, *urls)
        frontier.commit()
        assert frontier.look().counts()
        client, prefix = redis_server.client(), prefix_of(job)
        kept = chunks(client, prefix)
        assert {client.object("encoding", key) for key in kept} <= {b"listpack", b"ziplist"}
        used = sum(client.memory_usage(key, samples=0) for key in [*kept, prefix + "t:a"])
        packed = len(urls) - client.zcard(prefix + "q:a")
        alone = client.memory_usage(prefix + "q:a", samples=0) / client.zcard(prefix + "q:a")
        assert packed >= len(urls) - records.HEAD
        assert used / packed < 40 < alone
        assert drain(frontier) == [url for url, _ in sorted(urls, key=lambda row: -row[1])]
        assert not chunks(client, prefix)
        client.close()
