"""Which hosts lie inside the crawler's own network, by their spelling alone.

An address can be written in many ways that some resolver, proxy or browser understands: 127.1, 0x7f000001, 2130706433, 017700000001,
::ffff:127.0.0.1, full-width digits, percent-encoding, a dot at the end, a zone. All are read here. What looks like a number and is no
address is taken for an inside one too: no public name ends in a number.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from urllib.parse import unquote

FAKE = ipaddress.ip_network("198.18.0.0/15")  # what a local proxy in TUN mode answers for every name
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # bits 64 to 95; an IPv4 address follows
# Kept for private use (RFC 6761, 6762, 8375; ICANN for .internal); the fourth and fifth stand in hosts files.
_INSIDE_ENDINGS = (
    "localhost",
    "local",
    "internal",
    "localdomain",
    "localdomain4",
    "localdomain6",
    "home.arpa",
)
_INSIDE_NAME = re.compile(rf"(?:.*\.)?(?:{'|'.join(map(re.escape, _INSIDE_ENDINGS))})")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def is_inside(host: str) -> bool:
    """A host (without port) that is spelled as a private address, or as a name that only a private network resolves: `localhost`,
    names without a dot, *.local, *.internal … Other names must be resolved to be known."""
    name = _plain(host)
    address = address_of(host)
    if address is not None:
        return is_private(address)
    if not name or "." not in name or _INSIDE_NAME.fullmatch(name):
        return True
    return _NUMBER.fullmatch(name.rpartition(".")[2]) is not None


def address_of(host: str) -> str | None:
    """The address a host spells out, in any way something reads it; None for a name."""
    name = _plain(host)
    try:
        return str(ipaddress.ip_address(name.partition("%")[0]))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(name)) if name[:1].isdigit() else None
    except (OSError, UnicodeError, ValueError):
        return None


def is_private(address: str) -> bool:
    """The address leads into this machine or its network, be it embedded in an IPv6 one. What is no address is not private."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if (carried := _carried(ip)) is not None:
            return is_private(str(carried))
        if ip.is_reserved or ip.is_site_local:
            return True
    return not ip.is_global or ip.is_multicast


def is_private_answer(address: str) -> bool:
    """The same of an address that a name server gave: a local proxy in TUN mode answers every name with one of its own."""
    try:
        return ipaddress.ip_address(address) not in FAKE and is_private(address)
    except ValueError:
        return is_private(address)


def _carried(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address an IPv6 one leads to: mapped, 6to4, Teredo, NAT64, ISATAP."""
    number = int(ip)
    if ip in _NAT64 or (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        return ipaddress.IPv4Address(number & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


def _plain(host: str) -> str:
    """Full-width and circled digits, ideographic dots, invisible characters and escapes as what they stand for."""
    folded = unicodedata.normalize("NFKC", unquote(host)).replace("。", ".")
    seen = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return seen.strip().lower().strip("[]").removesuffix(".")
