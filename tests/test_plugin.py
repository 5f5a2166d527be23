"""Systems that other packages bring: the example, really installed, and plugins that are broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import REGISTRY, Scorer
from evenhand.systems.installed import listed_systems

EXAMPLE = Path(__file__).parent.parent / "examples" / "evenhand-plugin"

GOOD = '''
from evenhand.systems import Output, as_scorer, system

class Plain:
    """A plain class."""
    name = "plain"
    outputs = (Output("score"),)
    batch_size = 8
    fingerprint = None
    def __init__(self, *, level: float = 0.5):
        self.level = level
    def score(self, texts):
        return [self.level] * len(texts)

@system("addressed", address="WHERE")
class Addressed(Plain):
    """With an address."""
    def __init__(self, where, *, level: float = 0.25):
        super().__init__(level=level)
        self.where = where
    def score(self, texts):
        return [len(self.where) / 100] * len(texts)

@system("vader")
class Usurper(Plain):
    """Would take VADER's place."""

@system("another-name")
def made(*, level: float = 0.75):
    """A function that builds one."""
    return Plain(level=level)

class Needy(Plain):
    def __init__(self):
        import no_such_package

class Clumsy(Plain):
    def __init__(self):
        raise RuntimeError("spilt\\nmilk")

class Shapeless:
    name = "shapeless"
    def score(self, texts):
        return []

number = 7
'''


@pytest.fixture
def corpus() -> Corpus:
    frame = pl.DataFrame({"id": ["s1"], "text": ["HI there"], "source": ["x"], "person": ["Ebony"]})
    return Corpus(frame=frame, name="tiny", attributes={})


@pytest.fixture(autouse=True)
def own_table() -> Iterator[None]:
    """What a test enters into the table goes with the test."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


@pytest.fixture
def announce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lay down a package with entry points, as an installer would, where Python finds it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def announce(package: str, **points: str) -> None:
        folder = tmp_path / f"{package.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name.replace('_', '-')} = {value}" for name, value in points.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[evenhand.systems]", *lines]) + "\n")

    # A name of its own for each test: a module that was imported once is not read again.
    (tmp_path / f"good_{tmp_path.name}.py").write_text(GOOD)
    return announce


@pytest.fixture
def good(tmp_path: Path) -> Iterator[str]:
    yield f"good_{tmp_path.name}"
    sys.modules.pop(f"good_{tmp_path.name}", None)


def scorer_of(spec: str, corpus: Corpus) -> Scorer:
    scorer = resolve(spec, corpus)
    assert isinstance(scorer, Scorer)
    return scorer


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, built and installed by pip into a folder of its own."""
    target = tmp_path_factory.mktemp("plugins")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
         "--target", str(target), str(EXAMPLE)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return target


def evenhand(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from evenhand.cli import main; main()", *arguments],
        capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(folder)},
    )  # fmt: skip


def test_the_example_is_audited_by_its_name_with_its_settings(installed: Path) -> None:
    done = evenhand(installed, "audit", "shouting", "shouting(gain=2)", "--sample", "960", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {finding["system"] for finding in found["findings"]} == {"shouting", "shouting(gain=2)"}
    assert {finding["output"] for finding in found["findings"]} == {"loudness"}
    assert all(system["fingerprint"] for system in found["provenance"]["systems"])


def test_the_example_is_listed_with_the_package_that_brings_it(installed: Path) -> None:
    listed = json.loads(evenhand(installed, "systems", "--json").stdout)["systems"]
    (shouting,) = [one for one in listed if one["name"] == "shouting"]
    assert shouting["plugin"] == "evenhand-shouting"
    assert shouting["installed"]
    assert shouting["summary"] == "The share of a text's letters that are capitals, from 0 to 1."


def test_the_example_is_small() -> None:
    code = [line for line in (EXAMPLE / "evenhand_shouting.py").read_text().splitlines() if line.strip()]
    assert len(code) < 30


def test_without_the_example_its_name_is_unknown(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="unknown system 'shouting'"):
        resolve("shouting", corpus)


def test_a_plain_class_needs_no_decorator(announce: Callable[..., None], good: str, corpus: Corpus) -> None:
    announce("one", plain=f"{good}:Plain")
    assert REGISTRY.announced() == ["plain"]
    assert good not in sys.modules
    scorer = scorer_of("plain(level=0.125)", corpus)
    assert scorer.name == "plain(level=0.125)"
    assert list(scorer.score(["a"])) == [0.125]
    with pytest.raises(UsageError, match=r"'plain' has no setting 'lvel'; its settings: level=0\.5"):
        resolve("plain(lvel=1)", corpus)


def test_siblings_in_one_module_each_keep_their_address(
    announce: Callable[..., None], good: str, corpus: Corpus
) -> None:
    announce("one", plain=f"{good}:Plain", addressed=f"{good}:Addressed")
    resolve("plain", corpus)
    scorer = scorer_of("addressed:over there", corpus)
    assert list(scorer.score(["a"])) == [0.1]
    with pytest.raises(UsageError, match="'addressed' does not read as addressed:WHERE"):
        resolve("addressed", corpus)
    assert {name: REGISTRY[name].plugin for name in ("plain", "addressed")} == {"plain": "one", "addressed": "one"}


def test_the_name_that_is_announced_counts(announce: Callable[..., None], good: str, corpus: Corpus) -> None:
    announce("one", built=f"{good}:made")
    assert list(scorer_of("built", corpus).score(["a"])) == [0.75]
    assert "another-name" not in REGISTRY


def test_no_plugin_takes_the_place_of_a_system_that_is_there(announce: Callable[..., None], good: str) -> None:
    vader = REGISTRY["vader"]
    announce("one", vader=f"{good}:Usurper", mine=f"{good}:Usurper")
    assert REGISTRY.lookup("vader") is vader
    mine = REGISTRY.lookup("mine")
    assert mine is not None
    assert mine.summary == "Would take VADER's place."
    assert REGISTRY["vader"] is vader


def test_two_plugins_of_one_name_are_told(announce: Callable[..., None], good: str, corpus: Corpus) -> None:
    announce("one", plain=f"{good}:Plain")
    announce("two", plain=f"{good}:Plain")
    with pytest.raises(UsageError, match="several plugins bring a system 'plain': one, two; keep one"):
        resolve("plain", corpus)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("no_such_module:X", "cannot be imported from 'no_such_module:X': ModuleNotFoundError: No module named"),
        ("{good}:Nothing", "cannot be imported from '.*:Nothing': AttributeError"),
        ("{good}:number", "is neither a class nor a function, but 7"),
        ("{good}:Needy", "needs 'no_such_package', which is not installed"),
        ("{good}:Clumsy", "failed: RuntimeError: spilt milk"),
        ("{good}:Shapeless", "is not a scorer: it lacks outputs, fingerprint, batch_size"),
    ],
)
def test_a_broken_plugin_is_named_in_one_line(
    announce: Callable[..., None], good: str, corpus: Corpus, value: str, message: str
) -> None:
    announce("bad-package", broken=value.format(good=good), plain=f"{good}:Plain")
    with pytest.raises(EvenhandError, match=message) as caught:
        resolve("broken", corpus)
    assert str(caught.value).startswith("the system 'broken' of the plugin 'bad-package'")
    assert "\n" not in str(caught.value)
    assert scorer_of("plain", corpus).name == "plain"
    assert scorer_of("vader", corpus).name == "vader"


def test_a_broken_plugin_is_listed_and_so_are_the_others(
    announce: Callable[..., None], good: str, tmp_path: Path, corpus: Corpus
) -> None:
    (tmp_path / "leaving.py").write_text("raise SystemExit('bye')\n")
    (tmp_path / "killing.py").write_text("import os\nos._exit(4)\n")
    announce("bad-package", broken="leaving:X", fatal="killing:X", plain=f"{good}:Plain")
    listed = {one.typed: one for one in listed_systems()}
    assert listed["fatal"].problem == (
        "the system 'fatal' of the plugin 'bad-package' failed: it ended its process, with exit code 4"
    )
    assert listed["broken"].problem is not None
    assert "it called sys.exit(bye)" in listed["broken"].problem
    assert (listed["broken"].installed, listed["broken"].plugin) == (False, "bad-package")
    assert (listed["plain"].installed, listed["plain"].plugin) == (True, "bad-package")
    assert listed["vader"].installed
    with pytest.raises(UsageError, match="unknown system 'brokn'; did you mean 'broken'"):
        resolve("brokn", corpus)
