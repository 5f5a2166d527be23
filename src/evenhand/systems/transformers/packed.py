"""Linear layers on a processor, with weights laid out once for oneDNN, which torch brings along.

In single precision torch calls MKL, which is half as fast as oneDNN, or less, on processors that are not Intel's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from evenhand.systems.transformers.torch_import import import_torch

ROWS = 512
"""For so many word pieces at a time the layout is made; others work as well."""
ALIKE = 1e-4
"""By how much of the largest number a model's outcome may differ afterwards: rounding, and no more."""

log = logging.getLogger(__name__)


def pack(model: Any, outcome: Callable[[], Any]) -> bool:
    """Pack the linear layers of a model in place, if what it gives for `outcome` stays the same; else leave all."""
    torch = import_torch()
    if not _can():
        return False
    layers = [one for one in model.modules() if type(one) is torch.nn.Linear and one.weight.dtype == torch.float32]
    weights = [one.weight for one in layers]
    with torch.inference_mode():
        try:
            before = outcome()
            for layer in layers:
                _pack(layer)
            after = outcome()
            same = bool((after - before).abs().max() <= ALIKE * before.abs().max().clamp(min=1e-3))
        except (RuntimeError, NotImplementedError, TypeError, AttributeError) as error:
            # A model that looks into its layers cannot be packed.
            log.debug("layers are left as they are: %s", error)
            same = False
    if not same:
        for layer, weight in zip(layers, weights, strict=True):
            _unpack(layer, weight)
    return same


def _can() -> bool:
    torch = import_torch()
    return bool(torch.backends.mkldnn.is_available()) and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def _pack(layer: Any) -> None:
    torch = import_torch()
    packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach().contiguous(), ROWS)
    linear, bias = torch.ops.mkldnn._linear_pointwise, layer.bias
    del layer.weight  # a model need not be in memory twice
    layer.register_buffer("weight", packed, persistent=False)
    layer.forward = lambda given: linear(given, packed, bias, "none", [], "")


def _unpack(layer: Any, weight: Any) -> None:
    if "forward" in vars(layer):
        del layer.forward
    if layer.weight is not weight:
        del layer.weight
        layer.register_parameter("weight", weight)
