"""Every command that is printed after a verdict, in the terminal or on a page, runs as it stands."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import Result as Done
from typer.testing import CliRunner

from evenhand import Corpus, RepairSettings, eec, load_corpus, repair
from evenhand.asking import Column, Scores
from evenhand.cli.app import app
from evenhand.comparing import Settings, compare
from evenhand.studies import synthetic
from evenhand.studies.synthetic import Planted, write_study
from evenhand.systems import Output

pytestmark = pytest.mark.slow  # a repair or two each

FRIENDS = Path(__file__).parents[1] / "promises" / "saved" / "friends.yaml"
IN_A_TERMINAL = re.compile(r"(?:`|: |^ {4})(evenhand [^`\n]+)", re.MULTILINE)
ON_A_PAGE = re.compile(r"<code>(evenhand [^<]+)</code>")
ANYWHERE = re.compile(r"\bevenhand (?:audit|measure|plan|rate|repair|report|study|compare|runs)\b")
QUICK = ["--method", "layers", "--repetitions", "1"]
SYSTEM = '''
import json
from pathlib import Path

KNOWN = json.loads(Path("known.json").read_text())


def scores(texts):
    """From -1 to 1."""
    return [2 * KNOWN.get(text, 0.5) - 1 for text in texts]
'''


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> Done:
    """As a shell would."""
    name, *arguments = shlex.split(command)
    assert name == "evenhand"
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, f"{command}: {done.exception!r} {done.output}"
    return done


def commands_of(done: Done, page: Path | None = None) -> list[str]:
    """What was printed, and what the page says; there is no command that is not found."""
    printed = done.stdout + done.stderr
    found = IN_A_TERMINAL.findall(printed)
    assert len(found) == len(ANYWHERE.findall(printed)), printed
    if page is not None:
        shown = re.sub(r"<(script|style).*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        on_page = ON_A_PAGE.findall(shown)
        assert len(on_page) == len(ANYWHERE.findall(shown))
        found += map(unescape, on_page)
    return list(dict.fromkeys(found))


def gaps_of(corpus: Corpus) -> list[float]:
    """Scores in which women are higher, whatever the sentence."""
    noise = np.random.default_rng(0).normal(0, 0.002, len(corpus))
    return [0.5 + 0.1 * (group == "female") + more for group, more in zip(corpus.frame["gender"], noise, strict=True)]


@dataclass(frozen=True)
class Case:
    """What is typed after `evenhand repair`."""

    system: str
    options: list[str] = field(default_factory=list)
    out: str | None = "out"

    @property
    def command(self) -> str:
        saved = [] if self.out is None else ["--out", self.out]
        return shlex.join(["evenhand", "repair", self.system, *self.options, *QUICK, *saved])


PLANTED = "planted(gap=0.05)"
FILE = ["--corpus", "my friends.yaml"]
CASES = {
    "whole": Case(PLANTED),
    "sample": Case(PLANTED, ["--sample", "960"]),
    "sample, seed and attribute": Case(PLANTED, ["--sample", "960", "--seed", "3", "--attribute", "gender"]),
    "spelling": Case(PLANTED, ["--sample=960", "--spelling=published"]),
    "corpus with a space": Case("planted(gap=0.2, person_sd=0.01)+vader", [*FILE, "--attribute", "gender"]),
    "out with a space and a quote": Case(PLANTED, ["--sample", "960"], out="Ann's results/first +"),
    "range and version": Case("py:own:scores", [*FILE, "--range", "-1,1", "--system-version", "v 1"]),
    "function": Case("py:own:scores", [*FILE, "--range=-2,2"]),
    "system in a file": Case("my system.yaml", FILE),
    "recorded": Case("file:my predictions.csv", ["--corpus", "my friends.yaml"]),
    "no out": Case(PLANTED, ["--sample", "960", "--attribute", "gender"], out=None),
    "no out, corpus with a space": Case("planted(gap=0.2, person_sd=0.01)+vader", FILE, out=None),
}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus, a system, its description and predictions, in which commands are typed."""
    shutil.copy(FRIENDS, tmp_path / "my friends.yaml")
    (tmp_path / "own.py").write_text(SYSTEM)
    (tmp_path / "my system.yaml").write_text('name: "a system (mine)"\nsystem: planted\nsettings: {gap: 0.2}\n')
    corpus = load_corpus(FRIENDS)
    known = dict(zip(corpus.frame["text"], gaps_of(corpus), strict=True))
    (tmp_path / "known.json").write_text(json.dumps(known))
    pl.DataFrame({"text": list(known), "score": list(known.values())}).write_csv(tmp_path / "my predictions.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own", raising=False)
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_every_command_of_a_repair_runs(name: str, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    done = run(f"{case.command} --full", monkeypatch)
    page = None if case.out is None else Path(case.out) / "repair.html"
    assert "Advised: layers" in done.stdout
    found = commands_of(done, page)
    if page is None:
        assert [command.split()[1] for command in found] == ["repair"]  # it is advised to save it
    else:
        assert sorted({command.split()[1] for command in found}) == ["audit", "repair", "report"]
        shown = run(shlex.join(["evenhand", "report", str(case.out), "--full"]), monkeypatch)
        (use,) = commands_of(shown)
        assert use in found
    for command in found:
        run(command, monkeypatch)


def test_what_is_saved_as_advised_can_be_used_as_advised(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (save,) = commands_of(run(f"{CASES['no out'].command} --full", monkeypatch))
    (use,) = [one for one in commands_of(run(f"{save} --full", monkeypatch)) if " audit " in one]
    assert "equivalent" in run(f"{use} --full", monkeypatch).stdout


def test_a_repair_that_was_moved_says_how_it_is_used_from_there(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(CASES["sample"].command, monkeypatch)
    (work / "out").rename(work / "elsewhere")
    (use,) = commands_of(run("evenhand report elsewhere", monkeypatch))
    assert "repaired:elsewhere/calibrators/layers.json+" in use
    run(use, monkeypatch)


def test_a_system_that_cannot_be_typed_is_not_in_a_command(work: Path) -> None:
    corpus = eec().sample(960)
    known = dict(zip(corpus.frame["text"], gaps_of(corpus), strict=True))
    settings = RepairSettings(methods=("layers",), repetitions=1)
    found = repair(
        lambda texts: [known.get(t, 0.5) for t in texts], corpus, settings=settings, progress=False, out="out"
    )
    assert found.advised == "layers"
    assert not ANYWHERE.search((work / "out" / "repair.html").read_text(encoding="utf-8"))


def test_every_command_of_a_study_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = {"gender": (0.01, 0.02), "race": (0.0, 0.01)}
    made = [Planted("one", "joy", gaps), Planted("two", "joy", gaps, noise=0.3)]
    write_study(tmp_path / "my task", made)
    monkeypatch.chdir(tmp_path)
    places = ["my task/submissions", "--gold", "my task/gold", "--out", "my study"]
    options = ["--range", "-1,1", "--attribute", "gender", "--baseline", "two", "--no-figures"]
    done = run(shlex.join(["evenhand", "study", *places, *options]), monkeypatch)
    found = commands_of(done, tmp_path / "my study" / "study.html")
    assert sorted({command.split()[1] for command in found}) == ["report", "study"]
    for command in found:
        run(command, monkeypatch)


def test_the_command_for_an_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Planted("one", "joy", {"gender": (0.01, 0.02), "race": (0.0, 0.01)})]
    monkeypatch.setattr(synthetic, "a_study", lambda: made)
    monkeypatch.chdir(tmp_path)
    (command,) = commands_of(run("evenhand study --example 'an example'", monkeypatch))
    run(command, monkeypatch)
    assert (tmp_path / "an example" / "study" / "study.html").is_file()


OWN = '''
import json
from pathlib import Path

KNOWN = json.loads(Path("known.json").read_text()) if Path("known.json").is_file() else {}
OTHER = 0.5


def of_known(number):
    return lambda texts: [KNOWN.get(text, [OTHER] * 9)[number] for text in texts]


person, template = of_known(0), of_known(1)


def constant(texts):
    return [OTHER] * len(texts)


def short(sentences):
    """Finds names that are written short."""
    return [["U-PER" if len(word) < 6 and word[:1].isupper() else "O" for word in words] for words in sentences]
'''


def hanging(corpus: Corpus) -> dict[str, list[float]]:
    """Race gaps that hang on one person, and on one template, at a tolerance of 0.0005."""
    frame, rng = corpus.frame, np.random.default_rng(0)
    first = (frame["race"] == "African American").fill_null(False).to_numpy()
    base = 0.3 + frame["source"].rank("dense").to_numpy() / 1000
    persons = frame["person"].unique(maintain_order=True).to_list()
    effect = dict(zip(persons, rng.normal(0, 0.012, len(persons)), strict=True))
    own = np.array([effect[one] for one in frame["person"]])
    templates = sorted(set(frame["template"]))
    number = np.array([templates.index(one) for one in frame["template"]])
    settings = Settings(equivalence=0.0005)

    def until(kind: str, tries: list[np.ndarray]) -> np.ndarray:
        columns = tuple(Column(f"s{place}", Output("score"), None) for place in range(len(tries)))
        scores = Scores(tuple(frame["id"]), np.column_stack(tries), columns, corpus.digest)
        found = compare(scores, corpus, attributes=["race"], settings=settings).findings
        return next(v for v, one in zip(tries, found, strict=True) if one.withheld and one.withheld.kind == kind)

    ebony = (frame["person"] == "Ebony").to_numpy() * first
    by_person = until("person", [base + 0.012 * first + own + size * ebony for size in np.arange(0.05, 0.4, 0.01)])
    gaps = rng.normal(0.012, 0.012, (len(templates), 40))
    noise = rng.normal(0, 0.002, (len(frame), 40))
    by_template = until("template", list((base[:, None] + first[:, None] * gaps[number] + noise).T))
    return {text: [a, b] for text, a, b in zip(frame["text"], by_person.tolist(), by_template.tolist(), strict=True)}


VERDICTS = {
    "higher, not declared": ("evenhand audit 'planted(gap=0.05)' --attribute gender --sample 960", ["--high-is bad"]),
    "higher, declared": (
        "evenhand audit 'planted(gap=0.05)' --attribute gender --sample 960 --high-is bad",
        ["repair 'planted(gap=0.05)' --sample 960 --high-is bad"],
    ),
    "no reaction": ("evenhand audit 'planted(gap=0.05)' --attribute race", ["--corpus identity-names"]),
    "cannot tell, alone": (
        "evenhand audit vader --attribute race",
        ["--without Tia", "--until-settled", "--equivalence"],
    ),
    "cannot tell, a part": ("evenhand audit svr --attribute race --subset neutral", ["audit svr --attribute race"]),
    "equivalent": ("evenhand audit vader --attribute gender", ["--equivalence 0.005"]),
    "hangs on a person": (
        "evenhand audit py:printed_own:person --attribute race --equivalence 0.0005",
        ["--without "],
    ),
    "hangs on a template": (
        "evenhand audit py:printed_own:template --attribute race --equivalence 0.0005",
        ["--without '", "--subset 'template="],
    ),
    "does not do its job": ("evenhand audit py:printed_own:constant --sample 480", ["--out my-audit"]),
    "two systems": ("evenhand audit vader py:printed_own:constant --sample 480", ["compare 'my-audit#vader'"]),
    "one person a group": ("evenhand audit vader --corpus few.csv --attribute gender", ["--corpus few.csv"]),
    "tagger": ("evenhand audit py:printed_own:short --corpus ner-names --attribute gender", ["my-ner-names.parquet"]),
    "tagger, other": (
        "evenhand audit py:printed_own:short --corpus ner-names --attribute race --sample 464",
        ["ner-names"],
    ),
    "metrics": ("evenhand measure audited", ["--out my-metrics"]),
    "ratings": ("evenhand rate biased-female vader --groups 1 --bootstrap 10", ["audit biased-female"]),
    "chat": ("evenhand chat example", ["--system vader"]),
    "chat with a system": ("evenhand chat example --system vader", ["rate vader --groups '' --chat example"]),
    "compare": ("evenhand compare audited#vader audited#textblob", ["evenhand"]),
    "nothing to repair": (
        "evenhand repair vader --attribute race --sample 960 --repetitions 1 --method layers",
        ["audit vader"],
    ),
}
"""What is typed, and parts of the commands that must be offered."""


@pytest.mark.parametrize("name", VERDICTS)
def test_every_verdict_of_every_kind_has_a_next_step_that_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed, offered = VERDICTS[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delitem(sys.modules, "printed_own", raising=False)
    (tmp_path / "printed_own.py").write_text(OWN)
    if "hangs" in name:
        (tmp_path / "known.json").write_text(json.dumps(hanging(eec())))
    if "few.csv" in typed:
        few = pl.DataFrame({
            "id": ["1", "2", "3", "4"], "source": ["a", "a", "b", "b"], "person": ["Ann", "Bob"] * 2,
            "text": ["Ann is happy.", "Bob is happy.", "Ann is sad.", "Bob is sad."], "gender": ["f", "m"] * 2,
        })  # fmt: skip
        few.write_csv("few.csv")
    if "audited" in typed:
        run("evenhand audit vader textblob --corpus identity-names --attribute gender --out audited", monkeypatch)
    shown = run(f"{typed} --full", monkeypatch).stdout
    assert "What you can do next" in shown
    steps = re.findall(r"^ {4}(evenhand .*)$", shown.partition("What you can do next")[2], re.MULTILINE)
    for part in offered:
        assert any(part in step for step in steps), steps
    for step in steps:
        run(f"{step} --repetitions 1" if " repair " in step else step, monkeypatch)


@pytest.mark.skipif(shutil.which("apertium") is None, reason="needs Apertium, to travel through another language")
def test_what_came_home_can_be_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(tmp_path / "cache"))
    done = run("evenhand drift es --sample 480", monkeypatch)
    steps = re.findall(r"^ {4}(evenhand .*)$", done.stdout, re.MULTILINE)
    assert [step.split()[1] for step in steps] == ["drift", "audit"]
    for step in steps:
        run(step, monkeypatch)


SAID = ["user|/greet|", "bot||Glad to see you", "user|ask|Is it far?", "bot||Sadly, yes [The end]"]


@pytest.mark.parametrize(
    "options",
    [
        ["--ends", "The end", "--leave-out-intents"],
        ["--ends", "The end", "--first-row-only", "--intent", "/greet=Hi"],
        ["--ends", "The end", "--first-row-only", "--leave-out-intents", "--seed", "2"],
    ],
)
def test_how_a_log_is_read_is_said_once(options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    lines = [
        "||" + row if place and "--first-row-only" in options else f"{number}|{('male', 'female')[number % 2]}|{row}"
        for number in range(6)
        for place, row in enumerate(SAID)
    ]
    header = "conversation|gender|speaker|intent|text"
    Path("log.csv").write_text("\n".join([header, *lines]), encoding="utf-8")
    ask = run(shlex.join(["evenhand", "chat", "log.csv", *options]), monkeypatch).stdout
    (command,) = re.findall(r"^ {4}(evenhand .*)$", ask, re.MULTILINE)
    assert shlex.split(command) == ["evenhand", "chat", "log.csv", *options, "--system", "vader"]
    told = run(shlex.join(["evenhand", "chat", "log.csv", *options, "--system", "vader"]), monkeypatch).stdout
    save, rate = re.findall(r"^ {4}(evenhand .*)$", told, re.MULTILINE)
    assert rate == "evenhand rate vader --groups '' --chat my-chat/conversations.csv" + " --seed 2" * (
        "--seed" in options
    )
    run(save, monkeypatch)
    run(rate, monkeypatch)


QUOTED = re.compile(r"`(evenhand [a-z][^`]*)`|^ {4}(evenhand .*)$|: (evenhand .*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|^evenhand train( |$)")
"""What the reader has to fill in; training names models elsewhere and takes what only its user has."""
RUNS = ["evenhand audit vader --sample 480 --out 'my run'", "evenhand audit svr --sample 480 --out other"]
PRINTING = {
    "audit": (RUNS[0], True),
    "compare": ("evenhand compare 'my run' other --out 'a comparison'", True),
    "rate": ("evenhand rate biased-female vader --groups 1 --bootstrap 10 --out 'my ratings'", True),
    "chat": ("evenhand chat example --out 'my chat'", True),
    "annotate": ("evenhand annotate chat:example --out sheets", False),
    "annotate without a corpus": ("evenhand annotate", True),
    "runs": ("evenhand runs 'my run'", False),
    "no runs": ("evenhand runs empty", False),
    "report": ("evenhand report 'my run'", True),
    "systems": ("evenhand systems", False),
    "corpus": ("evenhand corpus list", False),
}
"""What is typed, and whether it prints commands that can be typed as they stand."""


@pytest.mark.parametrize("name", PRINTING)
def test_every_command_that_is_printed_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command, prints = PRINTING[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "empty").mkdir()
    for made in RUNS if command not in RUNS else ():
        run(made, monkeypatch)
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    shown = f"{done.stdout}{done.stderr}{done.exception or ''}"
    assert (done.exit_code == 0) == (name != "annotate without a corpus"), shown
    found = [next(filter(None, groups)) for groups in QUOTED.findall(shown)]
    typed = [one for one in found if not PLACEHOLDER.search(one)]
    assert bool(typed) == prints, shown
    for one in typed:
        run(
            f"{one} --repetitions 1" if " repair " in one else f"{one} --out again" if " audit " in one else one,
            monkeypatch,
        )


@pytest.mark.parametrize("command", [
    "evenhand plan 'planted(gap=0.1, person_sd=0.01)' --delta 0.05 --attribute race --names matched",
    "evenhand plan --system vader --system afinn --delta 0.02",
    "evenhand plan --spread names=.01,noise=.02 --spread template=.03 --delta 0.02 --attribute gender",
])  # fmt: skip
def test_every_command_of_a_plan_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = commands_of(run(f"{command} --out 'my plan'", monkeypatch), tmp_path / "my plan" / "plan.html")
    assert {"report", "plan"} < {one.split()[1] for one in found} | {"audit"}
    for one in found:
        run(one, monkeypatch)
