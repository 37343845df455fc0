"""Which parts of a URL identify the visitor, not the page.

Session ids and campaign marks make one page look like thousands, but short names (`from`, `sid`, `s`) select the page on
other sites: a name with two meanings is dropped only when its value has the form of a session id or of a share mark. A
site's own names can be added by a setting: a name, or a prefix that ends with `*`.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CAMPAIGNS = """
    utm_* gclid gclsrc dclid fbclid msclkid yclid igshid mc_cid mc_eid mkt_tok _ga _gl _hsenc _hsmi
    hmsr hmpl hmcu hmkw hmci bd_vid wfr
    spm scm spm_id_from vd_source share_source share_medium share_plat share_session_id share_tag share_token
    ops_request_misc depth_1-utm_source tdsourcetag isappinstalled nsukey sudaref refer_flag pvareaid
"""  # line by line: the world's; Baidu's; Alibaba, Sohu and Bilibili; CSDN, Tencent, WeChat, Sina, Weibo, Autohome
_SESSIONS = "jsessionid phpsessid aspsessionid* cfid cftoken sessionid session_id oscsid zenid"
TRACKING_PARAMETERS = frozenset(_CAMPAIGNS.split())
SESSION_PARAMETERS = frozenset(_SESSIONS.split())

_SHARE_MARKS = re.compile(r"singlemessage|groupmessage|timeline")  # from=, written by WeChat for shares
_SESSION_VALUE = re.compile(r"(?=.*[a-f])[0-9a-f]{32}|(?=.*[a-z])(?=.*[0-9])[0-9a-z]{26}", re.IGNORECASE)
_BY_VALUE = {"from": _SHARE_MARKS, "sid": _SESSION_VALUE, "s": _SESSION_VALUE, "session": _SESSION_VALUE}
_SESSION_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid|aspsessionid\w*|sid)=[^;/]*"  # Java and PHP without cookies
    r"|(?<=/)(?:\([ASF]\([0-9a-z_-]{20,}\)\))+/",  # ASP.NET without cookies: /(S(…))/
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def names_pattern(extra_parameters: frozenset[str] = frozenset()) -> re.Pattern[str]:
    """One pattern for all the names that are dropped whatever their value."""
    names = {name.strip().lower() for name in TRACKING_PARAMETERS | SESSION_PARAMETERS | extra_parameters}
    parts = sorted(re.escape(name).replace(r"\*", ".*") for name in names if name.strip("*"))
    return re.compile("(?:amp;)?(?:" + "|".join(parts) + ")", re.IGNORECASE | re.DOTALL)


def strip_query(query: str, names: re.Pattern[str]) -> str:
    """The query without visitor parameters and empty pieces; order and all else are kept."""
    kept = []
    for piece in query.split("&"):
        if not piece:
            continue
        name, _, value = piece.partition("=")
        by_value = _BY_VALUE.get(name.lower())
        if names.fullmatch(name) or (by_value and by_value.fullmatch(value)):
            continue
        kept.append(piece)
    return "&".join(kept)


def strip_path(path: str) -> str:
    """The path without session ids."""
    if ";" in path or "/(" in path:
        return _SESSION_IN_PATH.sub("", path)
    return path
