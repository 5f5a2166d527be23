"""Exports: what those who must answer for a system need, in the form in which they need it."""
