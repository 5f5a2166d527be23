"""Who answers: people, by what they wrote into their sheets."""
