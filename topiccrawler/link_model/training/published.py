"""Trains the paper's own naive Bayes link model: two feature groups, unweighted counts, the prior of the links, and no URL features.

Idea: the class C of a link is inferred from the features F_1 … F_n of its anchor and context. Labels come from the target's URL
(§3.2.2), so a feature made from that URL would repeat the label: the published groups have none.
Formula: C = argmax over C_i in {+, -} of P(C_i) · Π_j P(F_j | C_i) (eq. 1); P(F_j | C_i) = (Count(F_j, C_i) + a) / (Count_i + 2a)
(eq. 2), a = `smoothing`, 1; Count(F_j, C_i) = links of class C_i that have the feature F_j, Count_i = links of C_i,
P(C_i) = Count_i / all links.
Groups (§3.1): 1 the words of the anchor; 2 also the words of the context, as features of their own, and two flags: the anchor, or the
context, has a word of the topic's dictionary.
But: eq. 2's smoothing is lost in our copy; this is Laplace's for two values. A model's counts are Count / a, so that its readers
always add 1 and 2. F_j ranges over the features that a link has. Words with digits are not features, as everywhere here; stop words are.
Reference: Han et al. 2010, §3.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from topiccrawler.link_model.classifier import GROUP_2, PAPER_TRUST, Counts, Lexicon, LinkClassifier
from topiccrawler.link_model.training.samples import Sample, add
from topiccrawler.links.extract import ContextMaker

GROUPS = (1, 2)
CONTEXT: ContextMaker = "neighbour"  # §3.3


def published_model(
    topic: str,
    samples: Iterable[Sample],
    lexicon: Lexicon,
    group: int = 2,
    *,
    context: ContextMaker = CONTEXT,
    smoothing: float = 1.0,
) -> LinkClassifier:
    """Train the model of a feature group, 1 or 2, on links of both classes; each link counts once. `smoothing` must be above 0."""
    has = GROUP_2[:group]
    lexicon = lexicon if group == 2 else Lexicon(())
    counts = Counts()
    for sample in samples:
        add(counts, replace(sample, has=has), lexicon, 1.0 / smoothing)
    negative, positive = counts.samples["anchor"]
    smoothed = "" if smoothing == 1.0 else f", smoothing {smoothing:g}"
    return LinkClassifier(
        topic,
        counts,
        context,
        prior=positive / (negative + positive),
        trust={name: PAPER_TRUST[name] if name in has else 0.0 for name in PAPER_TRUST},
        lexicon=lexicon,
        training={"published": f"Han et al. 2010, feature group {group}{smoothed}"},
        compounds=False,
    )
