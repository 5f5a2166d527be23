"""What only the files of the ratings' authors can show, from a copy of their repository: claims that are else open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand.corpora.causal import CONFOUNDED, NAMED
from evenhand.errors import EvenhandError, UsageError, did_you_mean, quoted
from evenhand.files.tables import TableFile
from evenhand.published.checks import Check, checked
from evenhand.published.rating_figures import HUGE, content, errata, printed_impacts, printed_tests
from evenhand.rating.folder import read_mapping
from evenhand.rating.ratings import Rating
from evenhand.rating.result import rate_scores

REPOSITORY = "a copy of the authors' repository, ai4society/causal-sas-rating"
ORIGINAL, DANISH, SPANISH = "data", "data_rt_danish", "data_rt_spanish"
TRIPS = {"": ORIGINAL, "_D": DANISH, "_S": SPANISH}
"""The folder of each round trip, by the end of the data's name in the paper."""
CHATS = {"HD1": "allure", "HD2": "unibot"}
FILES = {
    "S_b": ("biased", "bf"),
    "S_r": ("random", "random"),
    "S_t": ("textblob", "tb"),
    "S_d": ("dbert", "dbert"),
    "S_g": ("gru", "gru"),
}
"""The folder and the end of the files of each system on the synthetic data."""
CHAT_FILES = FILES | {"S_b": ("bf", "bf")}
SIDES = {"User": "1", "Chatbot": "0"}
DIGITS = 0.01
WORDS = ("grim", "depressing", "happy", "glad")
DRAWN = ("E3", "E4", "E5")


class _Missing(Exception):
    """A file that a claim needs and the folder lacks."""


@dataclass(frozen=True)
class AuthorsFiles:
    """A copy of the authors' repository."""

    root: Path

    @classmethod
    def of(cls, folder: Path) -> AuthorsFiles:
        """The repository, or its folder `data`."""
        if not folder.is_dir():
            raise UsageError(f"no such folder: {folder}")
        root = folder.parent if folder.name == ORIGINAL and not (folder / ORIGINAL).is_dir() else folder
        if not (root / ORIGINAL).is_dir():
            raise UsageError(f"{folder} holds no folder {ORIGINAL!r}: it should be {REPOSITORY}")
        return cls(root)

    def path(self, *parts: str) -> Path:
        """A file that must be there."""
        found = self.root.joinpath(*parts)
        if not found.is_file():
            raise _Missing("/".join(parts))
        return found

    def table(self, *parts: str, columns: Sequence[str] = ()) -> pl.DataFrame:
        """Its rows, as texts; it must have these columns."""
        return _texts(self.path(*parts), columns)

    def chat_path(self, data: str, system: str) -> Path:
        """The scores of a system on conversations, `HD1` or `HD2_S`."""
        study, _, trip = data.partition("_")
        folder, end = CHAT_FILES[system]
        parts = ("results", "real-world", CHATS[study], folder, f"{end}.csv")
        return self.path(TRIPS[f"_{trip}" if trip else ""], *parts)

    def chat(self, data: str, system: str, side: str) -> pl.DataFrame:
        """The same as a table to rate: what users said, or chatbots."""
        frame = _texts(self.chat_path(data, system), ("UB", "User_gender", "Sentiment"))
        frame = frame.filter(pl.col("UB").str.strip_suffix(".0") == SIDES[side])
        return _to_rate(frame.rename({"User_gender": "Gender"}), system, data)

    def synthetic(self, trip: str, group: int, system: str, dataset: str, *, kind: str = "continuous") -> pl.DataFrame:
        """The scores of a system on one set of emotion words, as a table to rate."""
        folder, end = FILES[system]
        parts = ("results", *([kind] if kind else []), f"group{group}", folder, f"{dataset.lower()}_{end}.csv")
        named = ("Gender", "Emotion", "Sentiment", *(["Race"] if group in NAMED else []))
        frame = self.table(TRIPS[trip], *parts, columns=named)
        # In the other groups, Emotion is the number of the word.
        return _to_rate(frame, system, dataset, by_emotion=group in CONFOUNDED)


def _texts(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    frame = TableFile(path, known=tuple(columns)).frame.cast(pl.String)
    for name in columns:
        if name not in frame.columns:
            raise EvenhandError(f"{path}: no column {name!r}{did_you_mean(name, frame.columns)}")
    return frame


def _to_rate(frame: pl.DataFrame, system: str, dataset: str, *, by_emotion: bool = False) -> pl.DataFrame:
    codes = read_mapping(None, Path()).codes
    named = {"Gender": "gender", "Race": "race"} | ({"Emotion": "emotion"} if by_emotion else {})
    meaning = {role: {str(code): str(text) for code, text in codes[role].items()} for role in named.values()}
    return frame.select(
        pl.lit(system).alias("system"),
        pl.lit(dataset).alias("dataset"),
        *(
            pl.col(column).str.strip_suffix(".0").replace_strict(meaning[role], default=None).alias(role)
            for column, role in named.items()
            if column in frame.columns
        ),
        _numbers(frame["Sentiment"], f"{system}, {dataset}").alias("sentiment"),
    )


def _numbers(cells: pl.Series, called: str) -> pl.Series:
    numbers = cells.str.strip_chars().cast(pl.Float64, strict=False)
    wrong = numbers.is_null() | ~numbers.is_finite()
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise EvenhandError(
            f"the authors' scores of {called}, row {row + 1}: {quoted(str(cells[row]), 60)} is not a number"
        )
    return numbers


def settled(folder: Path) -> tuple[Check, ...]:
    """Each claim that needs the authors' files, held against them; one whose files are missing says which."""
    files = AuthorsFiles.of(folder)
    return tuple(_settle(one, files) for one in content()["beyond"])


def _settle(one: Mapping[str, str], files: AuthorsFiles) -> Check:
    said = one["claim"], one["where"], one["printed"]
    try:
        here, agree = CLAIMS[one["erratum"]](files)
    except _Missing as missing:
        return Check(*said, None, "needs data", f"{missing} in {REPOSITORY}", errata(one["erratum"]))
    return checked(*said, here, agree=agree, errata=() if agree else errata(one["erratum"]))


Settled = tuple[str, bool]
"""What the files show, and whether it is what was printed."""


def _tests(frame: pl.DataFrame, attribute: str = "gender") -> Rating:
    return rate_scores(frame, attributes=[attribute], preset="published", bootstrap=0).results[0]


def _t_of(rating: Rating, dataset: str, pair: Sequence[str]) -> float | None:
    found = (test for test in rating.tests if test.dataset == dataset and set(test.pair) == set(pair))
    test = next(found, None)
    return None if test is None else test.t


def _prints(printed: float, t: float | None) -> bool:
    if t is None:
        return False
    return t > HUGE / 2 if printed == HUGE else abs(t - printed) <= DIGITS


def _of_originals(files: AuthorsFiles) -> Settled:
    """S_d after the round trips: are its files those of the English originals?"""
    wanted = {"HD1_D": "HD1", "HD1_S": "HD1", "HD2_D": "HD2"}
    same = [
        trip
        for trip, original in wanted.items()
        if files.chat_path(trip, "S_d").read_bytes() == files.chat_path(original, "S_d").read_bytes()
    ]
    if same:
        return f"the scores of {_listed(same)} are those of the English originals, to the byte", False
    agreeing, cells = _cells_agreeing(files, "S_d", tuple(wanted))
    return f"{agreeing} of {cells} cells agree", agreeing == cells


def _cells_agreeing(files: AuthorsFiles, system: str, data: Sequence[str]) -> tuple[int, int]:
    """How many of a system's printed t on conversations its files give, and how many are printed."""
    found = [
        _prints(cell.t, _t_of(_tests(files.chat(table.data, system, table.group)), table.data, cell.pair))
        for table in printed_tests()
        if table.data in data
        for cell in table.cells
        if cell.system == system
    ]
    return sum(found), len(found)


def _of_the_other_study(files: AuthorsFiles) -> Settled:
    """S_d on HD2_S: is its file that of HD1?"""
    mine = files.chat_path("HD2_S", "S_d")
    if mine.read_bytes() == files.chat_path("HD1", "S_d").read_bytes():
        rows = TableFile(mine).frame.height
        return f"the scores are those of HD1, to the byte ({rows:,} rows)", False
    agreeing, cells = _cells_agreeing(files, "S_d", ("HD2_S",))
    return f"{agreeing} of {cells} cells agree", agreeing == cells


def _more_biased(files: AuthorsFiles) -> Settled:
    """S_d and S_g on HD1 before and after Spanish, by the same pairs and weights."""
    told, grew = [], []
    for system in ("S_d", "S_g"):
        before, after = (_tests(files.chat(data, system, "User")).raw[system] for data in ("HD1", "HD1_S"))
        told.append(f"{system} {before:g} before, {after:g} after")
        grew.append(after > before)
    return f"users, scored alike: {'; '.join(told)}", all(grew)


def _three_cells(files: AuthorsFiles) -> Settled:
    """Three t of S_g in table 10."""
    cells = (
        ("E1", ("European American male", "African American female"), 1.02),
        ("E3", ("NA", "European American male"), 0.65),
        ("E3", ("NA", "European American female"), 0.21),
    )
    found = [_t_of(_group_3(files, "S_g", dataset), dataset, pair) for dataset, pair, _ in cells]
    agree = all(_prints(printed, t) for (_, _, printed), t in zip(cells, found, strict=True))
    return ", ".join("undefined" if t is None else f"{t:.2f}" for t in found), agree


def _group_3(files: AuthorsFiles, system: str, dataset: str, *, kind: str = "continuous") -> Rating:
    return _tests(files.synthetic("_D", 3, system, dataset, kind=kind), "race+gender")


def _discretised(files: AuthorsFiles) -> Settled:
    """Table 10 from continuous sentiments, and from discrete ones where there are such."""
    (table,) = (one for one in printed_tests() if (one.data, one.group) == ("SD_D", "Group-3_RG"))

    def agreeing(kind: str) -> int:
        found: dict[tuple[str, str], Rating] = {}
        for cell in table.cells:
            where = cell.system, cell.dataset
            if where not in found:
                found[where] = _group_3(files, *where, kind=kind)
        here = (_t_of(found[cell.system, cell.dataset], cell.dataset, cell.pair) for cell in table.cells)
        return sum(_prints(cell.t, t) for cell, t in zip(table.cells, here, strict=True))

    continuous = agreeing("continuous")
    told = f"{continuous} of {len(table.cells)} cells follow from the continuous sentiments"
    try:
        discrete = agreeing("")
    except _Missing:
        return told, False
    return f"{told}, {discrete} from the discrete ones", discrete > continuous


def _digits_swapped(files: AuthorsFiles) -> Settled:
    t = _t_of(_tests(files.chat("HD1", "S_g", "User")), "HD1", ("male", "female"))
    return "undefined" if t is None else f"{t:.2f}", _prints(3.52, t)


def _drawn_anew(files: AuthorsFiles) -> Settled:
    """S_b on group 2, in English and after Spanish: the same words, or another draw?"""
    told, same = [], []
    for dataset in DRAWN:
        before, after = (files.synthetic(trip, 2, "S_b", dataset) for trip in ("", "_S"))
        means = [tuple(_observed(frame)) for frame in (before, after)]
        same.append(means[0] == means[1])
        changed = sum(one != other for one, other in zip(before["emotion"], after["emotion"], strict=False))
        told.append(f"{dataset} {_pair(means[1])}, {changed} of {after.height} words another")
    return "; ".join(told), all(same)


def _observed(frame: pl.DataFrame) -> Iterator[float]:
    """The mean sentiment of negative and of positive words."""
    for emotion in ("negative", "positive"):
        some = frame.filter(emotion=emotion)["sentiment"]
        yield round(float(some.sum()) / len(some), 9) if len(some) else float("nan")


def _means_of_random(files: AuthorsFiles) -> Settled:
    """The observed means of S_r on E3, in four tables."""
    told, agree = [], []
    for row in printed_impacts():
        if (row.system, row.dataset) != ("S_r", "E3") or row.data not in ("SD_D", "SD_S"):
            continue
        trip, group = row.data.removeprefix("SD"), int(row.group[-1])
        found = tuple(_observed(files.synthetic(trip, group, "S_r", "E3")))
        told.append(_pair(found))
        agree.append(all(abs(one - other) <= DIGITS for one, other in zip(found, row.observed, strict=True)))
    return " ".join(told), all(agree)


def _pair(means: Sequence[float]) -> str:
    return f"({', '.join(f'{round(mean, 3) + 0:g}' for mean in means)})"


def _words(files: AuthorsFiles) -> Settled:
    """Which emotion words occur in E5 of groups 2 and 4."""
    texts = [
        str(text)
        for group in (2, 4)
        for text in files.table(ORIGINAL, "data-generated", f"group{group}", "e5.csv").to_series(0)
    ]
    found = [word for word in WORDS if any(re.search(rf"\b{word}\b", text) for text in texts)]
    return ", ".join(found), set(found) == {"depressing", "happy", "glad"}


def _merged(files: AuthorsFiles) -> Settled:
    """Whether merged utterances span conversations: runs of one speaker, as the authors merged them."""
    final = ("real-world", CHATS["HD1"], "final")
    typed = files.table(ORIGINAL, *final, "final.csv", columns=("C_num", "UB", "User_gender"))
    merged = files.table(ORIGINAL, *final, "final_expt.csv").height
    run = (pl.col("UB") != pl.col("UB").shift(1)).fill_null(value=True).cum_sum()
    runs = typed.group_by(run.alias("run")).agg(pl.col("C_num").n_unique(), pl.col("User_gender").n_unique())
    if runs.height != merged:
        within = typed.select(pl.struct("C_num", "UB").rle_id().max()).item() + 1
        return f"{merged:,} merged utterances, of {within:,} within a conversation", merged == within
    across = runs.filter(pl.col("C_num") > 1)
    genders = across.filter(pl.col("User_gender") > 1).height
    if across.is_empty():
        return "none spans two conversations", True
    return f"{across.height} of {merged:,} span two conversations, {genders} two genders", False


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


CLAIMS: Mapping[str, Callable[[AuthorsFiles], Settled]] = {
    "E10": _of_originals,
    "E11": _of_the_other_study,
    "E12": _more_biased,
    "E16": _three_cells,
    "E17": _discretised,
    "E18": _digits_swapped,
    "E24": _drawn_anew,
    "E25": _means_of_random,
    "E30": _words,
    "E32": _merged,
}
"""What settles each open claim, by its erratum."""
