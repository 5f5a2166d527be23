"""One system under repair: what it said, and what every method makes of that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from evenhand.asking import Scores, score_as
from evenhand.asking.progress import progress_bars
from evenhand.asking.settings import AskSettings
from evenhand.comparing.ability import abilities
from evenhand.comparing.harm import says_nothing
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.repairs.alignment import Alignment
from evenhand.repairs.averaging import Averaged, Averaging
from evenhand.repairs.calibrator import Calibrator, FittedFor
from evenhand.repairs.evidence import readings
from evenhand.repairs.judging import Candidate, judge
from evenhand.repairs.layers import Layers
from evenhand.repairs.neutral import Neutral, Neutralised
from evenhand.repairs.paired_means import Evaluation, baseline_gaps, evaluate
from evenhand.repairs.published import BASELINE, VARIANTS, fit_published
from evenhand.repairs.reference_layers import NORMALISERS, refuse_unknown_target
from evenhand.repairs.references import read_references, reference_corpus
from evenhand.repairs.result import EXACT, FITTED, PUBLISHED, Cost, Repair, WordOrder
from evenhand.repairs.sentence_weights import SentenceWeights
from evenhand.repairs.splits import splits
from evenhand.repairs.terms import Terms
from evenhand.repairs.variables import Variable, variables
from evenhand.repairs.wrapping import cost_of, distributed
from evenhand.results import Note
from evenhand.settings import check_alpha, check_choice, check_equivalence, check_resamples, check_seed
from evenhand.systems.base import Array, BaseScorer
from evenhand.systems.few_shot import FewShot
from evenhand.systems.meaning import high_is

FITTED_METHODS: Mapping[str, Callable[..., Calibrator]] = {
    "layers": Layers.fit,
    "terms": Terms.fit,
    "sentence-weights": SentenceWeights.fit,
    "alignment": Alignment.fit,
}
"""From the simplest to the most elaborate."""

TO_NEUTRAL = "layers-neutral"
"""Layers that also carry everybody to a neutral person, and not only the groups to each other."""

AVERAGING, NEUTRAL = Averaging.method, Neutral.method
ALL_METHODS = (*FITTED_METHODS, TO_NEUTRAL, AVERAGING, NEUTRAL, *VARIANTS)

RECORDED = "these scores were recorded, and it takes asking the system"


@dataclass(frozen=True)
class RepairSettings:
    """What is tried, and how it is judged."""

    methods: tuple[str, ...] | None = None
    """None: all of them."""
    repetitions: int = 5
    seed: int = 0
    alpha: float = 0.05
    references: str | Path = "phrases"
    """What the published variants are fitted on."""
    target: str = "neutral"
    """Where the published variants carry groups to."""
    normalise: str = "softmax"
    equivalence: float = 0.01
    """The share of each output's range below which a gap in one part of the sentences does not count."""

    def __post_init__(self) -> None:
        for method in self.methods or ():
            check_choice("method", method, ALL_METHODS)
        check_resamples("the number of repetitions", self.repetitions, least=1)
        check_seed(self.seed)
        check_alpha(self.alpha)
        check_equivalence(self.equivalence)
        check_choice("way to normalise", self.normalise, NORMALISERS)
        refuse_unknown_target(self.target, reference_corpus(self.references).attributes)
        self._refuse_what_does_not_apply()

    def _refuse_what_does_not_apply(self) -> None:
        if any(self.wants(method) for method in VARIANTS):
            return
        usual = {one.name: one.default for one in fields(self)}
        for name in ("references", "target", "normalise"):
            if getattr(self, name) != usual[name]:
                known = ", ".join(VARIANTS)
                raise UsageError(f"{name} is for the published variants, and none of them is asked for: {known}")

    def wants(self, method: str) -> bool:
        """Whether a method is to be tried."""
        return self.methods is None or method in self.methods


class Workshop:
    """A system (or its recorded scores) on a corpus, and the calibrators that were fitted on all of it."""

    def __init__(
        self,
        system: BaseScorer | Scores,
        corpus: Corpus,
        *,
        settings: RepairSettings,
        attributes: Sequence[str] | None = None,
        how: AskSettings,
    ) -> None:
        self.corpus, self.settings = corpus, settings
        self.attributes = tuple(attributes or corpus.attributes)
        self._how = how
        self.system = None if isinstance(system, Scores) else distributed(system)
        self.scores = system if isinstance(system, Scores) else self._asked(distributed(system), corpus)
        self.fitted_for = FittedFor.of(self.scores, corpus)
        self.left_out: dict[str, str] = {}
        self._notes: list[str] = []
        self.calibrators: dict[str, Calibrator] = {}
        self._asked_once: dict[str, int] = {}

    def repair(self) -> Repair:
        """Try every method that is wanted, and judge it on what it has not seen."""
        neutral = self._about_a_neutral_person()
        after = self._after(neutral)
        candidates = [self._candidate(method, after[method], neutral) for method in after]
        if not candidates:
            raise UsageError("no method can be tried: " + "; ".join(f"{m}: {why}" for m, why in self.left_out.items()))
        halves = splits(self.corpus, repetitions=self.settings.repetitions, seed=self.settings.seed)
        with progress_bars(self._how.progress) as start:
            judgement = judge(
                self.scores,
                self.corpus,
                candidates,
                halves,
                attributes=self.attributes,
                alpha=self.settings.alpha,
                equivalence=self.settings.equivalence,
                advance=start("judging", len(halves), 0),
            )
        return Repair(
            system=self.fitted_for.system,
            sentences=len(self.corpus),
            judgement=judgement,
            layers=Layers.fit(self.scores, self.corpus, attributes=self.attributes).layers,
            costs=tuple(self._cost(one.method) for one in candidates),
            orders=self._orders(after),
            gold=(),
            left_out=self.left_out,
            alpha=self.settings.alpha,
            published=self._as_published(after),
            corpus=self.corpus,
            calibrators=self.calibrators,
            high_is={one.name: high_is(one) for variable in self._variables for one in variable.readings},
            does_its_job=self._does_its_job(),
            notes=self._all_notes(),
        )

    def _all_notes(self) -> tuple[Note, ...]:
        said = [] if self.system is None else [Note(self.system.name, one) for one in self.system.remarks()]
        return (*said, *(Note(None, one) for one in self._notes))

    def _asked(self, system: BaseScorer, corpus: Corpus) -> Scores:
        return score_as([system], corpus, self._how)

    def _after(self, neutral: Array | None) -> dict[str, Array]:
        """What each method makes of all sentences when it is fitted on all of them; those that cannot be are noted."""
        for method, fit in FITTED_METHODS.items():
            if self.settings.wants(method):
                self.calibrators[method] = fit(self.scores, self.corpus, attributes=self.attributes)
        if self.settings.wants(TO_NEUTRAL) and neutral is not None:
            self.calibrators[TO_NEUTRAL] = Layers.fit(
                self.scores, self.corpus, attributes=self.attributes, neutral=neutral
            )
        if self.settings.wants(AVERAGING):
            self.calibrators[AVERAGING] = Averaging.fit(self.scores, self.corpus)
        self._fit_published()
        after = {method: one.apply(self.scores, self.corpus).matrix for method, one in self.calibrators.items()}
        if self.settings.wants(NEUTRAL) and neutral is not None:
            after[NEUTRAL] = neutral
        return {method: after[method] for method in ALL_METHODS if method in after}

    def _candidate(self, method: str, after: Array, neutral: Array | None) -> Candidate:
        if method == TO_NEUTRAL and neutral is not None:
            return Candidate(method, FITTED, fit=self._fit_to(neutral))
        if method in FITTED_METHODS:
            return Candidate(method, FITTED, fit=self._fit_for(FITTED_METHODS[method]))
        return Candidate(method, PUBLISHED if method in VARIANTS else EXACT, after=after)

    def _fit_for(self, fit: Callable[..., Calibrator]) -> Callable[[Scores, Corpus], Calibrator]:
        return lambda scores, corpus: fit(scores, corpus, attributes=self._there(corpus))

    def _fit_to(self, neutral: Array) -> Callable[[Scores, Corpus], Calibrator]:
        place = {id_: row for row, id_ in enumerate(self.scores.ids)}

        def fit(scores: Scores, corpus: Corpus) -> Calibrator:
            own = neutral[[place[id_] for id_ in scores.ids]]
            return Layers.fit(scores, corpus, attributes=self._there(corpus), neutral=own)

        return fit

    def _there(self, corpus: Corpus) -> tuple[str, ...]:
        """The attributes that still have two groups in a part of the corpus."""
        return tuple(attribute for attribute in self.attributes if attribute in corpus.attributes)

    def _about_a_neutral_person(self) -> Array | None:
        """What the system says about each sentence with a neutral person in it; None where that cannot be had."""
        wanted = [method for method in (TO_NEUTRAL, NEUTRAL) if self.settings.wants(method)]
        if not wanted:
            return None
        if self.system is None:
            self.left_out.update(dict.fromkeys(wanted, RECORDED))
            return None
        neutralised = Neutralised(self.system, self.corpus)
        if neutralised.left:
            why = f"{neutralised.left:,} sentences about a person have no neutral version"
            self.left_out.update(dict.fromkeys(wanted, why))
            return None
        try:
            answers = self._asked(neutralised, self.corpus).matrix
        except UsageError as error:  # a system that knows the sentences of the corpus only
            self.left_out.update(dict.fromkeys(wanted, str(error)))
            return None
        self._asked_once[TO_NEUTRAL] = neutralised.distinct
        return answers

    def _fit_published(self) -> None:
        wanted = [method for method in VARIANTS if self.settings.wants(method)]
        if not wanted:
            return
        if self.system is None:
            self.left_out.update(dict.fromkeys(wanted, RECORDED))
            return
        phrases = reference_corpus(self.settings.references)
        partial = read_references(self.settings.references).partial
        system, asked_for = self.system, None
        if isinstance(system, FewShot) and system.asks_by_corpus:
            system, asked_for = system.asking("emotions"), "emotion"
        try:
            gaps = baseline_gaps(self.scores, self.corpus)
            found = fit_published(
                self._asked(system, phrases),
                phrases,
                target=self.settings.target,
                normalise=self.settings.normalise,
                asked_for=asked_for,
                fitted_for=self.fitted_for,
                gaps=gaps,
                partial=partial,
            )
        except UsageError as error:
            self.left_out.update(dict.fromkeys(wanted, str(error)))
            return
        self.calibrators.update({method: one for method, one in found.calibrators.items() if method in wanted})
        self.left_out.update({method: why for method, why in found.undefined.items() if method in wanted})
        questions = len(system.questions_asked) if isinstance(system, FewShot) else 1
        self._asked_once.update(dict.fromkeys(found.calibrators, len(phrases) * questions))
        self._note_left_alone(phrases)

    def _note_left_alone(self, phrases: Corpus) -> None:
        """Whom partial references leave out."""
        for attribute, groups in self.fitted_for.attributes.items():
            known = phrases.attributes.get(attribute, groups)
            missing = [group for group in groups if group not in known]
            if missing:
                said = (
                    f"the references have no input for {attribute} {', '.join(missing)}: the published variants leave "
                    "sentences about them as they are, which may open a gap to the groups that they correct"
                )
                self._notes.append(said)

    def _cost(self, method: str) -> Cost:
        calls = 1.0
        if method == AVERAGING and self.system is not None:
            texts = self.corpus.frame["text"].to_list()
            calls = (
                cost_of(Averaged(self.system, self.corpus), texts, cache=self._how.folder).calls_per_sentence or calls
            )
        return Cost(method, calls, self._asked_once.get(method, 0))

    @property
    def _variables(self) -> tuple[Variable, ...]:
        return variables(self.fitted_for.outputs)

    def _does_its_job(self) -> dict[str, bool | None]:
        """By output, as it is before any repair."""
        found: dict[str, bool | None] = {}
        for variable in self._variables:
            read = readings(self.scores, variable)
            able = abilities(read, self.corpus, alpha=self.settings.alpha)
            found |= {one.output: None if one.weak is None else not one.weak for one in able}
            found |= {output: False for _, output in says_nothing(read, self.corpus)}
        return found

    def _orders(self, after: Mapping[str, Array]) -> tuple[WordOrder, ...]:
        """The rank correlation of the words' scores with the intended order, before and after each method."""
        found = []
        for variable in self._variables:
            before = {one.output: one.rho for one in abilities(readings(self.scores, variable), self.corpus)}
            for method, matrix in after.items():
                repaired = readings(replace(self.scores, matrix=matrix), variable)
                for one in abilities(repaired, self.corpus):
                    found.append(WordOrder(method, one.output, before[one.output], one.rho))
        return tuple(found)

    def _as_published(self, after: Mapping[str, Array]) -> Evaluation | None:
        """The paper's own evaluation of its variants, beside what is advised here."""
        shown = [method for method in after if method in VARIANTS or method == "layers"]
        versions = {BASELINE: self.scores} | {m: replace(self.scores, matrix=after[m]) for m in shown}
        try:
            return evaluate(versions, self.corpus)
        except UsageError:  # a corpus without templates and emotion words
            return None
