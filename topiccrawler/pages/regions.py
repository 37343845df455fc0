"""The region of a page an element belongs to, from its tag, class and id.

Authors name regions freely (topNav, nav_top, l-sidebar, 底部). Names are split into words at case changes and signs
and looked up in short lists; where lists disagree, the first of this order counts: footer, navigation, aside,
header, body.
"""

from __future__ import annotations

import re
from functools import lru_cache

BODY = "body"

_BY_TAG = {
    "nav": "navigation",
    "menu": "navigation",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "main": BODY,
    "article": BODY,
}
_WORDS = {
    "footer": "foot footer footers bottom copyright beian icp legal friendlink friendlinks flink flinks footnav",
    "navigation": "nav navs navi navbar navigation menu menus submenu crumb crumbs breadcrumb breadcrumbs daohang channel "
    "channels topnav mainnav subnav sitenav pagination pager paging pages tabs tabbar toolbar toc",
    "aside": "side sidebar sidebars sider aside widget widgets related relate relates relation relevant recommend recommended "
    "recommends recom rec tuijian hot hots hotlist rank ranking ranks paihang ad ads adv advert advertisement sponsor promo "
    "comment comments reply replies pinglun share shares sharing tags taglist tagcloud archives guess like likes author "
    "blogroll popup modal dialog qrcode qr erweima subscribe vote login interested recommendation",
    "header": "header head hd top topbar banner logo masthead search searchbar",
    BODY: "article content contents main artibody body text post entry detail details story news zhengwen neirong section",
}
_REGION_OF = {word: region for region, words in reversed(_WORDS.items()) for word in words.split()}
_ORDER = {region: rank for rank, region in enumerate(_WORDS)}
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|[A-Z]+(?![a-z])")


def region_of(tag: str, names: str, inherited: str) -> str:
    """The region of an element; a body part inside another region stays in that region."""
    found = _BY_TAG.get(tag) or (_hint(names[:200]) if names else "")
    if not found or (found == BODY and inherited):
        return inherited or BODY
    return found


@lru_cache(maxsize=4096)
def _hint(names: str) -> str:
    found = [_REGION_OF[word] for word in map(str.lower, _WORD.findall(names)) if word in _REGION_OF]
    return min(found, key=_ORDER.__getitem__) if found else ""
