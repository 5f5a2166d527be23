"""Gates: settings in one file, what was found judged on the bounds of its interval, and whether a release may go on."""

from evenhand.gating.result import Check, Item
from evenhand.gating.settings import GateSettings

__all__ = ["Check", "GateSettings", "Item"]
