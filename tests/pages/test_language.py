"""Languages by script."""

import pytest

from topiccrawler.pages.metadata import language_of


@pytest.mark.parametrize(
    ("text", "declared", "tag"),
    [
        ("股票市场今天继续上涨，投资者十分乐观。", "", "zh-Hans"),
        ("股票市场今天继续上涨，投资者十分乐观。", "en", "zh-Hans"),
        ("股票市場今天繼續上漲，投資者十分樂觀。", "zh-CN", "zh-Hant"),
        ("如何用 Python 和 requests 库写一个网络爬虫程序", "en", "zh-Hans"),
        ("今日の株式市場は上昇しました。", "zh", "ja"),
        ("오늘 주식 시장은 상승했습니다.", "", "ko"),
        ("Сегодня рынок акций вырос на два процента.", "", "ru"),
        ("Сьогодні ринок акцій зріс на два відсотки.", "uk", "uk"),
        ("The market is up today and all of us are in for a good time", "", "en"),
        ("The market is up today and all of us are in for a good time", "zh-CN", "en"),
        ("Der Markt ist heute gestiegen, und alle freuen sich sehr", "de-DE", "de"),
        ("Der Markt ist heute gestiegen, und alle freuen sich sehr", "", "de"),
        ("Der Markt ist heute gestiegen, und alle freuen sich sehr", "en", "de"),
        ("Python numpy Tokyo London 2019 install requests", "", "und"),
        ("Python numpy Tokyo London 2019 install requests", "en-US", "en"),
        ("Це не так просто, як здається, але ми вже про це говорили", "", "uk"),
        ("2019 | 08 | 31", "", "und"),
        ("ok", "fr_FR", "fr"),
        ("ok", "zh-CN", "und"),
        ("韢鹲G骤厢瘶辙s7z�;�%�.遌操勪劢⿺k4Y扚慒6畏", "", "und"),
        ("", "<script>", "und"),
    ],
)
def test_the_script_decides_and_the_declaration_among_languages_of_one_script(
    text: str, declared: str, tag: str
) -> None:
    assert language_of(text, declared) == tag
