"""The chains, one file each: what a command does, and what a Python user calls."""
