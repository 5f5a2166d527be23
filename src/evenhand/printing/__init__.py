"""The only room that prints: everything that comes from outside is shown by it, and does nothing to a terminal."""

from evenhand.printing.streams import console_of, say, tell, tell_file, tell_json
from evenhand.visible import visible, visible_line, visible_lines

__all__ = ["console_of", "say", "tell", "tell_file", "tell_json", "visible", "visible_line", "visible_lines"]
