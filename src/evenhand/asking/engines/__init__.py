"""Asking: engines, which say who answers: the system itself, or workers beside it, here or on a cluster."""
