"""Who answers: where a server of language models listens, the key that it wants, and what its refusals mean."""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import urllib.parse

from evenhand.errors import UsageError
from evenhand.systems.http.client import Endpoint, bare
from evenhand.systems.http.secrets import Secrets

ADDRESS = "OPENAI_BASE_URL"
KEY = "OPENAI_API_KEY"
"""The variables of the environment that other clients of such servers take as well."""

VERSION = "/v1"
ENDINGS = re.compile(r"(/chat)?/completions$")
STATUS = re.compile(r": HTTP (\d{3})\b")
TOO_LONG = re.compile(r"context|too long|maximum.{0,40}tokens", re.IGNORECASE)
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

log = logging.getLogger(__name__)


def address_of(base_url: str | None, path: str) -> str:
    """The address to ask, from the one that a server is known by.

    >>> address_of("http://127.0.0.1:8080", "completions")
    'http://127.0.0.1:8080/v1/completions'
    >>> address_of("https://models.example/our/v1/", "chat/completions")
    'https://models.example/our/v1/chat/completions'
    """
    given = (base_url or os.environ.get(ADDRESS, "")).strip()
    if not given:
        raise UsageError(f"'openai' needs the address of its server: give base_url, or set {ADDRESS}")
    parts = _parts(given)
    base = ENDINGS.sub("", parts.path.rstrip("/")) or VERSION
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, f"{base}/{path}", parts.query, ""))


def _parts(url: str) -> urllib.parse.SplitResult:
    try:
        parts = urllib.parse.urlsplit(url)
        named = bool(parts.hostname)
    except ValueError:
        named = False
    if not named or parts.scheme not in ("http", "https"):
        raise UsageError(f"{bare(url)!r} is not the address of a server; write http://HOST:PORT or https://HOST/v1")
    if parts.username is not None or parts.password is not None:
        raise UsageError("'openai': an address must hold no password, as it is shown in reports; set key_env instead")
    return parts


def secrets_for(key_env: str) -> Secrets:
    """The header with the key, where there is one: servers of one's own often want none."""
    if not NAME.fullmatch(key_env):
        # Not shown: it may be the key itself.
        raise UsageError("'openai': key_env is the name of an environment variable that holds the key, not the key")
    if os.environ.get(key_env, "").strip():
        return Secrets({"Authorization": f"Bearer ${key_env}"})
    if key_env != KEY:
        raise UsageError(f"'openai': the key is to be taken from the environment variable {key_env}, which is not set")
    return Secrets()


def warn_if_readable(endpoint: Endpoint) -> None:
    """Say so if the key would go over a network that others may read."""
    parts = urllib.parse.urlsplit(endpoint.shown)
    if endpoint.secrets.headers and parts.scheme == "http" and not _is_here(parts.hostname or ""):
        log.warning("%s: the key is sent without encryption; use https:// if the server has it", endpoint.shown)


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def hint_for(said: str, *, model: str, api: str, key_env: str) -> str:
    """What to do about a server's refusal; nothing where its own words will do."""
    found = STATUS.search(said)
    status = int(found[1]) if found else 0
    if status in (401, 403):
        unset = "" if os.environ.get(key_env, "").strip() else ", which is not set"
        return f"its key is taken from the environment variable {key_env}{unset}"
    if status in (404, 405):
        instead = ", or does it know chats only (api=chat)" if api == "completions" else ""
        return f"is its address right, does it have the model {model!r}{instead}?"
    if status in (400, 413, 422) and TOO_LONG.search(said):
        return "give the task fewer or shorter examples, or the server more context"
    if status in (400, 422) and "logprobs" in said:
        return "list fewer tokens with the setting top, if it is about their number"
    return ""
