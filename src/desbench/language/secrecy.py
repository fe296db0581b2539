"""Secrecy: keys and credentials in URLs stay in memory and the environment, nowhere else."""

from __future__ import annotations

import base64
import os
from urllib.parse import unquote, urlsplit, urlunsplit

from desbench.errors import InputError
from desbench.language.settings import DEFAULT_URL

URL_VARIABLE = "OPENAI_BASE_URL"
HIDDEN = "[hidden]"


def public_url(url: str) -> str:
    """Return a base URL without user, password, query and fragment.

    Raises
    ------
    InputError
        When it is no http(s) URL; the text is not repeated, for it may hold a secret.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise InputError("base_url: must be http://HOST[:PORT]/PATH or https://...")
    host = f"[{host}]" if ":" in host else host
    place = f"{host}:{port}" if port else host
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))


def default_url() -> str:
    """Return the public form of the URL in the environment, or that of the provider."""
    return public_url(os.environ.get(URL_VARIABLE) or DEFAULT_URL)


def accept_url(given: str) -> str:
    """Return the public form of what the user gave; a credential goes to the environment.

    Worker processes and a later `--resume` find it there (`OPENAI_BASE_URL`).
    """
    public = public_url(given)
    if given.rstrip("/") != public:
        os.environ[URL_VARIABLE] = given
    return public


def private_url(public: str) -> str:
    """Return the URL to call: with its credential, if the environment has one for it."""
    known = os.environ.get(URL_VARIABLE, "")
    return known if known and public_url(known) == public else public


def secrets(key: str, url: str) -> list[str]:
    """Return every text that must not be written, longest first."""
    parts = urlsplit(url)
    found = {key, parts.password or "", parts.query}
    basic = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    found.add(base64.b64encode(basic.encode()).decode() if parts.password else "")
    found |= {value.partition("=")[2] for value in parts.query.split("&")}
    if parts.password:
        found.add(parts.username or "")
    return sorted((text for text in found if len(text) > 3), key=len, reverse=True)


def hide(text: str, hidden: list[str]) -> str:
    """Return a text with every secret replaced."""
    for secret in hidden:
        text = text.replace(secret, HIDDEN)
    return text
