"""What renderers share."""
