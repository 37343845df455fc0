"""A model on disk: the same after a round trip, and refused in one line when it cannot be trusted."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from message_facts import one_line

from topiccrawler.errors import ModelError
from topiccrawler.link_model import model_file as modelfile
from topiccrawler.link_model.classifier import Counts, Lexicon, LinkClassifier
from topiccrawler.link_model.model_file import dumps, load, load_model, save
from topiccrawler.model import Link
from topiccrawler.zstandard import compress, decompress

LINK = Link(url="http://fund.example/", host="fund.example", anchor="基金收益", before="股票", after="足球")


def model() -> LinkClassifier:
    counts = Counts()
    counts.add({"anchor": ["基金", "@lexicon"], "context": ["股票"], "url": ["fund"]}, True, 1.5)
    counts.add({"anchor": ["足球"], "context": ["足球"], "url": []}, False, 0.125)
    return LinkClassifier(
        "finance", counts, "dom", 0.25, {"anchor": 1.0, "context": 0.5, "url": 0.0}, 0.75, -8.5,
        Lexicon(["基金"]), {"set": "abc"}, {"links: model": {"f1": 0.9}},
    )  # fmt: skip


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    place = tmp_path / "finance.json.zst"
    save(model(), place)
    back = load(place)
    assert dumps(back) == decompress(place.read_bytes(), 10_000).decode() == dumps(model())
    assert back.log_odds([LINK]) == model().log_odds([LINK])
    assert (back.topic, back.context, back.prior) == ("finance", "dom", 0.25)
    assert (back.threshold, back.gate_threshold) == (0.75, -8.5)
    assert (back.lexicon.entries, back.training) == (("基金",), {"set": "abc"})
    assert back.scores == {"links: model": {"f1": 0.9}}
    assert [file.name for file in tmp_path.iterdir()] == ["finance.json.zst"]


def change(**parts: Any) -> Callable[[dict[str, Any]], None]:
    return lambda found: found.update(parts)


def change_counts(field: str, **columns: Any) -> Callable[[dict[str, Any]], None]:
    return lambda found: found["counts"][field].update(columns)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change(format="something else"), "link model"),
        (change(tokenizer="other-1"), "tokenizer 'other-1'"),
        (change(features="x" * 500), "features 'xxx"),
        (change(context="page"), "context"),
        (change(event="multinomial"), "event 'multinomial'.* 'bernoulli'"),
        (change(prior=1), r"prior .*\b1\b"),
        (change(prior=True), "prior .*True"),
        (change(threshold=float("nan")), "threshold .*nan"),
        (change(gate_threshold="low"), "gate_threshold .*'low'"),
        (change(trust={"anchor": 1.0}), "context .*None"),
        (change(trust={"anchor": -1.0, "context": 1, "url": 1}), "anchor .*-1.0"),
        (change(lexicon=[1]), "lexicon"),
        (change(lexicon="基金"), "lexicon"),
        (change(samples={}), "samples .*'anchor'"),
        (change(counts={"context": {}, "url": {}}), " anchor"),
        (change_counts("anchor", negative=[0, float("nan"), 0]), "negative count of '基金'"),
        (change_counts("anchor", positive=[1.5, float("inf"), 0]), "positive count of '基金'"),
        (change_counts("anchor", positive=[1.5, -1, 0]), "positive count of '基金'"),
        (change_counts("anchor", positive=[1.5, 10**400, 0]), "positive count of '基金'"),
        (change_counts("anchor", positive=[1.5, True, 0]), "positive count of '基金'"),
        (change_counts("anchor", positive=[1.5, 1.5]), "one positive count for each word"),
        (change_counts("anchor", words="@lexicon 基金 基金"), "a word of anchor twice"),
        (change_counts("url", words=["fund"]), "one negative count for each word"),
        (change_counts("url", negative="0"), "one negative count for each word"),
    ],
)
def test_a_spoiled_model_is_refused_in_one_line(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], None], message: str
) -> None:
    found = json.loads(dumps(model()))
    spoil(found)
    place = tmp_path / "m.json.zst"
    place.write_bytes(compress(json.dumps(found).encode(), 1))
    with pytest.raises(ModelError, match=one_line(message, begin=f"link model {place}: ")):
        load(place)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"cos\nsystem\n(S'true'\ntR.",
        b"[" * 100_000,
        b'{"a": ' + b"1" * 5_000 + b"}",
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, body: bytes) -> None:
    place = tmp_path / "m.json.zst"
    for written in (body, compress(body, 1)):
        place.write_bytes(written)
        with pytest.raises(ModelError, match=r"train|give"):
            load(place)


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    whole, place = dumps(model()).encode(), tmp_path / "m.json.zst"
    frame = compress(whole, 1)
    cut = [
        *(frame[:length] for length in range(len(frame))),
        *(compress(whole[:length], 1) for length in range(0, len(whole) - 2, 37)),
    ]
    for body in cut:
        place.write_bytes(body)
        with pytest.raises(ModelError, match="is damaged"):
            load(place)


def test_a_changed_bit_and_bytes_behind_the_end_are_refused(tmp_path: Path) -> None:
    frame, place = compress(dumps(model()).encode(), 1), tmp_path / "m.json.zst"
    places = range(len(frame) // 4, len(frame))  # in a frame's head some bits change nothing
    changed = [frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :] for at in places]
    for body in (*changed, frame + b"\n", frame + frame):
        place.write_bytes(body)
        with pytest.raises(ModelError, match=f"^link model {place}: is damaged"):
            load(place)


def test_a_small_file_with_gigabytes_in_it_is_refused_and_not_decompressed(tmp_path: Path) -> None:
    place = tmp_path / "m.json.zst"
    place.write_bytes(compress(bytes(10_000_000), 1) * 100)  # frames
    with pytest.raises(ModelError, match="damaged"):
        load(place)
    place.write_bytes(compress(bytes(400_000_000), 1))
    assert place.stat().st_size < 40_000
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="is larger than 32000000 bytes when decompressed; train"):
            load(place)
        assert tracemalloc.get_traced_memory()[1] < 80_000_000
    finally:
        tracemalloc.stop()


def test_a_gigabyte_is_refused_without_reading_it(tmp_path: Path) -> None:
    place = tmp_path / "m.json.zst"
    with place.open("wb") as file:
        file.truncate(1_000_000_000)
    with pytest.raises(ModelError, match="32000000"):
        load(place)


ON_TOPIC = {
    "finance": "股市行情", "travel": "旅游攻略", "health": "医生健康问答", "sport": "足球联赛", "tech": "智能手机芯片", "auto": "新车试驾",
    "education": "高考招生", "entertainment": "电影演员", "food": "家常菜谱", "law": "律师诉讼",
}  # fmt: skip


@pytest.mark.parametrize("topic", ON_TOPIC)
def test_the_shipped_models_load_are_small_and_know_their_topic(topic: str) -> None:
    place = modelfile.data_folder("models").joinpath(f"{topic}.json.zst")
    assert len(place.read_bytes()) <= 400_000
    shipped = load_model(topic)
    off_topic = "足球 比赛" if topic != "sport" else "基金 定投"
    links = [Link("http://a.example/", "a.example", text) for text in (ON_TOPIC[topic], off_topic)]
    scores = shipped.log_odds(links)
    assert scores[0] > 1 > -1 > scores[1]
    report = place.parent.joinpath(f"{topic}.txt").read_text(encoding="utf-8")  # type: ignore[union-attr]
    assert report.partition("\n")[0].endswith(f" {topic}")
