"""Repair: calibrators that are fitted on scores, judged on what they have not seen, and wrapped around systems."""
