"""The chain that asks where a gap comes from: words whose swap moves the score, and training texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from evenhand.asking import Scores
from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.comparing import Settings
from evenhand.comparing.general import general_gap
from evenhand.contrasts import Contrast, contrasts, side_labels
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.coded import Strings
from evenhand.errors import UsageError
from evenhand.explaining import Explanation, Question, Swap
from evenhand.explaining.insides import Insides
from evenhand.explaining.swaps import swaps
from evenhand.files.whole import check_writable
from evenhand.results import Note, Provenance, Subject, check_out
from evenhand.settings import crossed
from evenhand.specs.resolving import Given
from evenhand.systems.trained.linear import HasLinear, Linear
from evenhand.verbs.ask import Made, asked, listed, listed_systems, names_of, resolved
from evenhand.verbs.taught import TrainingFiles, taught_of

NOT_LINEAR = (
    "shares of words and influence of training texts are known for linear models: svr, svm:MODEL and embedding: with a "
    "ridge head"
)


def explain(
    system: Given,
    corpus: Corpus | str | Path | None = None,
    *,
    attributes: str | Sequence[str] | None = None,
    settings: Settings | None = None,
    sample: int | None = None,
    training: bool = True,
    train: Sequence[str | Path] = (),
    text_column: str | None = None,
    score_column: str | None = None,
    train_range: tuple[float, float] | None = None,
    group_by: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    **asking: Unpack[AskOptions],
) -> Explanation:
    """Say where the gaps of a system come from.

    Of any system: the words whose swap moves the score most. Of a linear model (`svr`, `svm:MODEL`, `embedding:` with a
    ridge head): what each word adds to a gap, and which texts that it learned from carry it, with the gap that is left
    where it is trained again without them. `train` names the files that a model of one's own was trained on; what
    `svr` and `embedding:all-minilm` learned from is known. `group_by` is a column of these files that sorts the texts
    into groups. Without `training`, only words are looked at.

    >>> found = explain("planted(gap=0.05)", attributes="gender", sample=960, progress=False)
    >>> round(found.questions[0].gap, 3), found.swaps[0].kind
    (0.05, 'person')
    """
    settings, how = settings or Settings(), AskSettings(**asking)
    files = TrainingFiles(tuple(map(Path, train)), text_column, score_column, train_range, group_by)
    whole = corpus if isinstance(corpus, Corpus) else load_corpus("eec" if corpus is None else corpus)
    if whole.tagged:
        raise UsageError("words that move a score are looked for in sentences; this corpus is for taggers")
    named = listed(attributes)
    whole.refuse_unknown([part for name in named or () for part in crossed(name)])
    asked_about = whole if named is None else whole.narrowed([part for name in named for part in crossed(name)])
    if sample is not None:
        asked_about = asked_about.sample(sample, seed=settings.seed)
    if out is not None:
        check_writable(Path(out))
    given = listed_systems(system)
    if len(given) > 1:
        raise UsageError("one system is explained at a time")
    made = resolved(given, asked_about, how)
    if out is not None:
        names = tuple(path.name for path in files.paths)
        check_out(Path(out), Explanation, Subject(names_of(made), (asked_about.name,), names), overwrite=overwrite)
    one = made[0]
    linear = one.linear() if isinstance(one, HasLinear) else ()
    if files.paths and not linear:
        raise UsageError(f"training files are of no use here: {NOT_LINEAR}")
    with asked(made, asked_about, how) as answers:
        work = _Work(answers.scores, asked_about, named or list(asked_about.attributes), settings)
        found = Explanation(system=names_of(made)[0], questions=work.questions, swaps=work.swaps)
        notes = [*answers.notes, *work.notes]
        if linear:
            found = _looked_into(found, work, one, linear, files if training else None, how, notes)
        else:
            notes.append(Note(None, NOT_LINEAR))
        provenance = Provenance.collect(
            corpora=[asked_about],
            scores=[answers.scores],
            files=files.paths,
            settings={
                "attributes": named,
                "sample": sample,
                "alpha": settings.alpha,
                "seed": settings.seed,
                "training": training,
                "group_by": group_by,
            },
            command=command,
        )
        found = replace(found, provenance=provenance, notes=tuple(notes))
        if out is not None:
            found.save(out, overwrite=overwrite, progress=how.progress)
    return found


class _Work:
    """The gaps of one system, each with the contrast that it is the gap of."""

    def __init__(self, scores: Scores, corpus: Corpus, attributes: Sequence[str], settings: Settings) -> None:
        self.corpus, self.alpha = corpus, settings.alpha
        self.attributes = attributes
        self.notes: list[Note] = []
        self.scores = scores.select(Strings(corpus.frame["id"]))
        self.contrasts = self._contrasts()
        self.asked = [
            (_question(self.scores, place, contrast, corpus, settings.alpha), contrast)
            for place, column in enumerate(scores.columns)
            if column.output.of is None
            for contrast in self.contrasts
        ]

    def _contrasts(self) -> list[Contrast]:
        found: list[Contrast] = []
        refused: list[UsageError] = []
        for attribute in self.attributes:
            try:
                found += contrasts(self.corpus, attribute)
            except UsageError as error:
                refused.append(error)
        if not found:
            raise refused[0] if refused else UsageError("the corpus compares no groups")
        self.notes += [Note(None, str(error)) for error in refused]
        return found

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(question for question, _ in self.asked)

    @property
    def swaps(self) -> tuple[Swap, ...]:
        return swaps(self.scores, self.corpus, attributes=self.attributes, alpha=self.alpha)


def _question(scores: Scores, place: int, contrast: Contrast, corpus: Corpus, alpha: float) -> Question:
    output = scores.columns[place].output
    first, second = side_labels(contrast, corpus)
    question = Question(
        output.name, output.span, contrast.attribute, contrast.first, contrast.second, first, second, None, None
    )
    if contrast.not_general is not None:
        return replace(question, undefined=contrast.not_general)
    found = general_gap(contrast, scores.matrix[:, [place]], scale=np.array([output.span]))
    low, high = (float(end[0]) for end in found.interval(1 - alpha))
    interval = None if np.isnan(low) else (low, high)
    return replace(question, gap=float(found.estimate[0]), interval=interval)


def _looked_into(
    found: Explanation,
    work: _Work,
    system: Made,
    linear: Sequence[Linear],
    files: TrainingFiles | None,
    how: AskSettings,
    notes: list[Note],
) -> Explanation:
    """The same, with what is known of the insides of the system."""
    texts = work.corpus.frame["text"].to_list()
    questions = list(work.questions)
    sources: list[str] = []
    insides: list[Insides] = []
    for view in linear:
        mine = [
            place
            for place, question in enumerate(questions)
            if question.output == view.output and question.gap is not None
        ]
        inside = Insides(view, [work.asked[place] for place in mine], texts, alpha=work.alpha)
        if files is not None:
            taught = taught_of(system, view, files, progress=how.progress)
            if isinstance(taught, str):
                inside.notes.append(Note(f"{found.system} ({view.output})", taught))
            else:
                sources.append(taught.source)
                inside.learned_from(taught, progress=how.progress)
        for place, question in zip(mine, inside.questions, strict=True):
            questions[place] = question
        notes += inside.notes
        insides.append(inside)
    return replace(
        found,
        questions=tuple(questions),
        words=tuple(share for inside in insides for share in inside.words),
        groups=tuple(group for inside in insides for group in inside.groups),
        texts=tuple(text for inside in insides for text in inside.texts),
        trained_on="; ".join(dict.fromkeys(sources)) or None,
    )
