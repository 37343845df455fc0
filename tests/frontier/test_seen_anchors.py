from __future__ import annotations

from topiccrawler.frontier.url_index import anchor_bit


def test_a_text_has_the_same_single_bit_in_every_process_of_32() -> None:
    texts = ["", "基金", "首页", "a", "\ud800"]
    assert [anchor_bit(text).bit_length() - 1 for text in texts] == [0, 28, 3, 3, 8]
    assert all(anchor_bit(f"文{n}").bit_count() == 1 and anchor_bit(f"文{n}") < 2**32 for n in range(500))
