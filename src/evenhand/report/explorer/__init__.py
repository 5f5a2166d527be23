"""The explorer's pages: what a saved result says in one line, its drawings with links in them, and the pages around."""
