"""Every command that a repair or a study prints, in the terminal or on a page, runs as it stands."""

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
from evenhand.cli.app import app
from evenhand.studies import synthetic
from evenhand.studies.synthetic import Planted, write_study

pytestmark = pytest.mark.slow  # a repair or two each

FRIENDS = Path(__file__).parents[1] / "promises" / "saved" / "friends.yaml"
IN_A_TERMINAL = re.compile(r"(?:`|: )(evenhand [^`\n]+)")
ON_A_PAGE = re.compile(r"<code>(evenhand [^<]+)</code>")
ANYWHERE = re.compile(r"\bevenhand (?:audit|measure|rate|repair|report|study|compare|runs)\b")
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
    "corpus with a space": Case("planted(gap=0.2)+vader", [*FILE, "--attribute", "gender"]),
    "out with a space and a quote": Case(PLANTED, ["--sample", "960"], out="Ann's results/first +"),
    "range and version": Case("py:own:scores", [*FILE, "--range", "-1,1", "--system-version", "v 1"]),
    "function": Case("py:own:scores", [*FILE, "--range=-2,2"]),
    "system in a file": Case("my system.yaml", FILE),
    "recorded": Case("file:my predictions.csv", ["--corpus", "my friends.yaml"]),
    "no out": Case(PLANTED, ["--sample", "960", "--attribute", "gender"], out=None),
    "no out, corpus with a space": Case("planted(gap=0.2)+vader", FILE, out=None),
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
    done = run(case.command, monkeypatch)
    page = None if case.out is None else Path(case.out) / "repair.html"
    assert "Advised: layers" in done.stdout
    found = commands_of(done, page)
    if page is None:
        assert [command.split()[1] for command in found] == ["repair"]
    else:
        assert sorted({command.split()[1] for command in found}) == ["audit", "repair", "report"]
        shown = run(shlex.join(["evenhand", "report", str(case.out)]), monkeypatch)
        (use,) = commands_of(shown)
        assert use in found
    for command in found:
        run(command, monkeypatch)


def test_what_is_saved_as_advised_can_be_used_as_advised(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (save,) = commands_of(run(CASES["no out"].command, monkeypatch))
    (use,) = [one for one in commands_of(run(save, monkeypatch)) if " audit " in one]
    assert "equivalent" in run(use, monkeypatch).stdout


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
    assert sorted(command.split()[1] for command in found) == ["report", "study"]
    for command in found:
        run(command, monkeypatch)


def test_the_command_for_an_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Planted("one", "joy", {"gender": (0.01, 0.02), "race": (0.0, 0.01)})]
    monkeypatch.setattr(synthetic, "a_study", lambda: made)
    monkeypatch.chdir(tmp_path)
    (command,) = commands_of(run("evenhand study --example 'an example'", monkeypatch))
    run(command, monkeypatch)
    assert (tmp_path / "an example" / "study" / "study.html").is_file()


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
