"""What the environment says about reaching other machines: proxies and trusted certificates."""

from __future__ import annotations

import re
import ssl
import sys
from pathlib import Path
from urllib.request import getproxies, proxy_bypass

import certifi
from yarl import URL

from emoharbor.errors import ConfigError

# How OpenSSL names the files of a folder of certificates.
_HASHED = re.compile(r"[0-9a-f]{8}\.\d")


def proxy_for(url: URL) -> URL | None:
    """The proxy that the environment names for `url`. Raises ConfigError where it is of no use.

    Asked once a client: aiohttp's own `trust_env` would read the environment and ~/.netrc in a
    thread at every call, and send what .netrc says in the place of our key.
    """
    named = getproxies()
    text = named.get(url.scheme) or named.get("all")
    if not text or proxy_bypass(url.host or ""):
        return None
    try:
        proxy = URL(text if "://" in text else f"http://{text}")
    except ValueError:
        proxy = URL()
    if proxy.scheme not in ("http", "https") or not proxy.host:
        # Not repeated: a proxy's URL may hold a password.
        raise ConfigError(
            f"the proxy that the environment names for {url.host} is no http:// or https:// URL; "
            f"set {url.scheme}_proxy to one that is, or add the host to no_proxy"
        )
    return proxy


def trusted() -> ssl.SSLContext | bool:
    """What aiohttp verifies with: True for the system's certificates, as it has loaded them.

    Where this Python's OpenSSL looks for them in a place that is not there, certifi's.
    """
    paths = ssl.get_default_verify_paths()
    if sys.platform == "win32" or paths.cafile or _holds_certificates(paths.capath):
        return True
    return ssl.create_default_context(cafile=certifi.where())


def _holds_certificates(folder: str | None) -> bool:
    return folder is not None and any(_HASHED.fullmatch(f.name) for f in Path(folder).iterdir())
