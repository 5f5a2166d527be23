"""A repair in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import StringIO

from rich.console import Console

from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import Repair
from evenhand.report.repair.terminal import print_repair
from evenhand.results import Provenance

Make = Callable[..., Repair]
SPACE = "\N{NO-BREAK SPACE}"


def shown(repair: Repair, *, width: int = 80) -> str:
    text = StringIO()
    print_repair(repair, Console(file=text, width=width))
    return text.getvalue().replace(SPACE, " ")


def test_the_advice_comes_first_and_where_it_lies_there_is_a_command_to_use_it(repair_of: Make) -> None:
    found = repair_of(spec="svr")
    assert shown(found).startswith("Advised: layers. It closes the gap between female and male, on people")
    assert found.usage("my out") == "use it: evenhand audit 'repaired:my out/calibrators/layers.json+svr'"
    assert repair_of(spec=None).usage("out") is None
    asked = {"attributes": ["gender"], "range": [-1.0, 0.1], "version": "v 1", "base_url": "http://here"}
    found = repair_of(spec="svr", provenance=Provenance(settings=asked))
    assert str(found.usage("out")).endswith(
        "+svr --attribute gender --range -1.0,0.1 --base-url http://here --system-version 'v 1'"
    )


def test_every_method_has_a_line_for_every_gap_that_was_visible(repair_of: Make) -> None:
    lines = [" ".join(line.split()) for line in shown(repair_of()).splitlines()]
    assert "gender: female − male: before 0.050 (0.030 to 0.070)" in lines
    assert "method new people new templates new emotion words" in lines
    assert "layers 0.004 closed 0.004 closed 0.004 closed" in lines
    assert "additive −0.070 reversed −0.070 reversed −0.070 reversed" in lines
    assert "In one comparison no gap was visible, and no method introduced one." in lines


def test_a_gap_that_was_made_is_shown_though_none_was_visible(
    repair_of: Make, made_outcomes: Callable[[], list[Outcome]]
) -> None:
    found = [
        replace(one, verdict="made a gap") if (one.method, one.attribute) == ("additive", "race") else one
        for one in made_outcomes()
    ]
    text = " ".join(shown(repair_of(found)).split())
    assert "additive 0.003 introduced a gap" in text
    assert "no method introduced one" not in text


def test_a_narrow_terminal_gets_lines_instead_of_a_table(repair_of: Make) -> None:
    text = shown(repair_of(), width=40)
    assert "method " not in text.split("The cost")[0].split("before 0.050")[1].split("In one")[0]
    assert "layers new people 0.004 closed new templates 0.004 closed" in " ".join(text.split())
    assert max(len(line) for line in text.splitlines() if not line.startswith("not tried")) <= 40


def test_price_gold_and_weights_are_told(repair_of: Make) -> None:
    text = " ".join(shown(repair_of()).split())
    assert "• terms: within groups 0.900 (too low), all sentences 0.940" in text
    assert "• layers: within groups 1, all sentences 0.940" in text
    assert "words as intended 0.810 → 0.700, 60 questions per sentence" in text
    assert "• layers (valence): 0.701 → undefined" in text
    assert "Methods that changed some of their scores: additive;" in text
    assert "• gender: weight 0.88; the evidence supports 80 % of the correction (p < 0.001)" in text
    assert "• race: weight 0.00; left alone: the evidence is too weak (p 0.430)" in text


def test_without_gold_nothing_is_said_of_people(repair_of: Make) -> None:
    assert "Agreement with people" not in shown(repair_of(gold=()))


def test_left_out_methods_and_remarks_are_told_as_they_stand(repair_of: Make) -> None:
    text = shown(repair_of())
    assert "not tried: neutral: the corpus names <b>no</b> neutral person" in text
    assert "• a remark of the system" in text


def test_markup_in_a_name_is_not_obeyed(repair_of: Make, made_outcomes: Callable[[], list[Outcome]]) -> None:
    assert "[red]svr" in str(repair_of(spec="[red]svr").usage("out"))
    text = shown(repair_of([replace(one, first="[b]women") for one in made_outcomes()]), width=200)
    assert "the gap between [b]women and male, on" in text
    assert "gender: [b]women − male: before" in text


def test_nothing_to_repair_and_what_cannot_be_judged(
    repair_of: Make, made_outcomes: Callable[[], list[Outcome]]
) -> None:
    hidden = {"reduction": None, "reduction_interval": None, "verdict": "nothing to repair"}
    text = " ".join(shown(repair_of([replace(one, **hidden) for one in made_outcomes()])).split())
    assert text.startswith("Nothing to repair: no gap between the groups of gender and race was visible")
    assert "“Not visible” does not mean “fair”" in text
    gone = {"before": None, "after": None, "spread": None, "verdict": "undefined", "undefined": "too few persons"}
    text = shown(repair_of([replace(one, **hidden | gone) for one in made_outcomes()]))
    assert text.startswith("Cannot tell: no gap could be judged")
    assert "• Too few persons." in text
    assert "female" not in text.split("The cost")[0]
