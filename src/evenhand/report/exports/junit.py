"""A gate as JUnit XML, which continuous integration shows: a suite for each corpus, a case for each limit."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from evenhand.gating.result import Check, Item
from evenhand.report.check.words import about, allowed, sentence, worst
from evenhand.report.common.markdown import printable

NAME = "evenhand"


def junit(check: Check) -> str:
    """No times in it: the same check gives the same file. What cannot be told, and passes, counts as skipped."""
    root = Xml.Element("testsuites", {"name": NAME, **_counts(check.items)})
    for corpus in dict.fromkeys(item.corpus for item in check.items):
        own = [item for item in check.items if item.corpus == corpus]
        suite = Xml.SubElement(root, "testsuite", {"name": printable(f"{NAME} on {corpus}"), **_counts(own)})
        for item in own:
            _case(suite, item)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _counts(items: Sequence[Item]) -> dict[str, str]:
    errors = [item for item in items if item.question == "answers"]
    failures = [item for item in items if item.blocks and item not in errors]
    skipped = [item for item in items if item.outcome == "cannot tell" and not item.blocks]
    counted = {"tests": items, "failures": failures, "errors": errors, "skipped": skipped}
    return {name: str(len(found)) for name, found in counted.items()}


def _case(suite: Xml.Element, item: Item) -> None:
    of = ".".join(part for part in (NAME, item.system, item.output) if part)
    limit = f" (allowed {allowed(item)})" if item.limit is not None else ""
    case = Xml.SubElement(suite, "testcase", {"classname": printable(of), "name": printable(about(item) + limit)})
    kind = "error" if item.question == "answers" else "failure" if item.blocks else "skipped"
    if kind == "skipped" and item.outcome != "cannot tell":
        return
    type_ = {} if kind == "skipped" else {"type": item.outcome}
    told = Xml.SubElement(case, kind, {"message": printable(sentence(item)), **type_})
    if kind != "skipped" and item.worst:
        told.text = "\n".join(["The sentences that differ most:", *map(printable, worst(item))])
