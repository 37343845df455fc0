"""The set of all URLs met."""

from array import array

import pytest

from topiccrawler.frontier.url_index import Digest, UrlIndex, digest


def same_fingerprint(url: str) -> Digest:
    """A digest whose fingerprints all collide."""
    return 42, int(url)


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_a_loaded_set_knows_what_the_first_one_knew(count: int) -> None:
    urls = [f"http://a.cn/{n}" for n in range(count)]
    digests = [digest(url) for url in urls]
    known = UrlIndex()
    known.load(array("q", [pair[0] for pair in digests]), array("I", [pair[1] for pair in digests]))
    assert [known.find(url) for url in urls] == list(range(count))
    assert known.find_or_add("http://new.cn/") == (count, digest("http://new.cn/"))


def test_urls_with_equal_fingerprints_stay_two() -> None:
    known = UrlIndex(same_fingerprint)
    assert [known.find_or_add(url)[0] for url in ("7", "8", "9", "8", "7")] == [0, 1, 2, 1, 0]
    again = UrlIndex(same_fingerprint)
    again.load(array("q", [42, 42, 42]), array("I", [7, 8, 9]))
    assert [again.find(url) for url in ("9", "8", "7", "6")] == [2, 1, 0, None]
