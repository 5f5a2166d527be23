"""Conversations between people and chatbots: logs, what is done to them before they are used, and corpora of them."""

from evenhand.corpora.chat.catalogue import EXAMPLE, load_chat_corpus, read_chat
from evenhand.corpora.chat.corpus import chat_corpora, chat_corpus
from evenhand.corpora.chat.logs import read_log
from evenhand.corpora.chat.pipeline import Conversations, StepDone, prepare, run_steps
from evenhand.corpora.chat.properties import per_conversation, pieces, properties, stop_words, words
from evenhand.corpora.chat.steps import (
    CHATBOT,
    NOT_SAID,
    USER,
    add_prefixes,
    as_published,
    assign_proxies,
    check_borders,
    code_genders,
    code_speakers,
    declare_assigned,
    drop_null_rows,
    drop_single_classes,
    join_studies,
    merge_runs,
    recognise_prefixes,
    say_intents,
)

__all__ = [
    "CHATBOT",
    "EXAMPLE",
    "NOT_SAID",
    "USER",
    "Conversations",
    "StepDone",
    "add_prefixes",
    "as_published",
    "assign_proxies",
    "chat_corpora",
    "chat_corpus",
    "check_borders",
    "code_genders",
    "code_speakers",
    "declare_assigned",
    "drop_null_rows",
    "drop_single_classes",
    "join_studies",
    "load_chat_corpus",
    "merge_runs",
    "per_conversation",
    "pieces",
    "prepare",
    "properties",
    "read_chat",
    "read_log",
    "recognise_prefixes",
    "run_steps",
    "say_intents",
    "stop_words",
    "words",
]
