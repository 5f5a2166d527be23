"""Who answers: what users bring: functions, estimators, pipelines of their own."""
