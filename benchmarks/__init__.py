"""Benchmarks. Each module has `run()`, which gives rows of (what, measured, goal, met)."""
