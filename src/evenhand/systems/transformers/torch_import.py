"""torch, imported so that its threads wait for each other without keeping the processor busy."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

POLICY = "OMP_WAIT_POLICY"


@cache
def import_torch() -> Any:
    """The package torch.

    By default, its threads spin while they wait. On a machine whose cores have other work too, that is ruinous: 1,024
    sentences through a small encoder took 33 s in place of 3 on two busy cores, and nothing was gained on idle ones.
    The threads' library reads its policy once, when torch is loaded for the first time.
    """
    before = os.environ.get(POLICY)
    os.environ.setdefault(POLICY, "PASSIVE")
    try:
        import torch
    finally:
        if before is None:
            del os.environ[POLICY]
    return torch
