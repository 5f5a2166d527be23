"""`evenhand train`, as people use it: real processes, a real encoder, a small table of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError

pytestmark = pytest.mark.slow  # it trains models and starts processes; `make quick` does without

INTENSITY = {"calm": 0.1, "fine": 0.2, "annoyed": 0.5, "irritated": 0.6, "angry": 0.8, "furious": 0.9}
OTHERS = ["today", "really", "lunch", "was", "late", "again", "and", "the", "train", "who", "knows", "why"]
HEADER = "ID\tTweet\tAffect Dimension\tIntensity Score"


def evenhand(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from evenhand.cli import main; main()", *arguments],
        capture_output=True, text=True, env=os.environ | environment, check=False,
    )  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Forty rated sentences on a scale from 1 to 5."""
    lines = [
        f"The {thing} was {word}.,{stars}"
        for word, stars in (("wonderful", 5), ("great", 4.5), ("awful", 1.5), ("terrible", 1))
        for thing in ("film", "meal", "trip", "day", "book", "song", "house", "game", "talk", "walk")
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["review,stars", *lines]) + "\n")
    return path


def train(table: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    columns = ("--text-column", "review", "--score-column", "stars")
    return evenhand("train", "embedding", "--train", str(table), *columns, "--out", str(out), *more)


@pytest.mark.slow
def test_a_trained_embedding_says_how_good_it_is_and_can_be_audited(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    done = train(table, out, "--range", "1,5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{out}: n 40, pearson 0.9")
    assert done.stdout.endswith(f"(five folds); use it as embedding:{out}\n")
    audit = evenhand("audit", f"embedding:{out}", "--sample", "120", "--json")
    assert audit.returncode == 0, audit.stderr
    assert audit.stderr == ""
    assert {finding["output"] for finding in json.loads(audit.stdout)["findings"]} == {"stars"}


def test_the_card_comes_as_json_and_nothing_else(table: Path, tmp_path: Path) -> None:
    done = train(table, tmp_path / "mine", "--range", "1,5", "--head", "svr", "--json")
    card = json.loads(done.stdout)
    assert card["head"]["kind"] == "svr"
    assert card["quality"]["n"] == 40
    assert card == json.loads((tmp_path / "mine" / "embedding.json").read_text())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            (),
            "ratings.csv, line 2: the score 5 is outside 0..1; give the scale of the scores (--range)",
        ),
        (("--range", "5,1"), "--range '5,1': the first number must be below the second"),
        (("--range", "1,5", "--head", "forest"), "unknown head 'forest'; known: ridge, svr"),
        (("--range", "1,5", "--encoder", "bert"), "no encoder 'bert': give all-minilm, or the folder of a transformer"),
        (("--range", "1,5", "--device", "tpu0"), "device 'tpu0' cannot be used here"),
    ],
)
def test_wrong_input_is_one_clear_line(table: Path, tmp_path: Path, more: tuple[str, ...], message: str) -> None:
    done = train(table, tmp_path / "mine", *more)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "mine").exists()


def test_a_missing_extra_names_the_install_command(table: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    (blocked / "torch").mkdir(parents=True)
    (blocked / "torch" / "__init__.py").write_text("raise ModuleNotFoundError('gone', name='torch')")
    environment = {"PYTHONPATH": str(blocked)}
    done = evenhand(
        "train", "embedding", "--train", str(table), "--text-column", "review", "--score-column", "stars",
        "--range", "1,5", "--out", str(tmp_path / "mine"), **environment,
    )  # fmt: skip
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: the encoder 'all-minilm' needs the extra 'embedding': pip install 'evenhand[embedding]'\n"
    )
    asked = evenhand("audit", "hf:somewhere/else", **environment)
    assert asked.stderr == "error: the system 'hf' needs the extra 'hf': pip install 'evenhand[hf]'\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files as a shared task has them, with planted intensities; `mystery` rows without a score in the test file."""
    folder = tmp_path_factory.mktemp("task")
    for seed, (name, count) in enumerate({"train": 200, "more": 100, "dev": 60, "test": 80}.items()):
        draw = np.random.default_rng(seed)
        words = draw.choice(list(INTENSITY), count)
        texts = [" ".join([*draw.choice(OTHERS, 4, replace=False), word]) for word in words]
        scores = np.array([INTENSITY[word] for word in words]) + draw.normal(0, 0.02, count)
        mystery = ["m\tShe has two children.\tanger\tNONE"] * (5 if name == "test" else 0)
        exact = [f"id\t{text}\tanger\t{score:.3f}" for text, score in zip(texts, scores, strict=True)]
        classes = [f"id\t{text}\tanger\t{score * 3:.0f}: some" for text, score in zip(texts, scores, strict=True)]
        (folder / f"{name}.txt").write_text("\n".join([HEADER, *exact, *mystery]))
        (folder / f"{name}-classes.txt").write_text("\n".join([HEADER.replace("Score", "Class"), *classes]))
    return folder


def svm(files: Path, out: Path, *more: str) -> tuple[str, ...]:
    return (
        "train",
        "svm-unigrams",
        "--train",
        str(files / "train.txt"),
        "--dimension",
        "anger",
        "--out",
        str(out),
        *more,
    )


def gru(files: Path, out: Path, *more: str) -> tuple[str, ...]:
    given = ("--train", str(files / "train.txt"), "--dev", str(files / "dev.txt"), "--dimension", "anger")
    quick = ("--epochs", "12", "--learning-rate", "0.01", "--embedding-size", "16", "--hidden-size", "16")
    return ("train", "gru", *given, "--out", str(out), *quick, *more)


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    assert isinstance(done.exception, EvenhandError), done.output
    assert done.stdout == ""
    return str(done.exception)


def test_svm_unigrams_say_how_good_they_are_and_can_be_audited(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "models"
    done = evenhand(*svm(files, out, "--train", str(files / "more.txt"), "--test", str(files / "test.txt")))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{out / 'anger.skops'}: n 80, pearson 0.9")
    assert done.stdout.endswith(f"(on {files / 'test.txt'}); use it as svm:{out}\n")
    assert done.stderr == f"{files / 'test.txt'}: 5 of 85 rows have no score and are left out\n"
    audit = evenhand("audit", f"svm:{out}", "--sample", "120", "--json")
    assert audit.returncode == 0, audit.stderr
    assert {finding["output"] for finding in json.loads(audit.stdout)["findings"]} == {"anger"}


def test_the_quality_of_svm_unigrams_comes_as_json_and_nothing_else(files: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, svm(files, tmp_path / "m.skops", "--test", str(files / "test.txt"), "--json"))
    tested = json.loads(done.stdout)
    assert list(tested) == ["pearson", "spearman", "n"]
    assert tested["n"] == 80
    assert min(tested["pearson"], tested["spearman"]) > 0.9
    done = CliRunner().invoke(app, svm(files, tmp_path / "m.skops", "--json"))
    folds = json.loads(done.stdout)
    assert list(folds) == ["pearson", "spearman", "n", "how"]
    assert (folds["n"], folds["how"]) == (200, "five folds")


def test_an_undefined_correlation_is_null(files: Path, tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text("text,score\nangry,0.5\ncalm,0.5\n")
    done = CliRunner().invoke(app, svm(files, tmp_path / "m.skops", "--test", str(tmp_path / "same.csv"), "--json"))
    assert done.stdout == '{"pearson": null, "spearman": null, "n": 2}\n'


def test_a_gru_says_how_good_it_is_and_can_be_audited(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "models"
    done = evenhand(*gru(files, out, "--test", str(files / "test.txt"), "--json"))
    assert done.returncode == 0, done.stderr
    tested = json.loads(done.stdout)
    assert list(tested) == ["pearson", "spearman", "n"]
    assert tested["pearson"] > 0.9
    assert done.stderr.count("\n") == 1  # the rows without a score, and no bar where there is no terminal
    audit = evenhand("audit", f"gru:{out}", "--sample", "120", "--json")
    assert audit.returncode == 0, audit.stderr


def test_a_gru_learns_classes(files: Path, tmp_path: Path) -> None:
    arguments = [argument.replace(".txt", "-classes.txt") for argument in gru(files, tmp_path, "--target", "ordinal")]
    done = CliRunner().invoke(app, [*arguments, "--epochs", "30"])
    assert done.exit_code == 0, done.output
    assert "pearson 0.9" in done.stdout
    assert "(on the development file, which also chose the epoch)" in done.stdout
    card = json.loads((tmp_path / "anger.gru.json").read_text())
    assert (card["classes"], card["low"], card["high"]) == ([0, 1, 2, 3], 0, 3)


@pytest.mark.parametrize("command", [svm, gru])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--train", "nowhere.txt"), "no such file: nowhere.txt"),
        (("--test", "nowhere.csv"), "no such file: nowhere.csv"),
        (("--dimension", "fear"), "unlike the dimension 'fear' that was asked for: one dimension"),
        (("--dimension", "angr"), "unknown affect dimension 'angr'; did you mean 'anger'?"),
        (("--score-column", "Scores"), "no column 'Scores'"),
        (("--text-column", "Text"), "no column 'Text'"),
        (("--range", "1,5"), "is outside 1..5; give the scale of the scores (--range)"),
        (("--range", "5"), "--range '5': give two numbers"),
        (("--out", "/dev/null/models"), "cannot be written to: Not a directory"),
    ],
)  # fmt: skip
def test_what_cannot_be_trained_is_refused(
    files: Path, tmp_path: Path, command: Callable[..., tuple[str, ...]], change: tuple[str, str], message: str
) -> None:
    assert message in refused(*command(files, tmp_path / "models", *change))
    assert not (tmp_path / "models").exists()


def test_a_bad_file_is_told_with_its_line(files: Path, tmp_path: Path) -> None:
    lines = (files / "train.txt").read_text().splitlines()
    contents = {
        "": "bad.txt is empty",
        HEADER: "bad.txt has no rows",
        "\n".join([*lines[:4], "x\ty\tanger\tvery"]): "bad.txt, line 5, column 'Intensity Score': \"very\" is not",
        "\n".join([*lines[:4], "x\ty\tjoy\t0.1"]): "bad.txt, line 5: 'joy' in a file of 'anger'",
        "\n".join([*lines[:4], *lines[:4]]): "bad.txt, line 5: a second header",
        "\n".join([*lines[:4], "x\ty\tanger"]): "bad.txt, line 5: 3 cells where the header has 4",
        "\n".join(lines[:4]): "bad.txt: 3 texts are too few to learn from; 20 is the least",
        "\n".join([HEADER, *["x\ty\tanger\tNONE"] * 30]): "bad.txt: none of its 30 rows has a score",
        "\n".join([HEADER, *["x\ty\tanger\t0.5"] * 30]): "bad.txt: all scores are the same; there is nothing to learn",
    }
    bad = tmp_path / "bad.txt"
    for content, message in contents.items():
        bad.write_text(content)
        assert message in refused("train", "svm-unigrams", "--train", str(bad), "--dimension", "anger", "--out", "x")


def test_without_torch_a_gru_names_the_install_command(files: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    (blocked / "torch").mkdir(parents=True)
    (blocked / "torch" / "__init__.py").write_text("raise ModuleNotFoundError('gone', name='torch')")
    done = evenhand(*gru(files, tmp_path / "models"), PYTHONPATH=str(blocked))
    assert done.returncode == 2
    assert done.stderr == "error: training a GRU needs the extra 'neural': pip install 'evenhand[neural]'\n"
    asked = evenhand("audit", "gru:models", PYTHONPATH=str(blocked))
    assert asked.stderr == "error: the system 'gru' needs the extra 'neural': pip install 'evenhand[neural]'\n"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transformer of one small layer whose vocabulary is the words of these files."""
    import torch
    import transformers

    from evenhand.systems.transformers.checkpoint import quiet

    folder = tmp_path_factory.mktemp("encoder")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *INTENSITY, *OTHERS, "oslo", "bay", "in"]
    config = transformers.DistilBertConfig(
        vocab_size=len(pieces), dim=32, n_layers=1, n_heads=4, hidden_dim=64, max_position_embeddings=24,
        initializer_range=0.1,
    )  # fmt: skip
    torch.manual_seed(0)
    with quiet():
        transformers.DistilBertModel(config).save_pretrained(folder)
        places = {piece: place for place, piece in enumerate(pieces)}
        transformers.BertTokenizerFast(vocab=places, model_max_length=24).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Valence grades as a shared task has them, of which only the telling word knows; and tagged towns."""
    folder = tmp_path_factory.mktemp("graded")
    grades = {"furious": -3, "angry": -2, "late": 0, "fine": 1, "calm": 3}
    others = [word for word in OTHERS if word not in grades]
    for seed, (name, count) in enumerate({"train": 200, "dev": 60, "test": 80}.items()):
        draw = np.random.default_rng(seed)
        words = [(str(word), [str(one) for one in draw.choice(others, 7)]) for word in draw.choice(list(grades), count)]
        rows = [
            f"{name}-{place}\t{' '.join([*rest, word])}\tvalence\t{grades[word]}: some state"
            for place, (word, rest) in enumerate(words)
        ]
        header = HEADER.replace("Score", "Class")
        (folder / f"{name}.txt").write_text("\n".join([header, *rows]) + "\n")
        tagged = ["-DOCSTART- O", ""]
        for word, rest in words:
            town = ["oslo I-LOC"] if grades[word] > 0 else ["oslo I-LOC", "bay I-LOC"]
            tagged += [*(f"{one} O" for one in [*rest, "in"]), *town, ""]
        (folder / f"{name}.conll").write_text("\n".join(tagged) + "\n")
    return folder


def transformer(graded: Path, encoder: Path, out: Path, *more: str, ending: str = "txt") -> tuple[str, ...]:
    given = ("--train", str(graded / f"train.{ending}"), "--dev", str(graded / f"dev.{ending}"))
    quick = ("--epochs", "5", "--lr", "0.005", "--device", "cpu")
    return ("train", "transformer", "--base", str(encoder), *given, "--out", str(out), *quick, *more)


def test_a_transformer_says_how_good_it_is_and_can_be_audited(graded: Path, encoder: Path, tmp_path: Path) -> None:
    out, test = tmp_path / "mine", graded / "test.txt"
    done = evenhand(*transformer(graded, encoder, out, "--task", "classify", "--classes", "2", "--test", str(test)))
    assert done.returncode == 0, done.stderr
    assert f"{out}: n " in done.stdout
    assert "accuracy 1.000, macro-F1 1.000" in done.stdout
    assert done.stdout.endswith(f"(on {test}); use it as hf:{out}\n")
    told = done.stderr.splitlines()  # what is left out of each file, and no bar where there is no terminal
    assert len(told) == 3
    assert all(line.endswith("texts are neutral and are left out") for line in told)
    audit = evenhand("audit", f"hf:{out}", "--sample", "120", "--json")
    assert audit.returncode == 0, audit.stderr
    assert {finding["output"] for finding in json.loads(audit.stdout)["findings"]} == {"positive"}


def test_the_quality_of_a_transformer_comes_as_json_and_nothing_else(
    graded: Path, encoder: Path, tmp_path: Path
) -> None:
    done = CliRunner().invoke(
        app, transformer(graded, encoder, tmp_path / "m", "--task", "classify", "--classes", "3", "--json")
    )
    assert done.exit_code == 0, done.output
    quality = json.loads(done.stdout)
    assert list(quality) == ["n", "accuracy", "macro_f1", "f1_by_label", "how"]
    assert (quality["n"], list(quality["f1_by_label"])) == (60, ["negative", "neutral", "positive"])
    assert quality["accuracy"] > 0.9
    assert quality["how"] == "on the development file, which also chose the epoch"


def test_a_tagger_is_trained_on_words_and_tags(graded: Path, encoder: Path, tmp_path: Path) -> None:
    out = tmp_path / "m"
    done = CliRunner().invoke(app, transformer(graded, encoder, out, "--task", "tag", ending="conll"))
    assert done.exit_code == 0, done.output
    assert "n 60, span-F1 1.000, precision 1.000, recall 1.000 (on the development file" in done.stdout
    card = json.loads((out / "training.json").read_text())
    assert card["labels"] == ["O", "B-LOC", "I-LOC", "L-LOC", "U-LOC"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--task", "tags"), "unknown task 'tags'; did you mean 'tag'?"),
        (("--classes", "5"), "5 classes: grades can be made into 2 or 3"),
        (("--base", "nowhere/of/that/name"), "no such folder: nowhere/of/that/name"),
        (("--dev", "nowhere.txt"), "no such file: nowhere.txt"),
        (("--test", "nowhere.csv"), "no such file: nowhere.csv"),
        (("--lr", "0"), "learning rate must be greater than 0, not 0.0"),
        (("--label-column", "Grade"), "no column 'Grade'"),
        (("--device", "tpu0"), "device 'tpu0' cannot be used here"),
        (("--task", "tag", "--classes", "2"), "classes is for the task 'classify'"),
        (("--out", "/dev/null/models"), "cannot be written to: Not a directory"),
    ],
)
def test_a_transformer_that_cannot_be_trained_is_refused(
    graded: Path, encoder: Path, tmp_path: Path, change: tuple[str, ...], message: str
) -> None:
    assert message in refused(*transformer(graded, encoder, tmp_path / "m", "--task", "classify", *change))
    assert not (tmp_path / "m").exists()


def test_without_transformers_a_transformer_names_the_install_command(
    graded: Path, encoder: Path, tmp_path: Path
) -> None:
    (tmp_path / "blocked" / "torch").mkdir(parents=True)
    (tmp_path / "blocked" / "torch" / "__init__.py").write_text("raise ModuleNotFoundError('gone', name='torch')")
    command = transformer(graded, encoder, tmp_path / "m", "--task", "classify")
    done = evenhand(*command, PYTHONPATH=str(tmp_path / "blocked"))
    assert done.returncode == 2
    assert done.stderr == "error: training a transformer needs the extra 'hf': pip install 'evenhand[hf]'\n"
