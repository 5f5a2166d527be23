"""There and back: a sequence-to-sequence model of the Hugging Face kind, from a folder or the hub (`hf:MODEL`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.errors import UsageError
from evenhand.systems.base import fingerprint_of
from evenhand.systems.transformers import checkpoint
from evenhand.systems.transformers.lengths import by_length
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.transformer import device_for, longest_read
from evenhand.translation.base import code, translator

PLANNED = 512
"""How many texts are given together: within so many, texts of like length find each other."""

KIND = "AutoModelForSeq2SeqLM"


@translator("hf", address="MODEL_OR_FOLDER", extra="translate")
class HuggingFace:
    """A Marian model (`Helsinki-NLP/opus-mt-en-da`), or another that was trained to translate.

    A Marian model says which languages it is for; for others give `source` and `target`. `prefix` is put before each
    text (T5: "translate English to Danish: "). Models for many languages are told by the tokens they have for them:
    `source_token` and `target_token` ("eng_Latn", "dan_Latn"); those know their way back. `beams` overrides how
    many hypotheses the model's own settings follow; `longest` bounds a translation, in word pieces.

    Weights are read from safetensors only, and no code that comes with a model is run.
    """

    def __init__(
        self,
        model: str,
        *,
        source: str | None = None,
        target: str | None = None,
        prefix: str = "",
        source_token: str | None = None,
        target_token: str | None = None,
        beams: int | None = None,
        longest: int = 256,
        revision: str | None = None,
        device: str = "auto",
        at_once: int = 32,
    ) -> None:
        import_torch()
        import sacremoses  # noqa: F401 - Marian's tokeniser uses them, and translates worse without the one
        import sentencepiece  # noqa: F401

        for setting, value in (("beams", beams or 1), ("longest", longest), ("at_once", at_once)):
            if value < 1:
                raise UsageError(f"'hf': {setting} must be 1 or more, not {value}")
        if (source_token is None) != (target_token is None):
            raise UsageError("'hf': give both source_token and target_token, or none")
        self.name = f"hf:{model}"
        self.batch_size = PLANNED
        folder = checkpoint.find(model, revision=revision)
        self._tokeniser, loaded = checkpoint.load(folder, KIND)
        self._model = loaded.to(device_for(device))
        self.source = code(source or _language(self._tokeniser, "source", self.name))
        self.target = code(target or _language(self._tokeniser, "target", self.name))
        self._prefix, self._tokens, self._at_once = prefix, (source_token, target_token), at_once
        self._limit = longest_read(self._tokeniser, self._model)
        self._search = {"do_sample": False, "max_new_tokens": longest, "max_length": None}
        if beams is not None:
            self._search["num_beams"] = beams
        self._files = checkpoint.digest(folder)
        self._vouch()

    def back(self) -> HuggingFace:
        """The same model the other way round, where it knows both languages by their tokens."""
        if None in self._tokens:
            raise UsageError(
                f"{self.name!r} translates one way only; name the model for the way back too, behind a comma"
            )
        turned = object.__new__(HuggingFace)
        turned.__dict__.update(self.__dict__)
        turned.source, turned.target, turned._tokens = self.target, self.source, self._tokens[::-1]
        turned._vouch()
        return turned

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation a text."""
        said = dict(self.each(texts))
        return [said[place] for place in range(len(texts))]

    def each(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Place and translation of each text, those of like length together."""
        torch = import_torch()
        given = [self._prefix + text for text in texts]
        if self._tokens[0] is not None:
            self._tokeniser.src_lang = self._tokens[0]
        lengths = [len(pieces) for pieces in self._tokeniser(given, verbose=False)["input_ids"]] if given else []
        for places in by_length(given, lengths, self._at_once):
            with torch.inference_mode(), checkpoint.quiet():
                found = self._model.generate(**self._encoded([given[place] for place in places]), **self._all_search())
            said = self._tokeniser.batch_decode(found, skip_special_tokens=True)
            yield from zip(places, said, strict=True)

    def _encoded(self, texts: list[str]) -> Any:
        cut: dict[str, Any] = {} if self._limit is None else {"truncation": True, "max_length": self._limit}
        encoded = self._tokeniser(texts, padding=True, return_tensors="pt", **cut)
        return {key: encoded[key].to(self._model.device) for key in ("input_ids", "attention_mask")}

    def _all_search(self) -> dict[str, Any]:
        if self._tokens[1] is None:
            return self._search
        first = self._tokeniser.convert_tokens_to_ids(self._tokens[1])
        if first in (None, self._tokeniser.unk_token_id):
            raise UsageError(f"{self.name!r} has no token {self._tokens[1]!r}")
        return self._search | {"forced_bos_token_id": first}

    def _vouch(self) -> None:
        self.fingerprint: str | None = fingerprint_of(
            type(self), "torch", "transformers", "tokenizers", "sacremoses", "sentencepiece",
            files=self._files, device=self._model.device.type, at_once=self._at_once, limit=self._limit,
            search=self._search, prefix=self._prefix, tokens=self._tokens,
        )  # fmt: skip


def _language(tokeniser: Any, end: str, name: str) -> str:
    found = getattr(tokeniser, f"{end}_lang", None)
    if not found:
        raise UsageError(f"{name!r} does not say which languages it translates; give source and target, in a file")
    return str(found)
