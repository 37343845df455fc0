"""Fingerprints of texts: near copies near, others far."""

import random

from topiccrawler.pages.site_repeats import BITS, MOST_DIFFERENT, Fingerprint, fingerprint

EXPECTED_DIGEST = -7858062167069267917
EXPECTED_BITS = "3be2eabc189da1b41b6ed565ef1332f6541e4fc2205bcf7085e8c716069f6b56"


def text_of(dice: random.Random, count: int) -> list[str]:
    return [f"w{dice.randrange(5000):x}" for _ in range(count)]


def made(words: list[str]) -> Fingerprint:
    found = fingerprint(" ".join(words))
    assert found is not None
    return found


def different_bits(first: bytes, second: bytes) -> int:
    return (int.from_bytes(first, "little") ^ int.from_bytes(second, "little")).bit_count()


def test_copies_with_a_twentieth_of_their_words_changed_stay_near_and_other_texts_do_not() -> None:
    dice = random.Random(5)
    far = []
    for _ in range(60):
        words = text_of(dice, 200)
        copy = list(words)
        for at in dice.sample(range(200), 10):
            copy[at] = "changed"
        original = made(words)
        assert different_bits(original.bits, made(copy).bits) <= MOST_DIFFERENT
        assert original.digest != made(copy).digest
        far.append(different_bits(original.bits, made(text_of(dice, 200)).bits))
    assert min(far) > 1.5 * MOST_DIFFERENT


def test_spelling_variants_of_one_text_are_the_same() -> None:
    text = "股票市场今天继续上涨，投资者十分乐观；" * 10
    assert fingerprint(text) == fingerprint(text.replace("，", ", ").replace("；", "\n\n"))
    assert fingerprint("Ａ股投资") == fingerprint("a股投资") == fingerprint("A股投資")


def test_a_stored_fingerprint_means_the_same_in_every_version() -> None:
    found = made([f"w{number}" for number in range(40)])
    assert len(found.bits) * 8 == BITS
    assert (found.digest, found.bits.hex()) == (EXPECTED_DIGEST, EXPECTED_BITS)
