"""What every result has: where it comes from, what there is to note, and one way to be saved, loaded and shown."""

from evenhand.results.note import Note
from evenhand.results.provenance import CorpusUsed, FileUsed, Provenance, SystemUsed
from evenhand.results.rendering import Renderer, register_renderer
from evenhand.results.result import Result, Subject, check_out, save_together
from evenhand.results.statement import Statement

__all__ = [
    "CorpusUsed",
    "FileUsed",
    "Note",
    "Provenance",
    "Renderer",
    "Result",
    "Statement",
    "Subject",
    "SystemUsed",
    "check_out",
    "register_renderer",
    "save_together",
]
