"""The explorer: saved results in a browser, and new ones on demand. Serves pages, computes nothing itself."""
