"""Who answers: systems that were trained here."""
