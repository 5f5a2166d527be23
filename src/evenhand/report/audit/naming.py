"""What things are called: systems and outputs, groups and comparisons, people and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from evenhand.comparing.findings import Finding
from evenhand.corpora.asked_names import MATCHED, UNMATCHED

MOST_NAMED = 6
"""Of more systems than this, only the first are named in one line."""
EACH = "each group − the mean of the others, in which every group counts the same"


def labels(findings: Sequence[Finding]) -> dict[tuple[str, str], str]:
    """What each column is called: the system, and the output where it has several."""
    outputs = Counter(system for system, _ in {(finding.system, finding.output) for finding in findings})
    return {
        (finding.system, finding.output): finding.system
        if outputs[finding.system] == 1
        else f"{finding.system} {finding.output}"
        for finding in findings
    }


def outputs_in_words(findings: Sequence[Finding]) -> str:
    """What was scored, system by system, in the first line of every report; nothing for taggers, which score nothing.

    A name says little about which of its numbers is meant: a classifier of two classes may be scored by either.
    """
    by_system: dict[str, dict[str, None]] = {}
    for finding in findings:
        if not finding.of_tagger:
            by_system.setdefault(finding.system, {})[finding.output] = None
    named = [f"{system} ({', '.join(outputs)})" for system, outputs in by_system.items()]
    more = len(named) - MOST_NAMED
    if more > 0:
        named = [*named[:MOST_NAMED], f"{more:,} more"]
    return f"Scored: {', '.join(named)}." if named else ""


def in_plain(column: str) -> str:
    """The name of a column as it is said."""
    return column.replace("_", " ")


def listed(names: Iterable[str], last: str = "and") -> str:
    """
    >>> listed(["gender", "race", "age"]), listed(["gender"])
    ('gender, race and age', 'gender')
    """
    *others, end = list(names)
    return f"{', '.join(others)} {last} {end}" if others else end


def several_comparisons(findings: Iterable[Finding]) -> set[str]:
    """The attributes with more than one comparison, whose groups must be named."""
    pairs = {(finding.attribute, finding.first, finding.second) for finding in findings}
    return {attribute for attribute, number in Counter(attribute for attribute, *_ in pairs).items() if number > 1}


def groups_in_words(findings: Sequence[Finding]) -> str:
    """Which group is first: `gender: women − men; race: X − Y`, or whose groups the rows name."""
    many = dict.fromkeys(finding.attribute for finding in findings if finding.rest)
    several = several_comparisons(findings)
    pairs = {finding.attribute: sides(finding) for finding in findings}
    alike = [f"{name}: {pair}" for name, pair in pairs.items() if name not in {*several, *many}]
    if many:
        alike.append(f"{', '.join(many)}: {EACH}")
    return "; ".join(alike) or (f"groups of {next(iter(pairs))}" if len(pairs) == 1 else "as named")


def short_comparisons(findings: Sequence[Finding]) -> list[str]:
    """What each finding compares, in as few words as tell it from the others: `gender`, or `race: X − Y, neutral`.

    Where all findings are about one attribute, its name is left out.
    """
    alone = len({finding.attribute for finding in findings}) == 1
    short = {name: short_labels(findings, name) for name in several_comparisons(findings)}
    only_rest = all(finding.rest for finding in findings)
    return [
        _short_comparison(one, short.get(one.attribute), "" if alone else f"{one.attribute}: ", only_rest=only_rest)
        for one in findings
    ]


def _short_comparison(finding: Finding, short: dict[str, str] | None, about: str, *, only_rest: bool) -> str:
    if short is None:
        return finding.attribute + _subset(finding)
    if finding.rest:
        group = f"{about}{short[finding.first_label]}"
        return f"{group}{_subset(finding)}" if only_rest else f"{group} − the others{_subset(finding)}"
    return f"{about}{short[finding.first_label]} − {short[finding.second_label]}{_subset(finding)}"


def short_labels(findings: Sequence[Finding], attribute: str) -> dict[str, str]:
    """By label of a group, the words that tell it from the other groups of the attribute."""
    mine = [finding for finding in findings if finding.attribute == attribute]
    labels = [one.first_label for one in mine] + [one.second_label for one in mine if not one.rest]
    return without_shared_words(labels)


def without_shared_words(labels: Iterable[str]) -> dict[str, str]:
    """Labels without the words that all of them begin or end with; each keeps one word at least.

    >>> without_shared_words(["people from the North", "people from the far West"])
    {'people from the North': 'North', 'people from the far West': 'far West'}
    """
    words = {label: label.split() for label in labels}
    spare = min(map(len, words.values())) - 1
    start = _shared([split[:spare] for split in words.values()])
    end = _shared([split[::-1][: spare - start] for split in words.values()])
    return {label: " ".join(split[start : len(split) - end]) for label, split in words.items()}


def _shared(rows: Sequence[Sequence[str]]) -> int:
    """How many first words are the same in all of them."""
    columns = enumerate(zip(*rows, strict=False))
    return next((place for place, column in columns if len(set(column)) > 1), min(map(len, rows)))


def comparison_name(finding: Finding) -> str:
    """What is compared, such as `gender: women − men` or `race: X − Y, neutral`."""
    return f"{finding.attribute}: {sides(finding)}{_subset(finding)}"


def who(finding: Finding) -> str:
    """System, output and subset."""
    of_names = " names" if finding.subset in (MATCHED, UNMATCHED) else ""
    subset = [] if finding.subset == "all" else [f"on {finding.subset}{of_names}"]
    about = " ".join(subset if finding.of_tagger else [finding.output, *subset])
    return f"{finding.system} ({about})" if about else finding.system


def people(finding: Finding) -> str:
    """What the persons of a finding are called: `names`, or `people` where not all are names."""
    return "people" if finding.persons_called == "persons" else finding.persons_called


def people_of(findings: Iterable[Finding]) -> str:
    """`names` where all findings are about names, else `people`."""
    called = {people(finding) for finding in findings}
    return called.pop() if len(called) == 1 else "people"


def others_like_these(findings: Sequence[Finding]) -> str:
    """What the general answers are about; a single template says nothing about others."""
    if people_of(findings) == "texts":
        return "texts like these"
    if findings and all(finding.generalising.n_templates == 1 for finding in findings):
        return f"{people_of(findings)} and words like these, in this one template"
    return f"{people_of(findings)}, templates and words like these"


def sides(finding: Finding) -> str:
    """Both groups, the first one first."""
    return f"{finding.first_label} − {finding.second_label}"


def _subset(finding: Finding) -> str:
    return "" if finding.subset == "all" else f", {finding.subset}"


def labelled(finding: Finding) -> bool:
    """Whether the corpus says what to call the groups; a table of a user's own may have code names only."""
    if finding.rest:
        return finding.first_label != finding.first
    return (finding.first_label, finding.second_label) != (finding.first, finding.second)


def sentences(finding: Finding, label: str) -> str:
    """Sentences about women, or with women's names; groups that have no label go by their names in the data."""
    if not labelled(finding):
        return f"sentences of {label}" if is_rest(finding, label) else f"sentences of the group {label}"
    return f"sentences {'with' if finding.persons_called == 'names' else 'about'} {label}"


def is_rest(finding: Finding, label: str) -> bool:
    """Whether a label is that of all other groups together."""
    return bool(finding.rest) and label == finding.second_label
