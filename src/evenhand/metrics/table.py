"""The table of metrics: each is a row, and a new one is a new row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.errors import UsageError, did_you_mean
from evenhand.metrics import comparisons as d
from evenhand.metrics import outside
from evenhand.metrics import scores as phi
from evenhand.metrics.metric import EVERYONE, REST, UNPERTURBED, AnyMetric, Metric, OwnMetric, groups, pairs

PARITY = "demographic parity"
OPPORTUNITY = "equality of opportunity"
ODDS = "equality of odds"
QUALITY = "equal quality of service"
COUNTERFACTUAL = "counterfactual fairness"
THIS = "Czarnowska et al. 2021"
SIGNED_UNIT = (-1.0, 1.0)
HALVES = (-0.5, 0.5)
UNBOUNDED = (None, None)
NOT_NEGATIVE = (0.0, None)

ROWS: tuple[AnyMetric, ...] = (
    Metric(
        "fped", "BCM", phi.FPR, d.ABSOLUTE, background=EVERYONE, symbol="FPED", source="Dixon et al. 2018",
        range=NOT_NEGATIVE, notion=ODDS,
        definition="sum over groups of |FPR of the group − FPR of everyone|; grows with the number of groups",
    ),
    Metric(
        "fned", "BCM", phi.FNR, d.ABSOLUTE, background=EVERYONE, symbol="FNED", source="Dixon et al. 2018",
        range=NOT_NEGATIVE, notion=OPPORTUNITY,
        definition="sum over groups of |FNR of the group − FNR of everyone|; grows with the number of groups",
    ),
    Metric(
        "fped_normalised", "BCM", phi.FPR, d.ABSOLUTE, normaliser=groups, background=EVERYONE, symbol="FPED*",
        source=THIS, notion=ODDS,
        definition="mean over groups of |FPR of the group − FPR of everyone|",
    ),
    Metric(
        "fned_normalised", "BCM", phi.FNR, d.ABSOLUTE, normaliser=groups, background=EVERYONE, symbol="FNED*",
        source=THIS, notion=OPPORTUNITY,
        definition="mean over groups of |FNR of the group − FNR of everyone|",
    ),
    Metric(
        "avg_gf", "BCM", phi.PROBABILITIES, d.WASSERSTEIN, normaliser=groups, background=EVERYONE, symbol="AvgGF",
        source="Huang et al. 2020", notion=PARITY,
        definition="mean over groups of the Wasserstein-1 distance between p(c) of the group and of everyone",
    ),
    Metric(
        "avg_gf_tc", "BCM", phi.PROBABILITIES_OF_CLASS, d.WASSERSTEIN, normaliser=groups, background=REST,
        symbol="AvgGF (TC)", source=THIS, notion=OPPORTUNITY,
        definition="the same on examples of gold class c only, the group against the rest",
    ),
    Metric(
        "fpr_ratio", "VBCM", phi.FPR, d.RATIO, background=REST, symbol="FPR ratio", source="Beutel et al. 2019",
        ideal=1.0, range=NOT_NEGATIVE, notion=ODDS,
        definition="FPR of the group / FPR of the rest; mean over groups",
    ),
    Metric(
        "fnr_ratio", "VBCM", phi.FNR, d.RATIO, background=REST, symbol="FNR ratio", source=THIS, ideal=1.0,
        range=NOT_NEGATIVE, notion=OPPORTUNITY,
        definition="FNR of the group / FNR of the rest; mean over groups",
    ),
    Metric(
        "pos_avg_eg", "VBCM", phi.PROBABILITIES_OF_CLASS, d.EQUALITY_GAP, background=REST, symbol="PosAvgEG",
        source="Borkan et al. 2019", range=HALVES, notion=OPPORTUNITY,
        definition="examples of gold class c: ½ − share of pairs in which the rest has the higher p(c)",
    ),
    Metric(
        "neg_avg_eg", "VBCM", phi.PROBABILITIES_OF_OTHERS, d.EQUALITY_GAP, background=REST, symbol="NegAvgEG",
        source="Borkan et al. 2019", range=HALVES, notion=ODDS,
        definition="examples of the other gold classes: ½ − share of pairs in which the rest has the higher p(c)",
    ),
    Metric(
        "avg_eg", "VBCM", phi.PROBABILITIES_OF_CLASS, d.EQUALITY_GAP, background=REST, symbol="AvgEG", source=THIS,
        range=HALVES, notion=OPPORTUNITY,
        definition="PosAvgEG extended to any class: positive where the group's examples of c are scored higher",
    ),
    Metric(
        "disparity_score", "PCM", phi.F1, d.ABSOLUTE, normaliser=groups, symbol="disparity score",
        source="Gaut et al. 2020", range=NOT_NEGATIVE, notion=QUALITY,
        definition="sum over pairs of |F1 − F1| / number of groups; grows with the number of groups",
    ),
    Metric(
        "disparity_score_normalised", "PCM", phi.F1, d.ABSOLUTE, normaliser=pairs, symbol="disparity score*",
        source=THIS, notion=QUALITY,
        definition="mean over pairs of |F1 − F1|",
    ),
    Metric(
        "tpr_gap", "PCM", phi.TPR, d.ABSOLUTE, normaliser=pairs, symbol="TPR gap",
        source="Beutel et al. 2017; Prost et al. 2019", notion=OPPORTUNITY,
        definition="mean over pairs of |TPR − TPR|",
    ),
    Metric(
        "tnr_gap", "PCM", phi.TNR, d.ABSOLUTE, normaliser=pairs, symbol="TNR gap", source="Prost et al. 2019",
        notion=ODDS,
        definition="mean over pairs of |TNR − TNR|",
    ),
    Metric(
        "parity_gap", "PCM", phi.SHARE_PREDICTED, d.ABSOLUTE, normaliser=pairs, symbol="parity gap",
        source="Beutel et al. 2017", notion=PARITY,
        definition="mean over pairs of the gap in the share predicted as c",
    ),
    Metric(
        "accuracy_gap", "PCM", phi.ACCURACY, d.ABSOLUTE, normaliser=pairs, symbol="parity gap (as printed)",
        source=THIS, notion=QUALITY,
        definition="mean over pairs of |accuracy − accuracy|",
    ),
    Metric(
        "accuracy_difference", "PCM", phi.ACCURACY, d.DIFFERENCE, two_groups=True, symbol="accuracy difference",
        source="Blodgett and O'Connor 2017; Bhaskaran and Bhallamudi 2019", range=SIGNED_UNIT, notion=QUALITY,
        definition="accuracy of the first group − accuracy of the second",
    ),
    Metric(
        "tpr_difference", "PCM", phi.TPR, d.DIFFERENCE, two_groups=True, symbol="TPR difference",
        source="De-Arteaga et al. 2019", range=SIGNED_UNIT, notion=OPPORTUNITY,
        definition="TPR of the first group − TPR of the second",
    ),
    Metric(
        "f1_difference", "PCM", phi.F1, d.DIFFERENCE, two_groups=True, symbol="F1 difference",
        source="Stanovsky et al. 2019; Saunders and Byrne 2020", range=SIGNED_UNIT, notion=QUALITY,
        definition="F1 of the first group − F1 of the second",
    ),
    Metric(
        "las_difference", "PCM", phi.LAS, d.DIFFERENCE, two_groups=True, symbol="LAS difference",
        source="Blodgett et al. 2018", range=SIGNED_UNIT, notion=QUALITY,
        definition="labelled attachment score of the first group − that of the second",
    ),
    Metric(
        "recall_difference", "PCM", phi.RECALL, d.DIFFERENCE, two_groups=True, symbol="recall difference",
        source="Bamman et al. 2019", range=SIGNED_UNIT, notion=OPPORTUNITY,
        definition="recall of the first group − recall of the second",
    ),
    Metric(
        "f1_ratio", "PCM", phi.F1, d.RATIO, two_groups=True, symbol="F1 ratio", source="Webster et al. 2018",
        ideal=1.0, range=NOT_NEGATIVE, notion=QUALITY,
        definition="F1 of the first group / F1 of the second",
    ),
    Metric(
        "fpr_range", "MCM", phi.FPR, d.SPREAD, symbol="FPR range", source=THIS, notion=ODDS,
        definition="largest − smallest FPR of a group",
    ),
    Metric(
        "fnr_range", "MCM", phi.FNR, d.SPREAD, symbol="FNR range", source=THIS, notion=OPPORTUNITY,
        definition="largest − smallest FNR of a group",
    ),
    Metric(
        "cf_gap", "PCM", phi.EACH_PROBABILITY, d.ABSOLUTE, normaliser=pairs, counterfactual=True, symbol="CFGap",
        source="Garg et al. 2019", notion=COUNTERFACTUAL,
        definition="within a source, mean over pairs of groups and their terms of |p(c) − p(c)|",
    ),
    Metric(
        "cf_gap_tc", "PCM", phi.EACH_PROBABILITY_OF_CLASS, d.ABSOLUTE, normaliser=pairs, counterfactual=True,
        symbol="CFGap (TC)", source=THIS, notion=COUNTERFACTUAL,
        definition="the same over sources of gold class c",
    ),
    Metric(
        "pert_ss", "PCM", phi.EACH_PROBABILITY_OF_GOLD, d.ABSOLUTE, normaliser=pairs, counterfactual=True,
        symbol="PertSS", source="Prabhakaran et al. 2019", notion=COUNTERFACTUAL,
        definition="within a source, mean over pairs of groups and their terms of |p(gold) − p(gold)|",
    ),
    Metric(
        "pert_sd", "MCM", phi.EACH_PROBABILITY_OF_GOLD, d.DEVIATION, counterfactual=True, symbol="PertSD",
        source="Prabhakaran et al. 2019", range=(0.0, 0.5), notion=COUNTERFACTUAL,
        definition="standard deviation of p(gold) across groups, mean over tuples of terms and sources",
    ),
    Metric(
        "pert_sr", "MCM", phi.EACH_PROBABILITY_OF_GOLD, d.SPREAD, counterfactual=True, symbol="PertSR",
        source="Prabhakaran et al. 2019", notion=COUNTERFACTUAL,
        definition="largest − smallest p(gold) across groups, mean over tuples of terms and sources",
    ),
    Metric(
        "avg_if", "PCM", phi.PROBABILITIES, d.WASSERSTEIN, normaliser=pairs, counterfactual=True, symbol="AvgIF",
        source="Huang et al. 2020", notion=COUNTERFACTUAL,
        definition="within a source, mean over pairs of the Wasserstein-1 distance between the groups' p(c)",
    ),
    Metric(
        "avg_if_tc", "PCM", phi.PROBABILITIES_OF_CLASS, d.WASSERSTEIN, normaliser=pairs, counterfactual=True,
        symbol="AvgIF (TC)", source=THIS, notion=COUNTERFACTUAL,
        definition="the same over sources of gold class c",
    ),
    Metric(
        "avg_score_difference", "PCM", phi.MEAN_PROBABILITY, d.DIFFERENCE, normaliser=pairs, counterfactual=True,
        two_groups=True, symbol="average score difference",
        source="Kiritchenko and Mohammad 2018; Popović et al. 2020", range=SIGNED_UNIT, notion=COUNTERFACTUAL,
        definition="mean p(c) of the first group − that of the second within a source, mean over sources",
    ),
    Metric(
        "cf_gap_background", "BCM", phi.EACH_PROBABILITY, d.ABSOLUTE, normaliser=groups, background=UNPERTURBED,
        counterfactual=True, symbol="CFGap (background)", source="Garg et al. 2019", notion=COUNTERFACTUAL,
        definition="mean over groups of |p(c) − p(c) of the unperturbed sentence|",
    ),
    Metric(
        "pert_ss_background", "BCM", phi.EACH_PROBABILITY_OF_GOLD, d.ABSOLUTE, normaliser=groups,
        background=UNPERTURBED, counterfactual=True, symbol="PertSS (background)", source="Prabhakaran et al. 2019",
        notion=COUNTERFACTUAL,
        definition="mean over groups of |p(gold) − p(gold) of the unperturbed sentence|",
    ),
    OwnMetric(
        "bpsn_auc", compute=outside.bpsn_auc, basis="probabilities", background=REST, normaliser=groups,
        symbol="BPSN AUC", source="Borkan et al. 2019", ideal=1.0, notion=ODDS,
        definition="how often the rest's example of c scores above the group's example of another class",
    ),
    OwnMetric(
        "bnsp_auc", compute=outside.bnsp_auc, basis="probabilities", background=REST, normaliser=groups,
        symbol="BNSP AUC", source="Borkan et al. 2019", ideal=1.0, notion=OPPORTUNITY,
        definition="how often the group's example of c scores above the rest's example of another class",
    ),
    OwnMetric(
        "pi", compute=outside.pi, basis="predictions", normaliser=groups, counterfactual=True, symbol="Π",
        source="De-Arteaga et al. 2019", notion=COUNTERFACTUAL,
        definition="of a group's examples of c taken for another class, the share recognised with other groups' terms",
    ),
    OwnMetric(
        "label_distance", compute=outside.label_distance, basis="predictions", background=UNPERTURBED,
        normaliser=groups, counterfactual=True, symbol="LabelDist", source="Prabhakaran et al. 2019",
        notion=COUNTERFACTUAL,
        definition="Jaccard distance of the sources labelled c before and after a term is put in, mean over terms",
    ),
    Metric(
        "label_flip_rate", "PCM", phi.EACH_PREDICTION, d.DISAGREEMENT, normaliser=pairs, counterfactual=True,
        symbol="flip rate", source="this project", notion=COUNTERFACTUAL,
        definition="within a source, share of pairs of groups and their terms with different predicted classes",
    ),
    Metric(
        "invariance_failure_rate", "MCM", phi.EACH_PREDICTION, d.ANY_DISAGREEMENT, counterfactual=True, symbol="INV",
        source="Ribeiro et al. 2020", notion=COUNTERFACTUAL,
        definition="share of tuples of terms in which not all predicted classes are the same",
    ),
    Metric(
        "log_odds_gap", "PCM", phi.EACH_LOG_ODDS, d.ABSOLUTE, normaliser=pairs, counterfactual=True,
        symbol="log-odds gap", source="this project", range=NOT_NEGATIVE, notion=COUNTERFACTUAL,
        definition="CFGap on log(p / (1 − p)); undefined where a probability is exactly 0 or 1",
    ),
    Metric(
        "expected_label_gap", "PCM", phi.EACH_EXPECTED_LABEL, d.ABSOLUTE, normaliser=pairs, counterfactual=True,
        symbol="expected label gap", source="this project", range=NOT_NEGATIVE, notion=COUNTERFACTUAL,
        definition="CFGap on the expected grade of an ordinal scale",
    ),
    Metric(
        "expected_label_difference", "PCM", phi.MEAN_EXPECTED_LABEL, d.DIFFERENCE, normaliser=pairs,
        counterfactual=True, two_groups=True, symbol="expected label difference", source="this project",
        range=UNBOUNDED, notion=COUNTERFACTUAL,
        definition="average score difference on the expected grade of an ordinal scale",
    ),
)  # fmt: skip
METRICS: dict[str, AnyMetric] = {metric.name: metric for metric in ROWS}


def chosen_metrics(wanted: Sequence[str | AnyMetric] | None) -> tuple[AnyMetric, ...]:
    """Metrics by name or as they are; None: the whole table."""
    if wanted is None:
        return ROWS
    return tuple(
        metric if isinstance(metric, (Metric, OwnMetric)) else metric_named(metric) for metric in _once(wanted)
    )


def metric_named(name: str) -> AnyMetric:
    """The row of that name."""
    if name not in METRICS:
        raise UsageError(f"there is no metric {name!r}{did_you_mean(name, METRICS)}")
    return METRICS[name]


def _once(wanted: Iterable[str | AnyMetric]) -> list[str | AnyMetric]:
    names: dict[str, str | AnyMetric] = {}
    for entry in wanted:
        name = entry if isinstance(entry, str) else entry.name
        if name in names:
            raise UsageError(f"the metric {name!r} is asked for twice")
        names[name] = entry
    return list(names.values())
