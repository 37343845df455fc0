"""Files that are no pages, recognised by the extension of their URL: media, archives, programs, fonts, scripts.

To fetch such a link costs a slot of its host. The extension of a path is nearly always true; a query is ignored, as it may
be a page about a file.
But: formats that pages.formats reads (pdf, docx, xlsx, pptx, txt, xml, sitemap.xml.gz) are not listed.
"""

from __future__ import annotations

MEDIA = "media"
_NAMES = """
jpg jpeg png gif webp bmp svg ico tif tiff avif heic psd
mp3 mp4 mpg mpeg m4a m4v avi mov wmv flv mkv webm rmvb rm wav wma ogg flac aac amr mid swf
zip rar 7z gz tgz bz2 xz tar exe msi apk ipa dmg iso pkg deb rpm bin torrent
doc xls ppt wps rtf epub mobi woff woff2 ttf eot css js json
"""
_ENDINGS = frozenset(_NAMES.split())


def may_be_media(href: str) -> bool:
    """Whether an href as written has the extension of a file that no format reader reads."""
    path = href.partition("?")[0].partition("#")[0]
    return path[path.rfind(".") + 1 :].rstrip().lower() in _ENDINGS


def is_media(url: str) -> bool:
    """The same of a canonical URL, whose host is ignored."""
    if not may_be_media(url):
        return False
    path = url.partition("?")[0]
    slash = path.rfind("/")
    if path.rfind(".") < slash or slash < 8:  # 8: the slashes of https://
        return False
    return not ("sitemap" in path[slash:] and path.endswith(".xml.gz"))
