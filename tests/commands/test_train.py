"""`scrapy train` as users run it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.link_model.classifier import Counts, LinkClassifier
from topiccrawler.link_model.model_file import load, save
from topiccrawler.link_model.training.promotion import held_out
from topiccrawler.topics import contrasts

ANCHORS = [("基金行情", 1), ("足球比赛", 0), ("股票债券", 1), ("旅游酒店", 0)]
ROWS = [
    {"url": f"http://t{n}.example/", "anchor": word, "left": word, "right": "", "source_url": f"http://h{n % 6}.example/", "label": label}
    for n, (word, label) in enumerate(ANCHORS * 12)
]  # fmt: skip


@pytest.fixture(autouse=True)
def few_other_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of the catalogue's topics speak against one's own here: all forty are most of the time."""
    unlike = contrasts.unlike
    monkeypatch.setattr(contrasts, "unlike", lambda topic: unlike(topic)[:3])


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path


def test_training_prints_the_table_and_saves_model_and_report(
    command: Callable[..., Any], links: Path, tmp_path: Path
) -> None:
    out = tmp_path / "models"
    lexicon = tmp_path / "words.txt"
    lexicon.write_text("基金\t7\n股票\n", encoding="utf-8")
    call = ("train", "财经", "--links", str(links), "--lexicon", str(lexicon))
    ran = command(*call, "--out", str(out), "--seed", "2")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].split() == ["held", "out:", "rows", "P", "R", "F1", "best", "F1", "at", "samples"]
    assert [line[:20].strip() for line in lines if line.startswith(("links", "hosts"))] == [
        "links: group 1", "links: group 2", "links: dictionary", "links: model",
        "hosts: group 1", "hosts: group 2", "hosts: dictionary", "hosts: model",
    ]  # fmt: skip
    assert sorted(file.name for file in out.iterdir()) == ["finance.json.zst", "finance.txt"]
    assert load(out / "finance.json.zst").lexicon.entries == ("基金", "股票")
    report = (out / "finance.txt").read_text(encoding="utf-8")
    assert "finance" in report.partition("\n")[0]
    assert "links.jsonl  sha256 " in report
    assert "Field anchor" in report


def test_what_another_model_reads_is_refused(command: Callable[..., Any], tmp_path: Path) -> None:
    ran = command("train", "travel", "--smoothing", ".5", "--headlines", "h.tsv", "--out", str(tmp_path))
    assert ran.code != 0
    assert re.fullmatch("--smoothing: .* --paper\n", ran.err)


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., bytes]:
    """Put a model that has learned the classes of these words to use; its bytes."""

    def put(on_topic: str, off_topic: str) -> bytes:
        counts = Counts()
        counts.add({"anchor": on_topic.split()}, True, 50.0)
        counts.add({"anchor": off_topic.split()}, False, 50.0)
        place = tmp_path / "finance.json.zst"
        save(LinkClassifier("finance", counts, threshold=0.1, training={"files": {"a": "1"}}), place)
        return place.read_bytes()

    return put


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("finance.*"))


def test_a_model_that_was_not_measured_replaces_none(
    command: Callable[..., Any], put: Callable[..., bytes], tmp_path: Path
) -> None:
    before, model = put("基金", "足球"), tmp_path / "finance.json.zst"
    ran = command("train", "finance", "--out", str(tmp_path))
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith(f"{model}: ")
    assert re.search("not measured.*; .* --out DIR, .* --force\n", ran.err)
    assert model.read_bytes() == before
    assert files(tmp_path) == ["finance.json.zst"]
    model.write_text("{", encoding="utf-8")  # nobody knows how good it was
    assert command("train", "finance", "--out", str(tmp_path)).code == 1
    assert model.read_text(encoding="utf-8") == "{"


@pytest.mark.parametrize("kind", ["--links", "--headlines"])
def test_a_model_that_does_worse_on_the_same_held_out_rows_replaces_none_without_force(
    command: Callable[..., Any], put: Callable[..., bytes], tmp_path: Path, kind: str
) -> None:
    # each on one host alone
    words = [[f"{side}{chr(97 + n)}" for n in range(24)] for side in ("zyes", "zno")]
    before, model = put(*(" ".join(some) for some in words)), tmp_path / "finance.json.zst"
    rows = [(word, 1 - side, n) for side in (0, 1) for n, word in enumerate(words[side])]
    data = tmp_path / "rows"
    if kind == "--links":
        lines = [json.dumps({**ROWS[0], "anchor": word, "left": "", "url": f"http://t.example/{word}",
                             "source_url": f"http://h{n}.example/", "label": label})
                 for word, label, n in rows]  # fmt: skip
    else:
        lines = ["label\ttext", *(f"{'finance' if label else 'sport'}\t{word}" for word, label, _ in rows)]
    data.write_text("\n".join(lines), encoding="utf-8")
    command_line = ("train", "finance", kind, str(data), "--out", str(tmp_path))
    ran = command(*command_line, "--json")
    found = json.loads(ran.out)
    worse = held_out(found["scores"])
    assert ran.code == 1
    assert "F1 " in ran.err
    assert f" {worse[1]:.4f})" in ran.err
    assert (found["in_use"], found["model"], found["former"]) == (False, None, None)
    assert model.read_bytes() == before
    assert files(tmp_path) == ["finance.json.zst"]
    ran = command(*command_line, "--force")
    assert (ran.code, ran.err) == (0, "")
    assert f"{model}.old" in ran.out
    assert model.read_bytes() != before
    assert (tmp_path / "finance.json.zst.old").read_bytes() == before


def test_a_better_model_is_put_to_use_and_the_former_one_kept(
    command: Callable[..., Any], put: Callable[..., bytes], links: Path, tmp_path: Path
) -> None:
    before = put("足球 旅游", "基金 股票")
    (tmp_path / "finance.txt").write_text("its report", encoding="utf-8")
    ran = command("train", "finance", "--links", str(links), "--out", str(tmp_path), "--json")
    found = json.loads(ran.out)
    assert (ran.code, ran.err, found["in_use"]) == (0, "", True)
    assert found["former"] == str(tmp_path / "finance.json.zst.old")
    assert files(tmp_path) == ["finance.json.zst", "finance.json.zst.old", "finance.txt", "finance.txt.old"]
    assert (tmp_path / "finance.json.zst.old").read_bytes() == before
    assert (tmp_path / "finance.json.zst").read_bytes() != before
    assert command("train", "finance", "--links", str(links), "--out", str(tmp_path)).code == 0  # as good
    assert (tmp_path / "finance.json.zst.old.2").read_bytes() == before


def test_test_links_decide_in_place_of_rows_held_out(
    command: Callable[..., Any], put: Callable[..., bytes], links: Path, tmp_path: Path
) -> None:
    before, model = put("养老金", "国债"), tmp_path / "finance.json.zst"
    test = tmp_path / "test.jsonl"
    rows = [{**ROWS[0], "left": "", "anchor": word, "label": int(word == "养老金"), "url": f"http://t.example/{n}"}
            for n, word in enumerate(["养老金", "国债"] * 4)]  # fmt: skip
    test.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    train = ("train", "finance", "--links", str(links), "--out", str(tmp_path), "--test", str(test))
    ran = command(*train, "--json")
    found = json.loads(ran.out)
    assert list(found["scores"])[-2:] == ["test: model", "test: model in use"]
    new, old = (found["scores"][name]["f1"] for name in ("test: model", "test: model in use"))
    assert new < old == 1.0
    assert (ran.code, found["in_use"], model.read_bytes()) == (1, False, before)
    assert ran.err == (
        f"{model}: stays in use: it does better (F1 1.0000 on the test links, the new one {new:.4f}); "
        "save the new one elsewhere by --out DIR, or insist with --force\n"
    )
    forced = command(*train, "--force")
    assert (forced.code, forced.err) == (0, "")
    assert "test: model in use" in forced.out
    assert load(model).scores["test: model"] == found["scores"]["test: model"]
    assert (tmp_path / "finance.json.zst.old").read_bytes() == before
    assert command(*train).code == 0  # as good as itself
    seen = command(*train, "--test", str(links))
    assert (seen.code, seen.err.count("\n")) == (1, 1)
    assert seen.err.startswith(f"--test {links}: is trained on too")
