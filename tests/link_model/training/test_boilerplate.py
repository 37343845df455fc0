"""Boilerplate: words that stand at every site's links teach nothing, but for the topic's own keywords."""

from topiccrawler.link_model.classifier import Lexicon, LinkWords
from topiccrawler.link_model.training.samples import Sample, balanced
from topiccrawler.text.segmenter import words


def sample(text: str, positive: bool, host: str = "") -> Sample:
    found = words(text)
    return Sample(LinkWords(found, found, host.split(".")), positive)


def test_the_boilerplate_of_one_portal_says_nothing_on_the_next_site() -> None:
    links = [sample("基金标签", True, "finance.github"), sample("足球目录搜索", False, "sports.tags")]
    counts = balanced({"links": links}, Lexicon(()))
    assert {name: [word for word, _ in counts.pairs(name)] for name in ("anchor", "context", "url")} == {
        "anchor": ["基金", "足球"],
        "context": ["基金", "足球"],
        "url": ["finance", "sports"],
    }
