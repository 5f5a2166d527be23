"""What all pages share: one file that holds its style, its scripts, its data and Vega, and loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
import markupsafe

from evenhand.files.json_text import json_text
from evenhand.printing import visible_lines

HOME = "evenhand.report.page"


def render(template: str, *, scripts: Sequence[str] = (), data: Any = None, **shown: Any) -> str:
    """Fill a template of this folder. Pages with scripts get Vega, the common script and their own, and `data`."""
    parts: dict[str, Any] = {"style": trusted(_read("style.css")), "shell": trusted(_read("shell.js"))}
    if scripts:
        own = [_read(name) for name in ("common.js", *scripts)]
        parts |= {"vega": trusted(_vega()), "script": trusted("\n".join(own)), "data": _embedded(data)}
    return _environment().get_template(template).render(**shown, **parts)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_read),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        finalize=_seen,
    )


def _seen(value: Any) -> Any:
    """Names on a page hide nothing and turn nothing round; what is trusted stays as it is."""
    return visible_lines(value) if isinstance(value, str) and not isinstance(value, markupsafe.Markup) else value


@cache
def _read(name: str) -> str:
    return (files(HOME) / name).read_text("utf-8")


def read_file(name: str) -> str:
    """A file that pages load, where they are not one file."""
    return _read(name)


@cache
def _vega() -> str:
    import vl_convert

    # Without a snippet of ours, the bundle offers vega and vegaEmbed to the page's own script.
    return vl_convert.javascript_bundle(None)  # type: ignore[arg-type]


def trusted(text: str) -> markupsafe.Markup:
    """Markup that goes into a page as it is."""
    # Our own files and Vega's; a closing tag inside a string of theirs must not end the script.
    return markupsafe.Markup(text.replace("</script", "<\\/script"))  # noqa: S704


def _embedded(content: Any) -> markupsafe.Markup:
    text = json_text(_shown(content), indent=None, compact=True)
    return markupsafe.Markup(text.replace("<", "\\u003c"))  # noqa: S704


def _shown(content: Any) -> Any:
    """Five significant digits are more than a picture shows; texts hide nothing."""
    if isinstance(content, float):
        return float(f"{content:.5g}")
    if isinstance(content, dict):
        return {_seen(key): _shown(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_shown(value) for value in content]
    return _seen(content)
