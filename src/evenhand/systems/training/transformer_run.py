"""A transformer in training: batches, steps, and after each epoch a look at data that it does not learn from."""

from __future__ import annotations

import inspect
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.errors import EvenhandError
from evenhand.systems.base import Array
from evenhand.systems.training.chain_training import ChainLayer
from evenhand.systems.training.transformer_card import TransformerSettings
from evenhand.systems.training.transformer_tasks import NOT_ASKED, Example, Task
from evenhand.systems.transformers.chain import Chain
from evenhand.systems.transformers.torch_import import import_torch

TOGETHER = 64
"""How many texts are asked together when the quality is looked at."""

NEAR = 20
"""Among so many batches, texts are sorted by length: padding costs time."""

log = logging.getLogger(__name__)

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Course:
    """How the training went: the weights of the best epoch, which it was, and how many there were."""

    state: dict[str, Any]
    best: int
    epochs: int
    chain: Chain | None = None
    """That of the best epoch, where a chain was learned."""


@dataclass(frozen=True)
class Run:
    """A task and a model that learns it."""

    task: Task[Any]
    model: Any
    tokeniser: Any
    limit: int | None
    settings: TransformerSettings
    layer: ChainLayer | None = None
    """The chain over the tags that is learned, too."""

    def examples(self, data: Any) -> list[Example]:
        """The data as the model reads them."""
        return self.task.examples(data, self.tokeniser, self.limit)

    def trained(self, lesson: Any, development: Any, advance: Advance) -> Course:
        """Go over the lesson, epoch by epoch, until nothing gets better."""
        torch = import_torch()
        seen = [one for one in self.examples(lesson) if any(label != NOT_ASKED for label in one.wanted)]
        unseen = self.examples(development)
        steps = self.settings.epochs * math.ceil(len(seen) / self.settings.batch_size)
        optimiser = self._optimiser()
        pace = torch.optim.lr_scheduler.LambdaLR(optimiser, self._pace(steps))
        best, course, epoch = (-math.inf, -math.inf), None, 0
        while epoch < self.settings.epochs and (course is None or epoch - course.best < self.settings.patience):
            epoch += 1
            self.model.train()
            for batch in self._batches(seen):
                self._step(batch, optimiser)
                pace.step()
                advance(len(batch))
            self._take_chain()
            logits, error = self.answers(unseen)
            if not math.isfinite(error):
                raise EvenhandError(
                    f"training diverged in epoch {epoch} (the error is {error}); lower the learning rate"
                )
            reached = (self.task.score(self.task.quality(development, unseen, logits, "")), -error)
            log.debug("epoch %d: %.4f on the development data, error %.4f", epoch, reached[0], error)
            if reached > best:
                state = {name: tensor.detach().cpu().clone() for name, tensor in self.model.state_dict().items()}
                best, course = reached, Course(state, epoch, epoch, self.task.chain)
        assert course is not None  # noqa: S101 - there is at least one epoch, and its error is finite
        self.task.chain = course.chain
        return Course(course.state, course.best, epoch, course.chain)

    def _take_chain(self) -> None:
        """What was learned of the order of tags so far, for the quality."""
        self.task.chain = None if self.layer is None else self.layer.chain()

    def answers(self, examples: Sequence[Example]) -> tuple[list[Array], float]:
        """What the model says of each example, a number for each label (of each piece), and the mean error."""
        torch = import_torch()
        said: list[Array] = [np.empty(0)] * len(examples)
        error, count = 0.0, 0
        order = sorted(range(len(examples)), key=lambda place: len(examples[place].given["input_ids"]))
        self.model.eval()
        with torch.inference_mode():
            for first in range(0, len(order), TOGETHER):
                places = order[first : first + TOGETHER]
                given, wanted = self._batch([examples[place] for place in places])
                logits = self.model(**given).logits
                error += float(self._error(logits, wanted, reduction="sum"))
                count += int((wanted != NOT_ASKED).sum())
                for place, row in zip(places, logits.double().cpu().numpy(), strict=True):
                    said[place] = row
        return said, error / count if count else math.nan

    def _batches(self, examples: Sequence[Example]) -> list[list[Example]]:
        """All examples in a new order; of those that come near each other, the like in length share a batch."""
        torch, size = import_torch(), self.settings.batch_size
        drawn = [examples[place] for place in torch.randperm(len(examples)).tolist()]
        near = [drawn[first : first + NEAR * size] for first in range(0, len(drawn), NEAR * size)]
        alike = [one for part in near for one in sorted(part, key=lambda one: len(one.given["input_ids"]))]
        batches = [alike[first : first + size] for first in range(0, len(alike), size)]
        return [batches[place] for place in torch.randperm(len(batches)).tolist()]

    def _step(self, examples: Sequence[Example], optimiser: Any) -> None:
        given, wanted = self._batch(examples)
        optimiser.zero_grad()
        self._error(self.model(**given).logits, wanted).backward()
        import_torch().nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        optimiser.step()

    def _batch(self, examples: Sequence[Example]) -> tuple[dict[str, Any], Any]:
        """Texts side by side, padded behind, and what is wanted of them."""
        takes = inspect.signature(self.model.forward).parameters
        fill = {"input_ids": self.tokeniser.pad_token_id}
        given = {
            key: self._padded([one.given[key] for one in examples], fill.get(key, 0))
            for key in examples[0].given
            if key in takes
        }
        return given, self._padded([one.wanted for one in examples], NOT_ASKED)

    def _padded(self, rows: Sequence[Sequence[int]], fill: int) -> Any:
        width = max(len(row) for row in rows)
        return import_torch().tensor([[*row, *[fill] * (width - len(row))] for row in rows], device=self.model.device)

    def _error(self, logits: Any, wanted: Any, *, reduction: str = "mean") -> Any:
        if self.layer is not None:
            return self._chain_error(self.layer, logits, wanted, reduction)
        functional = import_torch().nn.functional
        flat = logits.flatten(0, -2), wanted.flatten()
        return functional.cross_entropy(*flat, ignore_index=NOT_ASKED, reduction=reduction)

    def _chain_error(self, layer: ChainLayer, logits: Any, wanted: Any, reduction: str) -> Any:
        """Over the words of each sentence, which stand at some of its pieces; by the word, like any other error."""
        torch = import_torch()
        places = [torch.nonzero(row != NOT_ASKED)[:, 0] for row in wanted]
        rows = [row for row, found in enumerate(places) if len(found)]
        if not rows:
            return logits.sum() * 0.0
        pad = torch.nn.utils.rnn.pad_sequence
        emissions = pad([logits[row, places[row]] for row in rows], batch_first=True)
        tags = pad([wanted[row, places[row]] for row in rows], batch_first=True)
        there = pad([torch.ones_like(places[row]) for row in rows], batch_first=True)
        total = layer.error(emissions, tags, there).sum()
        return total if reduction == "sum" else total / there.sum()

    def _optimiser(self) -> Any:
        """Weights decay; biases and what scales a layer, which have one dimension, do not."""
        parameters = list(self.model.parameters())
        groups = [
            {"params": [one for one in parameters if one.ndim > 1], "weight_decay": self.settings.weight_decay},
            {"params": [one for one in parameters if one.ndim <= 1], "weight_decay": 0.0},
        ]
        if self.layer is not None:
            rate = self.layer.rate(self.settings.learning_rate)
            groups.append({"params": self.layer.parameters, "weight_decay": 0.0, "lr": rate})
        return import_torch().optim.AdamW(groups, lr=self.settings.learning_rate)

    def _pace(self, steps: int) -> Callable[[int], float]:
        """The share of the learning rate at each step: up in a straight line, then down to nothing."""
        rise = max(1, round(self.settings.warm_up * steps))
        return lambda step: min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)))
