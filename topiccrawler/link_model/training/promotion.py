"""Measures trained link models, decides whether a new one replaces the one in use, and writes reports about them.

`why_it_stays` and `tested` decide, which affects every crawl of the topic. A model that was not measured on held-out rows or on test links, or
has a lower F1 on them than the model in use, is not saved unless the user insists.

`report` is the plain text beside a model: its figures and the words with the largest weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from topiccrawler.errors import LinksFileError, ModelError
from topiccrawler.files import sha256_of
from topiccrawler.link_model.classifier import FEATURES, FIELDS, LEXICON, LinkClassifier
from topiccrawler.link_model.model_file import load, model_file
from topiccrawler.link_model.training.evaluation import Row, row
from topiccrawler.link_model.training.link_files import LabelledLink, read_links
from topiccrawler.link_model.training.samples import HOST_DAMPING, SHARES
from topiccrawler.text.segmenter import PLAIN, TOKENIZER, Segmenter
from topiccrawler.topics.topic import Topic

_TOP_WORDS = 30


def table(rows: Sequence[Row], title: str = "held out: rows") -> str:
    """Return the evaluation table, or the learning curve, as text."""
    head = f"{title:24}{'P':>8}{'R':>8}{'F1':>8}{'best F1':>10}{'at':>9}{'samples':>9}"
    lines = [
        f"{row.name:24}{row.precision:8.3f}{row.recall:8.3f}{row.f1:8.3f}{row.best_f1:10.3f}{row.best_threshold:9.2f}{row.samples:9}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def divergence_lines(found: Mapping[str, float]) -> str:
    """Return KL divergences as text, in nats and bits."""
    return "\n".join(f"D({name}) = {kl:.3f} nats = {kl / math.log(2):.3f} bits" for name, kl in found.items())


def report(
    model: LinkClassifier, rows: Sequence[Row], divergences: Mapping[str, float], curve: Sequence[Row] = ()
) -> str:
    """Return the report about a model."""
    parts = [
        f"Link model of topic {model.topic}",
        "\n".join(_facts(model)),
        "Trained from (samples off topic, on topic)\n" + "\n".join(_source_lines(model)),
    ]
    if rows:
        head = "Evaluation table: groups 1 and 2 are the paper's models, `model` is this one"
        parts.append(f"{head}\n{table(rows)}")
    if curve:
        parts.append("Learning curve: `model` on the hosts held out\n" + table(curve, "trained on"))
    if divergences:
        head = "KL divergences of word distributions, on-topic pages and links"
        parts.append(f"{head}\n{divergence_lines(divergences)}")
    parts += [f"Field {name}\n" + "\n".join(_words(model, name)) for name in FIELDS]
    return "\n\n".join(parts) + "\n"


def _facts(model: LinkClassifier) -> Iterator[str]:
    trust = ", ".join(f"{name} {model.trust.get(name, 0.0):g}" for name in FIELDS)
    yield f"tokenizer {TOKENIZER}, features {FEATURES}, context {model.context}"
    yield f"prior {model.prior:g} (score 0 = even odds), trust: {trust}"
    yield f"{thresholds(model)}; lexicon {len(model.lexicon.entries)} words"
    if published := model.training.get("published"):
        yield f"as published: {published}; links alone, counts as they are, prior of the links"
        return
    shares = ", ".join(f"{name} {share:g}" for name, share in SHARES.items())
    yield f"shares of the sources: {shares}; damping of large hosts: exponent {HOST_DAMPING:g}"


def thresholds(model: LinkClassifier) -> str:
    """Return the thresholds of a model as text."""
    gate = "not calibrated, it is open" if model.gate_threshold is None else f"{model.gate_threshold:g}"
    return f"threshold {model.threshold:g}, link gate {gate} (log-odds)"


def _source_lines(model: LinkClassifier) -> Iterator[str]:
    samples = model.training.get("samples")
    for name, sides in samples.items() if isinstance(samples, dict) else ():
        yield f"  {name:12}{sides[0]:>9}{sides[1]:>9}"
    files = model.training.get("files")
    for name, digest in files.items() if isinstance(files, dict) else ():
        yield f"  {name}  sha256 {digest}"
    yield f"  training set {model.training.get('set')}, seed {model.training.get('seed')}"


def _words(model: LinkClassifier, name: str) -> Iterator[str]:
    odds_of = model.counts.log_odds(name)
    ranked = sorted(odds_of.items(), key=lambda pair: (pair[1], pair[0]))
    yield f"  {len(ranked)} words; lexicon flag {odds_of.get(LEXICON, 0.0):.2f}"
    yield "  on topic:  " + _listed(ranked[::-1][:_TOP_WORDS])
    yield "  off topic: " + _listed(ranked[:_TOP_WORDS])


def _listed(ranked: Sequence[tuple[str, float]]) -> str:
    return " ".join(f"{word} {odds:.1f}" for word, odds in ranked)


_A_PAGE = 2_000  # links segmented in one call


def labelled(paths: Sequence[Path], topic: Topic, context: str) -> list[LabelledLink]:
    """Return the labelled links of all files. Raises LinksFileError if there is none."""
    found = [link for path in paths for link in read_links(path, topic, context)]
    if not found:
        files = ", ".join(map(str, paths))
        raise LinksFileError(files, "holds no labelled link", "label links 1 or 0, or by topic names")
    return found


def measure(
    model: LinkClassifier, links: Sequence[LabelledLink], threshold: float | None = None, name: str = ""
) -> Row:
    """Return the precision, recall and F1 of a model at `threshold`, by default its own."""
    scores = [
        score
        for start in range(0, len(links), _A_PAGE)
        for score in model.log_odds([item.link for item in links[start : start + _A_PAGE]])
    ]
    at = model.threshold if threshold is None else threshold
    return row(name or model.topic, [item.positive for item in links], scores, at)


def _sources(model: LinkClassifier) -> Mapping[str, str]:
    files = model.training.get("files")
    return {str(name): str(digest) for name, digest in files.items()} if isinstance(files, dict) else {}


def same_sources(one: LinkClassifier, other: LinkClassifier) -> bool:
    """Whether both models were trained on a common file. If so, links of that file cannot compare them."""
    return bool(set(_sources(one).values()) & set(_sources(other).values()))


def seen(tested: Sequence[Path], trained: Sequence[Path]) -> list[Path]:
    """Return those test files whose content is that of a training file: rows that a model has seen cannot measure it."""
    digests = {sha256_of(path) for path in trained if path.is_file()}
    return [path for path in tested if path.is_file() and sha256_of(path) in digests]


def held_out(scores: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return name and F1 of the decisive row of a training: held-out hosts, else held-out links, else headlines; None if there is none."""
    for name in ("hosts: model", "links: model", "headlines: model"):
        if (f1 := _f1(scores, name)) is not None:
            return name, f1
    return None


def _f1(scores: Mapping[str, Any], name: str) -> float | None:
    found = scores.get(name)
    f1 = found.get("f1") if isinstance(found, dict) else None
    return float(f1) if isinstance(f1, int | float) else None


def why_it_stays(
    new: LinkClassifier, test: Callable[[LinkClassifier], float] | None, folder: Path
) -> str | None:
    """Return why a new model must not replace the model in use; None if it may, or if no model is in use.

    `test` returns the F1 of a model on the rows held out from the new one. A model in use that was trained on the same file has
    seen these rows, so the row of the same name in its own training is compared instead.
    """
    if not model_file(new.topic, folder).exists():
        return None
    measured, now = held_out(new.scores), in_use(new.topic, folder, new.segmenter)
    if measured is None:
        return "the new model was not measured, because no rows could be held out"
    if now is None:  # it cannot be read, so no crawl can use it
        return None
    name, f1 = measured
    old, how = (_f1(now.scores, name), "in its own training") if same_sources(new, now) else (None, "")
    if old is None and test is not None:
        old, how = test(now), "on the same held-out rows"
    return f"it does better (F1 {old:.4f} {how}, the new one {f1:.4f})" if old and old > f1 else None


def tested(new: LinkClassifier, links: Sequence[LabelledLink], folder: Path) -> tuple[list[Row], str | None]:
    """Return the rows of a new model and of the model in use on test links, and why the new one must not replace it (None if it may)."""
    rows = [measure(new, links, name="test: model")]
    if (now := in_use(new.topic, folder, new.segmenter)) is None:
        return rows, None
    rows.append(measure(now, links, name="test: model in use"))
    f1, old = (row.f1 for row in rows)
    return (
        rows,
        f"it does better (F1 {old:.4f} on the test links, the new one {f1:.4f})" if old > f1 else None,
    )


def in_use(topic: str, folder: Path, segmenter: Segmenter = PLAIN) -> LinkClassifier | None:
    """Return the model that a crawl with this folder would use; None if there is none that can be read."""
    try:
        return load(model_file(topic, folder), segmenter)
    except ModelError:
        return None
