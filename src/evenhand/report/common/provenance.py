"""Where a result comes from, in words: the last section of every page."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.results import Provenance, Statement

STATED = {
    "auditor": "Auditor",
    "date": "Date of the test",
    "model_version": "Model version",
    "tolerance_set_on": "Tolerance set on",
    "tolerance_reason": "Reason for the tolerance",
}
LATER = " (said when the record was made, not with the test)"
DETAILS = {
    "assessments": "Questions in the correction",
    "threshold": "Threshold for a raw p, names tested",
    "generalising_threshold": "Threshold for a raw p, for people like these",
}


def facts(provenance: Provenance) -> list[tuple[str, str]]:
    """What a page says about corpora, systems, files, settings and versions."""
    corpora = [
        f"{one.name} (version {one.version}), {one.sentences:,} sentences, digest {one.sentences_digest}"
        for one in provenance.corpora
    ]
    systems = [f"{one.system} {one.output} ({_fingerprint(one.fingerprint)})" for one in provenance.systems]
    files = [f"{one.name}, SHA-256 {one.sha256}" for one in provenance.files]
    settings = [f"{name} {_shown(value)}" for name, value in provenance.settings.items() if value is not None]
    details = [
        (DETAILS.get(name, name.replace("_", " ").capitalize()), _shown(value))
        for name, value in provenance.details.items()
        if value is not None
    ]
    packages = [f"{name} {version}" for name, version in provenance.packages.items()]
    found = [
        ("Corpus", "; ".join(corpora)),
        ("Systems", "; ".join(systems)),
        ("Files", "; ".join(files)),
        ("Settings", "; ".join(settings)),
        *details,
        ("Packages", ", ".join(packages)),
        ("Python", provenance.python),
        *stated(provenance.statement),
    ]
    return [(name, value) for name, value in found if value]


def stated(statement: Statement) -> list[tuple[str, str]]:
    """What was said about the test, each with its name; what was only said afterwards says so."""
    said = statement.to_dict()
    return [
        (called, f"{said[name]}{LATER if name in statement.later else ''}")
        for name, called in STATED.items()
        if name in said
    ]


def _fingerprint(fingerprint: str | None) -> str:
    return f"fingerprint {fingerprint[:12]}" if fingerprint else "no fingerprint"


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(one)}" for name, one in value.items() if one is not None)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
