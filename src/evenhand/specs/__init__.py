"""The strings that people type → objects."""
