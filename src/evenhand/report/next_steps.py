"""What to do after each kind of result, as commands that run; audits, which have verdicts of every kind, have theirs
in `audit/`."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evenhand.comparing.chat import Chat
from evenhand.comparing.comparison import Comparison
from evenhand.comparing.findings import Finding
from evenhand.errors import EvenhandError
from evenhand.explaining import Explanation
from evenhand.measuring import Metrics
from evenhand.planning.result import Plan
from evenhand.printing.screen import Screen
from evenhand.rating import Ratings
from evenhand.repairs.phrases import Phrases
from evenhand.repairs.result import Repair
from evenhand.report.audit.next_steps import WIDEST, rounded_up
from evenhand.report.common.brief import print_brief
from evenhand.report.common.commands import Option, Typed, joined
from evenhand.report.common.steps import HEADING, Step, print_steps
from evenhand.report.repair.advice import headline
from evenhand.results import Renderer
from evenhand.studies import Study
from evenhand.translation import Drift
from evenhand.translation.drift import KEPT_FILE

CHOSEN = "#"
"""Stands between a run and the system that is meant."""
EXAMPLE = "vader"
"""A system that everybody has."""
OF_AUDITS = (
    *("--alpha", "--attribute", "--base-url", "--budget", "--corpus", "--draws", "--high-is", "--kind", "--max-cost"),
    *("--names", "--outputs", "--price", "--range", "--seed", "--strength", "--system-version"),
)
"""Options that a plan shares with the audit that it is for."""
WIDER = 1.3
"""A tolerance at the edge of what can be reached takes endless names."""
ASKING = ("--base-url", "--draws", "--high-is", "--kind", "--outputs", "--range", "--system-version")
"""Options that say how systems are asked."""
READY = "conversations.csv"
"""What `chat` saves of logs that it has made ready."""
END = "</main>"

Steps = Callable[[Any], list[Step]]


def with_steps(renderer: Renderer, steps: Steps) -> Renderer:
    """The same, with what to do next below what is shown, and at the end of the page."""

    def show(result: Any, console: Screen) -> None:
        renderer.show(result, console)
        print_steps(_asked_for(result, steps), console)

    def brief(result: Any, console: Screen) -> None:
        print_brief(console, lambda screen: renderer.show(result, screen), _asked_for(result, steps))

    def page(result: Any) -> str:
        return renderer.page(result).replace(END, f"{_section(_asked_for(result, steps))}{END}")

    return replace(renderer, show=show, brief=brief, page=page)


def _asked_for(result: Any, steps: Steps) -> list[Step]:
    """None where no command was typed: what was made in Python cannot be typed."""
    return [] if result.provenance.command is None else steps(result)


def _section(steps: Sequence[Step]) -> str:
    if not steps:
        return ""
    parts = [f'<section id="next" aria-labelledby="next-title"><h2 id="next-title">{HEADING}</h2><dl class="steps">']
    for step in steps:
        commands = "\n".join(f"<code>{html.escape(command)}</code>" for command in step.commands)
        lead = html.escape(f"{step.verdict[:1].upper()}{step.verdict[1:]}")
        parts.append(f'<dt>{lead}</dt><dd>{html.escape(step.text)}:<pre tabindex="0">{commands}</pre></dd>')
    return "".join([*parts, "</dl></section>\n"])


def after_comparison(comparison: Comparison) -> list[Step]:
    """What both gaps rest on, or another tolerance."""
    typed = _typed(comparison)
    found = [gap.difference for gap in comparison.gaps]
    runs = list(dict.fromkeys(subject.partition(CHOSEN)[0] for subject in typed.subjects))
    look = tuple(joined("report", [run], []) for run in runs)
    steps = []
    if any(one.verdict in ("higher", "lower") for one in found):
        text = "See whom each gap rests on, and what can be done about it"
        steps.append(Step("smaller, larger or moved", text, look))
    unsure = [one for one in found if one.verdict == "cannot tell"]
    if unsure:
        text = "See whom each gap rests on, and what would decide"
        steps += _wider(typed, unsure) or [Step("cannot tell", text, look)]
    if any(one.verdict == "equivalent" for one in found):
        share = comparison.provenance.settings["equivalence"]
        text = (
            f"Within {100 * share:.3g} % of the range of each other, both gaps may be large; for a stricter tolerance"
        )
        steps.append(Step("equivalent", text, (typed.again(equivalence=f"{share / 2:g}"),)))
    if any(one.verdict == "no reaction seen" for one in found):
        steps.append(Step("no reaction seen", "They may be the same system; see both runs", look))
    return steps


def _wider(typed: Typed, findings: Sequence[Finding]) -> list[Step]:
    known = [(one.equivalence.steady_bound, one.span) for one in findings]
    shares = [bound / span for bound, span in known if bound is not None]
    if len(shares) < len(findings) or max(shares) > WIDEST:
        return []
    share = rounded_up(max(shares))
    text = f"If differences of up to {100 * share:.3g} % of the range do not matter for your use, raise the tolerance"
    return [Step("cannot tell", text, (typed.again(equivalence=f"{share:g}"),))]


def after_explanation(found: Explanation) -> list[Step]:
    """The training files where they are missing, a model without what carries a gap, and whether the gap is one."""
    typed = _typed(found)
    also: list[Option] = [("--attribute", name) for name in typed.given("--attribute")]
    steps = []
    trained = typed.subjects[0].partition(":")[0] in ("svm", "embedding") and found.trained_on is None
    if trained and not typed.given("--train") and "--no-training" not in {name for name, _ in typed.options}:
        text = "See which of the texts that it was trained on carry the gap; name the file in place of train.csv"
        steps.append(Step("training texts not known", text, (typed.again(also=[("--train", "train.csv")]),)))
    look = typed.about_the_system("audit", typed.subjects[0], also)
    steps.append(Step("a gap", "See how large it may be for other people, and whether it hangs on one", (look,)))
    if any(group.role == "carries" for group in found.groups) or not found.groups:
        mend = typed.about_the_system("repair", typed.subjects[0], also)
        steps.append(Step("what carries it", "Where the training texts cannot be changed, repair the scores", (mend,)))
    return steps


def after_metrics(metrics: Metrics) -> list[Step]:
    """The page, with the failures."""
    text = "See the failing examples, and every metric by group, on a page"
    return [Step("metrics", text, (_typed(metrics).saved_in("my-metrics")[0],))]


def after_ratings(ratings: Ratings) -> list[Step]:
    """Whom the most biased system treats how; of tables, a page and labels."""
    typed = _typed(ratings)
    levels = {system: level for system, level in ratings.overall.items() if level is not None}
    worst = [system for system, level in levels.items() if level == max(levels.values()) and system in typed.subjects]
    asked = [system for system in worst if not system.startswith(("human:", "file:"))]
    if asked:
        text = "A level ranks; an audit says for whom its scores differ, by how much, and whether that holds for others"
        return [Step(f"level {levels[asked[0]]}", text, (typed.about_the_system("audit", asked[0]),))]
    again, _ = typed.saved_in("my-ratings")
    return [Step("levels", "Save a page, and a label for each system", (again,))]


def after_repair(repair: Repair) -> list[Step]:
    """Where no repair is advised, what is; how one that is advised is used is said where it is saved."""
    typed, found = _typed(repair), headline(repair)
    also: list[Option] = [("--attribute", name) for name in typed.given("--attribute")]
    look = (typed.about_the_system("audit", typed.subjects[0], also),)
    if found.kind == "nothing to repair":
        text = "That no gap was visible does not mean that there is none; see how large it could be"
        return [Step(found.kind, text, look)]
    if found.kind == "no method will do":
        return [Step(found.kind, "See which people and sentences the gap rests on", look)]
    if found.kind == "cannot tell" and typed.given("--sample"):
        return [Step(found.kind, "This was a sample; repair on all sentences", (typed.again(without=["--sample"]),))]
    return [Step(found.kind, "See what an audit can say", look)] if found.kind == "cannot tell" else []


def after_study(study: Study) -> list[Step]:
    """Each submission's page, a baseline, and the tolerance that would decide."""
    typed = _typed(study)
    text = "Save a page for each submission, with the people and sentences that its gap rests on"
    steps = [Step("every verdict", text, (typed.saved_in("my-study")[0],))]
    ranked = [one for one in study.submissions if one.quality.rank == 1]
    if study.baseline is None and ranked and len({one.system for one in study.submissions}) > 1:
        held = f"Hold the others against {ranked[0].system}, the best for {ranked[0].dimension}"
        steps.append(Step("higher or lower", held, (typed.again(baseline=ranked[0].system),)))
    share = study.settings.equivalence
    if any(one.verdict == "cannot tell" for each in study.submissions for one in each.findings.values()):
        text = f"If gaps of up to {200 * share:.3g} % of the range do not matter for your use, raise the tolerance"
        steps.append(Step("cannot tell", text, (typed.again(equivalence=f"{2 * share:g}"),)))
    return steps


def after_chat(chat: Chat) -> list[Step]:
    """A system, and then its rating on the same logs."""
    typed = _typed(chat)
    systems = typed.given("--system")
    if not systems:
        text = "See whether a system gives users of different genders another sentiment"
        return [Step("what is said", text, (typed.again(also=[("--system", EXAMPLE)]),))]
    text = "Rate the systems on these conversations"
    asking = [(name, value) for name, value in typed.options if name in ASKING]
    lots = [(name, value) for name, value in typed.options if name == "--seed"]
    if {name for name, _ in typed.options} - {"--system", "--seed", *ASKING}:
        # How a log is read is said once: what was made ready is in the folder.
        save, folder = typed.saved_in("my-chat")
        ready: list[Option] = [("--groups", ""), ("--chat", f"{folder}/{READY}"), *lots, *asking]
        return [Step("the sentiment given", text, (save, joined("rate", systems, ready)))]
    logs: list[Option] = [("--chat", log) for log in typed.subjects]
    return [Step("the sentiment given", text, (joined("rate", systems, [("--groups", ""), *logs, *lots, *asking]),))]


def after_drift(drift: Drift) -> list[Step]:
    """An audit of what came home whole, where that can be compared."""
    try:
        drift.kept()
    except EvenhandError:
        return []
    save, folder = _typed(drift).saved_in("my-drift")
    ask = joined("audit", [EXAMPLE], [("--corpus", f"{folder}/{KEPT_FILE}")])
    text = "Save what came home whole, and audit a system on these sentences alone"
    return [Step("what is left", text, (save, ask))]


def after_phrases(found: Phrases) -> list[Step]:
    """Whether sentences lean as bare identities do, which is what calibrations take for granted."""
    typed = _typed(found)
    text = "See whether sentences lean the same way, which published calibrations take for granted"
    systems = list(dict.fromkeys(one.system for one in found.answers))
    return [Step("phrases", text, (joined("audit", typed.subjects or systems, []),))]


def after_plan(plan: Plan) -> list[Step]:
    """The audit that was planned; where names alone will not do, a tolerance that is within reach."""
    typed = _typed(plan)
    systems = [*typed.subjects, *typed.given("--system")]
    if typed.recorded:
        text = "These predictions cannot be asked about more names; see what they can say"
        kept: list[Option] = [("--corpus", name) for name in typed.given("--corpus")]
        return [Step("recorded", text, (joined("audit", systems, [*kept, ("--equivalence", f"{plan.delta:g}")]),))]
    steps = []
    waves = ",".join(map(str, plan.wave_names))
    asked: list[Option] = [
        *[option for option in typed.options if option[0] in OF_AUDITS],
        ("--equivalence", f"{plan.delta:g}"),
        ("--waves", waves),
    ]
    if systems:
        steps.append(Step("audit", "Ask in these waves, until it is known", (joined("audit", systems, asked),)))
    else:
        text = f"See how much your own system varies (here, {EXAMPLE})"
        steps.append(Step("pilot", text, (joined("plan", [EXAMPLE], [("--delta", f"{plan.delta:g}")]),)))
    stuck = [one.smallest_delta for one in plan.questions if one.needed and one.needed[0].names is None]
    shares = [share for share in stuck if share is not None]
    if shares and max(shares) < WIDEST and len(shares) == len(stuck):
        share = rounded_up(max(*shares, plan.delta) * WIDER)
        text = f"If gaps of up to {100 * share:.3g} % of the range do not matter for your use, plan for that tolerance"
        steps.append(Step("names alone will not settle it", text, (typed.again(delta=f"{share:g}"),)))
    return steps


def _typed(result: Any) -> Typed:
    return Typed.read(result.provenance.command)
