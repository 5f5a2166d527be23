"""What the two sides of a contrast are called where people read of them."""

from __future__ import annotations

from itertools import product

from evenhand.contrasts.contrast import Contrast
from evenhand.corpora import Corpus
from evenhand.corpora.labels import crossed, names_of
from evenhand.settings import CROSS

NAMES = "names"
OTHERS, NAMES_OF_OTHERS = "the other groups", "the other groups' names"


def side_labels(contrast: Contrast, corpus: Corpus) -> tuple[str, str]:
    """The labels of the first and the second group, or their code names where the corpus has none for them.

    >>> from evenhand.contrasts import contrast
    >>> from evenhand.corpora import eec
    >>> [side_labels(contrast(eec(), attribute), eec()) for attribute in ("gender", "race")]
    [('women', 'men'), ('African American names', 'European American names')]
    """
    if contrast.interaction:
        return _gaps(contrast, corpus)
    groups = contrast.first, contrast.second
    first, second = (group_label(corpus, contrast.attribute, group, called=contrast.called) for group in groups)
    if contrast.rest:
        return first or contrast.first, NAMES_OF_OTHERS if first and contrast.called == NAMES else OTHERS
    return groups if first is None or second is None else (first, second)


def group_label(corpus: Corpus, attribute: str, group: str, *, called: str) -> str | None:
    """The label of one group, or of their names where its persons are `called` names; None where the corpus has none.

    >>> from evenhand.corpora import eec
    >>> group_label(eec(), "race+gender", "African American female", called="names")
    "African American women's names"
    """
    label = _label(corpus, attribute, group)
    return names_of(label) if label is not None and called == NAMES else label


def _gaps(contrast: Contrast, corpus: Corpus) -> tuple[str, str]:
    """The sides of an interaction are gaps themselves."""
    attribute, other = contrast.attribute.split(CROSS)
    within = [corpus.labels.get(other, {}).get(group) for group in corpus.attributes[other][:2]]
    shown = [None if label is None else names_of(label) if contrast.called == NAMES else label for label in within]
    first, second = (label and f"the {attribute.replace('_', ' ')} gap among {label}" for label in shown)
    return first or contrast.first, second or contrast.second


def _label(corpus: Corpus, attribute: str, group: str) -> str | None:
    """A group's label, composed where attributes are crossed; None where one of them has none."""
    parts = attribute.split(CROSS)
    for groups in product(*(corpus.attributes[part] for part in parts)):
        if " ".join(groups) == group:
            labels = [corpus.labels.get(part, {}).get(one) for part, one in zip(parts, groups, strict=True)]
            return crossed([label for label in labels if label]) if all(labels) else None
    return None
