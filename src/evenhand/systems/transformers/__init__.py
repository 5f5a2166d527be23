"""Who answers: transformers that classify, rate, tag or encode text."""
