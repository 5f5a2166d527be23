"""Who answers: systems whose bias is known, for tests and teaching."""
