"""Making systems: what they learn from, and how."""
