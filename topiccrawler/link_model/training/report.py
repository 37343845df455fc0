"""The report beside a model, as plain text: the figures and the words with most weight."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.model_file import VERSION
from topiccrawler.link_model.training.evaluation import Row
from topiccrawler.link_model.training.sources import HOST_DAMPING, SHARES
from topiccrawler.links.features import FEATURES, FIELDS, LEXICON
from topiccrawler.text.tokenise import TOKENIZER

_TOP_WORDS = 30


def table(rows: Sequence[Row], title: str = "held out: rows") -> str:
    """The evaluation table, or the learning curve."""
    head = f"{title:24}{'P':>8}{'R':>8}{'F1':>8}{'best F1':>10}{'at':>9}{'samples':>9}"
    lines = [
        f"{row.name:24}{row.precision:8.3f}{row.recall:8.3f}{row.f1:8.3f}{row.best_f1:10.3f}{row.best_threshold:9.2f}{row.samples:9}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def divergence_lines(found: Mapping[str, float]) -> str:
    """KL divergences in nats and bits."""
    return "\n".join(f"D({name}) = {kl:.3f} nats = {kl / math.log(2):.3f} bits" for name, kl in found.items())


def report(
    model: LinkClassifier, rows: Sequence[Row], divergences: Mapping[str, float], curve: Sequence[Row] = ()
) -> str:
    """The whole text."""
    parts = [
        f"Link model of topic {model.topic}",
        "\n".join(_facts(model)),
        "Trained from (samples off topic, on topic)\n" + "\n".join(_sources(model)),
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
    yield f"format {VERSION}, tokenizer {TOKENIZER}, features {FEATURES}, context {model.context}, event {model.event}"
    yield f"prior {model.prior:g} (score 0 = probability {model.prior:g} before any word: even odds), trust: {trust}"
    yield f"{thresholds(model)}; lexicon {len(model.lexicon.entries)} words"
    shares = ", ".join(f"{name} {share:g}" for name, share in SHARES.items())
    yield f"shares of the sources: {shares}; damping of large hosts: exponent {HOST_DAMPING:g}"


def thresholds(model: LinkClassifier) -> str:
    """What it decides by."""
    gate = "not calibrated, it stands open" if model.gate_threshold is None else f"{model.gate_threshold:g}"
    return f"threshold {model.threshold:g}, link gate {gate} (log-odds)"


def _sources(model: LinkClassifier) -> Iterator[str]:
    samples = model.training.get("samples")
    for name, sides in samples.items() if isinstance(samples, dict) else ():
        yield f"  {name:12}{sides[0]:>9}{sides[1]:>9}"
    files = model.training.get("files")
    for name, digest in files.items() if isinstance(files, dict) else ():
        yield f"  {name}  sha256 {digest}"
    yield f"  training set {model.training.get('set')}, seed {model.training.get('seed')}"


def _words(model: LinkClassifier, name: str) -> Iterator[str]:
    odds_of = model.counts.log_odds(name, model.event)
    ranked = sorted(odds_of.items(), key=lambda pair: (pair[1], pair[0]))
    yield f"  {len(ranked)} words; lexicon flag {odds_of.get(LEXICON, 0.0):.2f}"
    yield "  on topic:  " + _listed(ranked[::-1][:_TOP_WORDS])
    yield "  off topic: " + _listed(ranked[:_TOP_WORDS])


def _listed(ranked: Sequence[tuple[str, float]]) -> str:
    return " ".join(f"{word} {odds:.1f}" for word, odds in ranked)
