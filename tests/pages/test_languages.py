"""The language of a text, whatever its page declares, and the languages that a user names."""

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.pages.languages import is_in, language_of, wanted_languages


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
        ("优の良品 周末大促销，零食饮料全部半价出售", "", "zh-Hans"),
        ("東京証券取引所 日本経済新聞社 会社概要 採用情報", "ja", "ja"),
        ("基金定投的方法与股票市场的风险", "ja", "zh-Hans"),
        ("佢哋今日喺股票市場賺咗好多錢，開心到瞓唔着", "", "zh-Hant"),
        ("日本の株式 " + "中国股票市场今天继续上涨。" * 20, "", "zh-Hans"),
        ("The market has fallen again, and all our funds with it", "de", "en"),
        ("O mercado subiu hoje dois por cento e os fundos também", "en", "pt"),
        ("ارتفع السوق اليوم بنسبة اثنين في المئة", "en-US", "ar"),
        ("השוק עלה היום בשני אחוזים", "", "he"),
        ("बाज़ार आज दो प्रतिशत चढ़ा", "", "hi"),
        ("Tržište je danas poraslo za dva posto, kažu na burzi", "bs-BA", "bs"),
        ("地铁������直达免税城" + "，游客可以坐邮轮出发" * 5, "", "zh-Hans"),
        ("x\0\ud800\ufdd0 The market has fallen again, and all our funds with it", "", "en"),
    ],
)
def test_the_script_decides_and_the_declaration_among_languages_of_one_script(
    text: str, declared: str, tag: str
) -> None:
    assert language_of(text, declared) == tag


def test_a_user_names_languages_by_tags_of_any_spelling() -> None:
    assert wanted_languages("zh-TW, zh_CN,JA,pt-BR,zh,,zh-Hant-HK", "") == (
        "zh-Hant",
        "zh-Hans",
        "ja",
        "pt",
        "zh",
    )
    with pytest.raises(ArgumentError, match="--language chinese: is no language tag; write zh"):
        wanted_languages("en,chinese", "--language ")


def test_zh_means_both_scripts_and_an_unknown_language_is_in_none() -> None:
    assert [is_in(tag, ("zh", "ja")) for tag in ("zh-Hans", "zh-Hant", "ja", "en", "und", "")] == [
        True
    ] * 3 + [False] * 3
    assert [is_in(tag, ("zh-Hant", "und")) for tag in ("zh-Hans", "zh-Hant", "und", "")] == [
        False,
        True,
        True,
        True,
    ]
