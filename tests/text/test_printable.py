"""What a terminal is shown of strangers' text."""

import json

from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.text.printable import printable


def test_chinese_and_blanks_stay_and_controls_are_written_out() -> None:
    assert printable("基金　定投\n① ok") == "基金　定投\n① ok"
    assert printable("a\x1b[2J\u202eb\t\x9b\U000e0041") == "a\\u001b[2J\\u202eb\\t\\u009b\\udb40\\udc41"


@given(st.text(st.characters(codec=None)))
def test_json_stays_the_same_json_and_can_be_encoded(text: str) -> None:
    displayed = printable(json.dumps(text, ensure_ascii=False))
    assert json.loads(displayed) == json.loads(json.dumps(text))
    displayed.encode()
