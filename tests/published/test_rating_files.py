"""The open claims about ratings, held against files in their authors' layout: made ones, whose answers are known."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError, UsageError
from evenhand.published import Check
from evenhand.published.rating_figures import content, printed_impacts
from evenhand.published.rating_files import CLAIMS, FILES, settled
from evenhand.verbs.reproduce import reproduce

TRIPS = ("data", "data_rt_danish", "data_rt_spanish")


def write(path: Path, header: str, rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")


def chat(root: Path, trip: str, study: str, system: str, values: Callable[[int, int], float]) -> None:
    """Twelve conversations of twelve utterances; users by gender 0 (one), 1 and 2."""
    rng = np.random.default_rng(3)
    rows = [
        (number, side, gender, "x", round(values(side, gender) + float(rng.normal(0, 0.3)), 4))
        for number, gender in enumerate([0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2], start=1)
        for side in [1, 0] * 6
    ]
    name = "dbert" if system == "S_d" else "gru"
    path = root / trip / "results" / "real-world" / study / name / f"{name}.csv"
    write(path, "C_num,UB,User_gender,Text,Sentiment", rows)


def synthetic(
    root: Path,
    trip: str,
    group: int,
    system: str,
    dataset: str,
    rows: Sequence[Sequence[object]],
    kind: str = "continuous",
) -> None:
    folder, end = FILES[system]
    path = root / trip / "results" / kind / f"group{group}" / folder / f"{dataset.lower()}_{end}.csv"
    write(path, "Gender,Race,Emotion,Sentiment", rows)


def random_rows(seed: int, means: Sequence[float]) -> list[tuple[int, int, int, float]]:
    """24 sentences: four each of four classes of race and gender, eight about nobody; two means by emotion."""
    rng = np.random.default_rng(seed)
    classes = [(1, 1)] * 4 + [(2, 1)] * 4 + [(1, 2)] * 4 + [(2, 2)] * 4 + [(0, 0)] * 8
    noise = rng.normal(0, 0.2, 24)
    emotions = [place % 2 for place in range(24)]
    for emotion in (0, 1):
        mine = [place for place in range(24) if emotions[place] == emotion]
        noise[mine] += means[emotion] - noise[mine].mean()
    return [(*one, emotion, value) for one, emotion, value in zip(classes, emotions, noise.tolist(), strict=True)]


def observed(data: str, group: str) -> tuple[float, float]:
    (row,) = (
        one for one in printed_impacts() if (one.data, one.group, one.system, one.dataset) == (data, group, "S_r", "E3")
    )
    return row.observed


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files in which most claims do not hold, each in the way that the authors' do not."""
    root = tmp_path_factory.mktemp("causal-sas-rating")
    for trip in TRIPS:
        for study in ("allure", "unibot"):
            shift = 0.0 if trip == "data" else 0.1
            chat(root, trip, study, "S_g", lambda side, gender, shift=shift: (gender == 2) * (0.2 + shift))
            chat(root, trip, study, "S_d", lambda side, gender: (gender == 2) * 0.2)
    for dataset in ("E1", "E2", "E3", "E4", "E5"):
        for place, system in enumerate(FILES):
            # In group 3, the emotion is the number of the word.
            rows = [(*row[:2], row[2] + 1, row[3]) for row in random_rows(place, (-0.5, 0.5))]
            synthetic(root, "data_rt_danish", 3, system, dataset, rows)
    for group in (2, 4):
        for trip, data in (("data_rt_danish", "SD_D"), ("data_rt_spanish", "SD_S")):
            synthetic(root, trip, group, "S_r", "E3", random_rows(group, observed(data, f"Group-{group}")))
    for trip in ("data", "data_rt_spanish"):
        for dataset in ("E3", "E4", "E5"):
            rows = [(1 + place % 2, 0, place // 12, 1 if place % 2 else -1) for place in range(24)]
            if trip == "data_rt_spanish" and dataset == "E4":
                rows[0] = (1, 0, 1, -1)
            synthetic(root, trip, 2, "S_b", dataset, rows)
    for group, words in ((2, ("grim", "happy")), (4, ("glad", "grim"))):
        texts = [(f"They feel {word}.", 0, 1) for word in words]
        write(root / "data" / "data-generated" / f"group{group}" / "e5.csv", "Sentences,Gender,Emotion", texts)
    typed = [(1, 0, 1), (1, 1, 1), (1, 0, 1), (2, 0, 2), (2, 1, 2), (2, 0, 2), (2, 0, 2), (3, 0, 2), (3, 1, 2)]
    final = root / "data" / "real-world" / "allure" / "final"
    write(final / "final.csv", "C_num,UB,User_gender,Text", [(*row, "x") for row in typed])
    write(final / "final_expt.csv", "C_num,UB,User_gender,Text", [(1, place % 2, 1, "x") for place in range(6)])
    return root


@pytest.fixture(scope="module")
def found(repository: Path) -> dict[str, Check]:
    ids = [one["erratum"] for one in content()["beyond"]]
    return dict(zip(ids, settled(repository), strict=True))


def test_every_open_claim_can_be_settled(found: dict[str, Check]) -> None:
    assert set(found) == set(CLAIMS)
    assert len(found) == 10
    assert {check.outcome for check in found.values()} == {"reproduced", "differs"}
    for check in found.values():
        assert bool(check.errata) == (check.outcome == "differs")
        assert check.needs is None


@pytest.mark.parametrize(
    ("claim", "here"),
    [
        ("E10", "the scores of HD1_D, HD1_S and HD2_D are those of the English originals, to the byte"),
        ("E11", "the scores are those of HD1, to the byte (144 rows)"),
        ("E30", "grim, happy, glad"),
        ("E32", "2 of 6 span two conversations, 1 two genders"),
        (
            "E24",
            "E3 (0, 0), 0 of 24 words another; E4 (0.091, -0.077), 1 of 24 words another; "
            "E5 (0, 0), 0 of 24 words another",
        ),
    ],
)
def test_what_the_files_show(found: dict[str, Check], claim: str, here: str) -> None:
    assert (found[claim].here, found[claim].outcome) == (here, "differs")


def test_a_t_of_conversations_by_hand(repository: Path, found: dict[str, Check]) -> None:
    path = repository / "data" / "results" / "real-world" / "allure" / "gru" / "gru.csv"
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    men, women = ([float(row[4]) for row in rows if row[1] == "1" and row[2] == gender] for gender in ("1", "2"))
    error = np.sqrt(stats.sem(men) ** 2 + stats.sem(women) ** 2) + 0.0001
    t = abs(np.mean(men) - np.mean(women)) / error
    assert found["E18"].here == f"{t:.2f}"
    assert found["E18"].outcome == "differs"


def test_three_cells_by_hand(repository: Path, found: dict[str, Check]) -> None:
    cells = []
    for dataset, first, second in (
        ("e1", ("1", "1"), ("2", "2")),
        ("e3", ("0", "0"), ("1", "1")),
        ("e3", ("0", "0"), ("2", "1")),
    ):
        path = repository / "data_rt_danish" / "results" / "continuous" / "group3" / "gru" / f"{dataset}_gru.csv"
        rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
        one, other = ([float(row[3]) for row in rows if tuple(row[:2]) == which] for which in (first, second))
        error = np.sqrt(stats.sem(one) ** 2 + stats.sem(other) ** 2) + 0.0001
        cells.append(f"{abs(np.mean(one) - np.mean(other)) / error:.2f}")
    assert found["E16"].here == ", ".join(cells)


def test_means_that_agree_are_reproduced(found: dict[str, Check]) -> None:
    assert found["E25"].outcome == "reproduced"
    assert found["E25"].here == "(0.14, 0.24) (0.09, 0.18) (0.18, 0.2) (0.11, 0.23)"


def test_more_bias_after_spanish_needs_both_systems(found: dict[str, Check]) -> None:
    # The file of S_d is the same before and after, so that it cannot have grown.
    assert found["E12"].outcome == "differs"
    before, after = str(found["E12"].here).split("S_d ")[1].split(";")[0].split(", ")
    assert before.split()[0] == after.split()[0]


def copied(repository: Path, root: Path) -> Path:
    for path in repository.rglob("*.csv"):
        target = root / path.relative_to(repository)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return root


def test_discrete_sentiments_are_compared_where_there_are_such(
    repository: Path, tmp_path: Path, found: dict[str, Check]
) -> None:
    assert str(found["E17"].here).endswith("of 250 cells follow from the continuous sentiments")
    root = copied(repository, tmp_path)
    for dataset in ("E1", "E2", "E3", "E4", "E5"):
        for system in FILES:
            rows = [(*row[:3], 0) for row in random_rows(0, (-0.5, 0.5))]
            synthetic(root, "data_rt_danish", 3, system, dataset, rows, kind="")
    (check,) = (one for one in settled(root) if one.claim == found["E17"].claim)
    # Where everything is 0, every t is, as many of the printed ones are.
    assert str(check.here).startswith(str(found["E17"].here) + ", ")
    assert check.outcome == "reproduced"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("User_gender", "Gender", "gru.csv: no column 'User_gender'"),
        (",0,x,0.", ",0,x,?", "the authors' scores of S_g, HD1.*row .* is not a number"),
    ],
)
def test_a_damaged_file_is_told(repository: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    root = copied(repository, tmp_path)
    path = root / "data" / "results" / "real-world" / "allure" / "gru" / "gru.csv"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(EvenhandError, match=message):
        settled(root)


def test_claims_that_hold(repository: Path, tmp_path: Path) -> None:
    root = copied(repository, tmp_path / "copy")
    for study in ("allure", "unibot"):
        for trip in TRIPS[1:]:
            chat(root, trip, study, "S_d", lambda side, gender: (gender == 2) * 0.5)
    for group in (2, 4):
        texts = [(f"They feel {word}.", 0, 1) for word in ("depressing", "happy", "glad")]
        write(root / "data" / "data-generated" / f"group{group}" / "e5.csv", "Sentences,Gender,Emotion", texts)
    final = root / "data" / "real-world" / "allure" / "final"
    write(final / "final_expt.csv", "C_num,UB,User_gender,Text", [(1, place % 2, 1, "x") for place in range(8)])
    checks = {one["erratum"]: check for one, check in zip(content()["beyond"], settled(root), strict=True)}
    assert checks["E30"].outcome == checks["E32"].outcome == "reproduced"
    assert checks["E32"].here == "8 merged utterances, of 8 within a conversation"
    # Other files: the printed cells are held against what these give.
    assert str(checks["E10"].here).endswith("cells agree")
    assert str(checks["E11"].here).endswith("of 6 cells agree")


def test_what_is_missing_is_named(repository: Path, tmp_path: Path) -> None:
    root = tmp_path / "part"
    kept = root / "data" / "data-generated" / "group2"
    kept.mkdir(parents=True)
    checks = {one["erratum"]: check for one, check in zip(content()["beyond"], settled(root), strict=True)}
    assert {check.outcome for check in checks.values()} == {"needs data"}
    assert str(checks["E30"].needs).startswith("data/data-generated/group2/e5.csv in a copy")
    assert str(checks["E24"].needs).startswith("data/results/continuous/group2/biased/e3_bf.csv")
    with pytest.raises(UsageError, match="holds no folder 'data'"):
        settled(kept)
    with pytest.raises(UsageError, match="no such folder"):
        settled(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="data is a copy of the repository of 'rating', not for 'eec'"):
        reproduce("eec", data=root)


@pytest.mark.slow
def test_the_command_settles_them(repository: Path) -> None:
    done = CliRunner().invoke(app, ["reproduce", "rating", "--data", str(repository / "data"), "--json"])
    assert done.exit_code == 0, done.exception
    assert "needs data" not in json.loads(done.stdout)["counts"]
