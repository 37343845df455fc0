"""What is remembered of texts, and what is not."""

from topiccrawler.text.segmenter import TwoGenerationCache


def recent(characters: int) -> tuple[TwoGenerationCache[int], list[list[str]]]:
    asked: list[list[str]] = []

    def lengths(texts: list[str]) -> list[int]:
        asked.append(sorted(texts))
        return [len(text) for text in texts]

    return TwoGenerationCache(lengths, characters), asked


def test_what_is_asked_for_again_outlives_what_passes_by() -> None:
    remembered, asked = recent(10)
    for page in range(20):
        assert remembered.of(["menu", f"news {page:02}"])["menu"] == 4
    assert [texts for texts in asked if "menu" in texts] == [["menu", "news 00"]]


def test_what_is_not_asked_for_again_is_forgotten() -> None:
    remembered, asked = recent(10)
    for page in range(20):
        remembered.of([f"news {page:02}"])
    remembered.of(["news 00"])
    assert asked.count(["news 00"]) == 2
    assert len(remembered.of(["news 00"])) <= 3
