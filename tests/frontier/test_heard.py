from __future__ import annotations

from topiccrawler.frontier.heard import bit_of


def test_a_text_has_the_same_single_bit_in_every_process_and_fits_a_signed_number() -> None:
    texts = ["", "基金", "首页", "a", "\ud800"]
    assert [bit_of(text).bit_length() - 1 for text in texts] == [0, 50, 52, 18, 22]
    assert all(bit_of(f"文{n}").bit_count() == 1 and bit_of(f"文{n}") < 2**63 for n in range(500))


def test_one_text_in_63_shares_the_bit_of_another() -> None:
    shared = sum(bit_of(f"文{n}") == bit_of("基金") for n in range(6_300))
    assert 70 < shared < 130
