"""Who answers: lexicons of sentiment and emotion."""
