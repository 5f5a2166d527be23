"""Who answers: systems in a process of their own, so that one that kills its process costs nobody else anything."""
