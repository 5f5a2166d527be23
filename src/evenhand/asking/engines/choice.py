"""Asking: the engines by their names."""

from __future__ import annotations

from evenhand.asking.engines.engine import Engine
from evenhand.asking.engines.local import LocalEngine
from evenhand.errors import SettingRefused, did_you_mean
from evenhand.settings import check_count

LOCAL, RAY = "local", "ray"
MOST_WORKERS = 10_000
CLIENT = "ray://"
"""How Ray's remote clients connect; those are no part of the cluster, and every question would go through a proxy."""


def check_engine(engine: str, address: str | None, workers: int | None) -> None:
    """Refuse what no engine is called, an address for the engine of this machine, and no workers at all."""
    if engine not in (LOCAL, RAY):
        raise SettingRefused("engine", f"unknown {{}} {engine!r}{did_you_mean(engine, (LOCAL, RAY))}")
    if address is not None and engine != RAY:
        raise SettingRefused("address", "{} is for the engine ray: it says where its cluster is")
    if address is not None and address.startswith(CLIENT):
        raise SettingRefused(
            "address", f"{{}} {address!r}: run the command on a node of the cluster, and give HOST:PORT or auto"
        )
    if workers is not None:
        check_count("the number of workers", workers, least=1, most=MOST_WORKERS)


def engine_called(engine: str, address: str | None = None, workers: int | None = None) -> Engine:
    """The engine of a name."""
    if engine == LOCAL:
        return LocalEngine(workers)
    from evenhand.asking.engines.on_ray import RayEngine

    return RayEngine(address, workers)
