"""Versions of labelled sentences judged by what people accepted, and how many sentences a second are changed.

`python -m benchmarks perturb` judges on the frozen sets, which nobody looks into, the first and the second apart; with
`--develop` on the others, and then it prints each sentence that went wrong. `--tagger=MODEL` and `--referee=SYSTEM` ask
these about gender where rules are unsure, as `evenhand perturb` does.
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evenhand.corpora.text import CHANGED, Perturber
from evenhand.corpora.text.advice import NO_ADVICE, Advice
from evenhand.corpora.text.names import BOTH, names_of
from evenhand.corpora.text.neutral import NEUTRAL
from evenhand.specs.advising import advice_of
from evenhand.stats.intervals import wilson

DATA = Path(__file__).parent / "perturb_data"
SETS = {
    "gender": ("gender", ["gender"]),
    "names": ("names", ["gender", "race"]),
    "nonbinary": ("nonbinary", ["nonbinary"]),
    "religion": ("religion", ["religion"]),
    "age": ("age", ["age"]),
    "disability": ("disability", ["disability"]),
    "nationality": ("nationality", ["nationality"]),
}
WRITTEN = {"": "", "_2": ", second set", "_3": ", third set"}
"""By the ending of a file's name, what the sets that were written later are called."""
SLOT = re.compile(r"(\{[^{}]*\})")
NAME = re.compile(r"\{(name|NAME)(\d?):(.*)\}")
GROWTH = 1.1
PEAK = """
import resource, sys
from evenhand.verbs.perturb import perturb
perturb(sys.argv[1], sys.argv[2], attribute="gender", progress=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""Prints the kibibytes that a process took at most."""
PRECISION, COVERAGE, RATE = 0.98, 0.90, 5_000
AGES = {"young": (13, 35), "old": (60, 99)}


@dataclass
class Tally:
    """How many versions were judged, changed and right, and how many clear sentences were met."""

    changed: int = 0
    right: int = 0
    clear: int = 0
    met: int = 0
    wrong: list[str] = field(default_factory=list)

    def rows(self, what: str) -> list[tuple[str, str, str, str]]:
        """Precision and coverage with their bounds."""
        found = []
        for name, hits, of, goal in (
            ("precision of changes", self.right, self.changed, PRECISION),
            ("coverage of clear sentences", self.met, self.clear, COVERAGE),
        ):
            if not of:
                continue
            share = hits / of
            low, high = wilson(share, of)
            found.append(
                (
                    f"{what}: {name}",
                    f"{share:.1%} ({hits} of {of}; {low:.1%} to {high:.1%})",
                    f"≥ {goal:.0%}",
                    "yes" if share >= goal else "no",
                )
            )
        return found


def run() -> list[tuple[str, str, str, str]]:
    """Every set judged, the public rules of others beside it, and the speed."""
    develop = "--develop" in sys.argv
    advice = advice_of(_given("--tagger"), _given("--referee"))
    found = []
    for what, (name, attributes) in SETS.items():
        for attribute in attributes:
            for ending, called in WRITTEN.items():
                tally = judged(rows_of(name, attribute, develop=develop, ending=ending), attribute, advice)
                found += tally.rows((what if len(attributes) == 1 else f"{what}, {attribute}") + called)
                for line in tally.wrong if develop else ():
                    print(line)
    return [*found, *others(develop=develop), speed(), memory()]


def rows_of(name: str, attribute: str, *, develop: bool, ending: str = "") -> list[dict[str, Any]]:
    """The labelled sentences of a set about an attribute; none where there is no such set."""
    path = DATA / f"{name}_{'develop' if develop else 'frozen'}{ending}.jsonl"
    if not path.is_file():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["attribute"] == attribute]


def _given(flag: str) -> str | None:
    return next((one.partition("=")[2] for one in sys.argv if one.startswith(f"{flag}=")), None)


def judged(rows: list[dict[str, Any]], attribute: str, advice: Advice = NO_ADVICE) -> Tally:
    """What the rules make of a set, with whoever is asked beside them."""
    neutral = attribute == NEUTRAL
    perturber = (
        Perturber("gender", to=["female", "male", NEUTRAL], advice=advice)
        if neutral
        else Perturber(attribute, advice=advice)
    )
    tally = Tally()
    for row in rows:
        found = perturber.analysis(row["text"])
        made = (
            {group: text for group, text in found.texts.items() if text != row["text"]}
            if found.status == CHANGED
            else {}
        )
        if neutral:
            made = {group: text for group, text in made.items() if group == NEUTRAL}
        elif attribute == "gender":
            made = {
                group: text
                for key in row["to"] or ["swapped"]
                for group, text in zip([key], made.values(), strict=False)
            }
        elif row["to"]:
            made = {group: text for group, text in made.items() if group in row["to"]}
        for group in row["to"] or made or {"": None}:
            judge(row, group, made.get(group), f"{found.status} {found.reason}", tally)
    return tally


def judge(row: dict[str, Any], group: str, text: str | None, why: str, tally: Tally) -> None:
    """One version, or that there is none."""
    right = text is not None and any(matches(one, text, row) for one in row["to"].get(group, ()))
    tally.changed += text is not None
    tally.right += right
    tally.clear += row["clear"]
    tally.met += row["clear"] and right
    if (text is not None and not right) or (row["clear"] and text is None):
        tally.wrong.append(
            f"{row['id']} {group} [{why}]\n   {row['text']}\n   {text}\n   {row['to'].get(group, ['-'])[0]}"
        )


def matches(accepted: str, text: str, row: dict[str, Any]) -> bool:
    """Whether a text is an accepted version, its slots filled as they ask."""
    slots: dict[str, tuple[str, str]] = {}
    pattern = "".join(_part(part, slots) for part in SLOT.split(accepted))
    match = re.fullmatch(pattern, text)
    return match is not None and all(_fits(match[key], kind, group, row) for key, (kind, group) in slots.items())


def _part(part: str, slots: dict[str, tuple[str, str]]) -> str:
    if (name := NAME.fullmatch(part)) is not None:
        key = f"name{name[2]}"
        known, slots[key] = key in slots, (name[1], name[3])
        return f"(?P={key})" if known else rf"(?P<{key}>[^\W\d_]+(?:-[^\W\d_]+)?)"
    if part in ("{a}", "{A}"):
        return "(?:An?|an?)"
    if part.startswith("{age:"):
        slots["age"] = "age", part[5:-1]
        return r"(?P<age>\d\d)"
    return re.escape(part)


def _fits(written: str, kind: str, group: str, row: dict[str, Any]) -> bool:
    if kind == "age":
        return AGES[group][0] <= int(written) <= AGES[group][1]
    if kind == "NAME" and not written.isupper():
        return False
    about = names_of().pool.about([written]).get(written)
    slots = row.get("slots") or {}
    if about is None:
        return False
    if group == "both":
        return (about.sex_share or 1) < BOTH
    return (
        about.gender == group if group in ("female", "male") else about.race == group and about.gender in slots.values()
    )


def speed() -> tuple[str, str, str, str]:
    """Sentences a second on one core, beside a plain loop that splits and looks each word up."""
    texts = [row["text"] for row in rows_of("gender", "gender", develop=True)] * 20
    perturber = Perturber("gender")
    perturber.versions(texts[0])
    took = _seconds(lambda: [perturber.versions(one) for one in texts])
    pairs = {"he": "she", "she": "he", "his": "her", "her": "his", "him": "her"}
    plain = _seconds(lambda: [" ".join(pairs.get(word.lower(), word) for word in one.split()) for one in texts])
    rate = len(texts) / took
    return (
        "speed",
        f"{rate:,.0f} sentences a second; a plain lookup {took / plain:.1f} × as fast",
        f"≥ {RATE:,}",
        "yes" if rate >= RATE else "no",
    )


def memory() -> tuple[str, str, str, str]:
    """The most memory that a file takes, beside one that is ten times as long: each in a process of its own."""
    texts = [row["text"] for row in rows_of("gender", "gender", develop=True)]
    with tempfile.TemporaryDirectory() as folder:
        most = []
        for times in (20, 200):
            path = Path(folder) / f"{times}.jsonl"
            path.write_text("".join(json.dumps({"text": one}) + "\n" for one in texts * times), encoding="utf-8")
            asked = [sys.executable, "-c", PEAK, str(path), str(Path(folder) / f"{times}.csv")]
            most.append(int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout))
    small, large = (one / 1024 for one in most)
    return (
        "memory",
        f"{large:,.0f} MiB for {len(texts) * 200:,} texts, {large / small:.2f} × those of {len(texts) * 20:,}",
        f"≤ {GROWTH} ×",
        "yes" if large <= GROWTH * small else "no",
    )


def _seconds(work: Any) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def others(*, develop: bool) -> Iterator[tuple[str, str, str, str]]:
    """The public rules of other packages on the gender set, where they are installed."""
    for name, make in {"langtest": _langtest, "langfair": _langfair}.items():
        if importlib.util.find_spec(name) is None:
            yield f"{name}, gender", "not installed", "", "yes"
            continue
        try:
            swap = make()
            for ending, called in WRITTEN.items():
                tally = Tally()
                for row in rows_of("gender", "gender", develop=develop, ending=ending):
                    text = swap(row)
                    for group in row["to"] or ["swapped"]:
                        judge(row, group, None if text == row["text"] else text, name, tally)
                rows = tally.rows(f"{name}, gender{called}")
                yield from ((what, measured, "", "yes") for what, measured, _, _ in rows)
        except Exception as error:
            yield f"{name}, gender", f"installed, and cannot be run: {type(error).__name__}", "", "yes"


def _langfair() -> Any:
    from langfair.generator.counterfactual import CounterfactualGenerator

    generator = CounterfactualGenerator()

    def swap(row: dict[str, Any]) -> str:
        made = generator.create_prompts([row["text"]], attribute="gender")
        key = "female_prompts" if row["group"] == "male" else "male_prompts"
        return str(made[key][0]) if made.get(key) else row["text"]

    return swap


def _langtest() -> Any:
    from langtest.transform.bias import GenderPronounBias
    from langtest.transform.constants import female_pronouns, male_pronouns

    def swap(row: dict[str, Any]) -> str:
        to_female = row["group"] == "male"
        words = [word for known in (male_pronouns if to_female else female_pronouns).values() for word in known]
        random.seed(0)
        (made,) = GenderPronounBias.transform([row["text"]], words, "female" if to_female else "male")
        return made if isinstance(made, str) else str(made.test_case or row["text"])

    return swap
