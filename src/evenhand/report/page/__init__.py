"""Pages: what all of them share, their templates, styles and scripts."""
