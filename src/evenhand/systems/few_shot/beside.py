"""Attention of many prompts to one beginning, which stays where it is: no prompt has a copy of its keys and values.

A token attends to the beginning, and to what its own prompt says up to it. Each part is attended to by itself; the sum
of its exponentials says how much of the whole it is, so that joining the two is exact, but for rounding.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from evenhand.systems.transformers.torch_import import import_torch

NAME = "evenhand_beside"
"""What this attention is called among those of transformers."""
NOT_HERE = ("cache", "position_bias", "s_aux", "sliding_window", "softcap")
"""What some models want of their attention, and this one does not do."""

_now = threading.local()


def looks_plain(past: Any) -> bool:
    """Whether all layers keep all keys and values, so that there is no window outside which something is unseen."""
    from transformers.cache_utils import DynamicLayer

    layers = getattr(past, "layers", ())
    return bool(layers) and all(type(layer) is DynamicLayer for layer in layers)


@contextmanager
def beside(model: Any, past: Any) -> Iterator[set[int]]:
    """While this lasts, what goes through the model, in this thread, comes after the beginning whose cache is given.

    The model gets positions, but neither that cache nor a mask: padding has to stand behind the tokens. Gives the
    numbers of the layers that attended to the beginning, as they do.
    """
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    ALL_ATTENTION_FUNCTIONS.register(NAME, _attend)
    before = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    _now.past, _now.layers = past, set()
    try:
        yield _now.layers
    finally:
        _now.past = None
        model.set_attn_implementation(before)


def _attend(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, scaling: float | None = None, **named: Any
) -> tuple[Any, None]:
    """What each token takes up, of shape (rows, tokens, heads, width); keys have (rows, heads, tokens, width)."""
    unknown = [name for name in NOT_HERE if named.get(name) is not None]
    if unknown or attention_mask is not None or not getattr(module, "is_causal", True):
        raise NotImplementedError(f"attention with {', '.join(unknown) or 'a mask of its own'}")
    torch, kept = import_torch(), _now.past.layers[module.layer_idx]
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    rows, heads, tokens, _ = query.shape
    own, own_weight = _part(query, *_for_heads(heads, key, value), causal=True, scale=scale)

    # The beginning is the same for all rows: to it, all their tokens are one long row.
    row = query.transpose(1, 2).flatten(0, 1).transpose(0, 1).unsqueeze(0)
    begun, weight = _part(row, *_for_heads(heads, kept.keys, kept.values), causal=False, scale=scale)
    begun = begun.squeeze(0).transpose(0, 1).unflatten(0, (rows, tokens))
    weight = weight.squeeze(0).unflatten(1, (rows, tokens)).transpose(0, 1)
    share = torch.sigmoid(weight - own_weight).transpose(1, 2).unsqueeze(-1).to(own.dtype)
    _now.layers.add(module.layer_idx)
    return torch.lerp(own.transpose(1, 2), begun, share).contiguous(), None


def _for_heads(heads: int, *kept: Any) -> Iterator[Any]:
    """Keys and values, one for each head; in some models heads share them."""
    for one in kept:
        sharing = heads // one.shape[1]
        yield one.repeat_interleave(sharing, dim=1) if sharing > 1 else one


def _part(query: Any, key: Any, value: Any, *, causal: bool, scale: float) -> tuple[Any, Any]:
    """Attention to one part, and the logarithm of the sum of its exponentials, which public functions don't tell."""
    torch = import_torch()
    native = torch.ops.aten
    if query.device.type == "cpu":
        found = native._scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, causal, scale=scale)
    elif query.dtype == torch.float32:
        found = native._scaled_dot_product_efficient_attention(query, key, value, None, True, 0.0, causal, scale=scale)
    else:
        found = native._scaled_dot_product_flash_attention(query, key, value, 0.0, causal, False, scale=scale)
    return found[0], found[1][..., : query.shape[2]]  # the sums may be padded
