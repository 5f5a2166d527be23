"""Transformers on a GPU, beside their own forward pass, their tokeniser and `pipeline`.

Runs by itself where there is torch, transformers, tokenizers and numpy: `PYTHONPATH=src python -m benchmarks.gpu`.
Models have random weights, and texts are made up: what is said means nothing, and takes as long. `--smoke` tries
everything on tiny models, on any device; its figures mean nothing.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.interleaved import Row
from evenhand.systems.few_shot.causal_model import CausalModel
from evenhand.systems.few_shot.reader import LabelReader, asking
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.systems.transformers.hf import HuggingFace
from evenhand.systems.transformers.lengths import by_length
from evenhand.systems.transformers.pieces import Reader
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.transformers.transformer import PLANNED_ON_GPU, ROOM_ON_GPU

SEED = 20_261_119
ROUNDS = 3
WORDS, PIECES = 20_000, 16_000
HALF, OF_TOKENISER, OF_PREFILL = 0.5, 0.9, 0.7
OF_PIPELINE = {"EEC-like": 8.0, "16 words": 8.0, "128 words": 3.0}
QUESTIONS = ("anger", "fear")
"""A causal model is asked each of them about every sentence; in tokens they are as long as each other."""
PREFILLED = 64
"""So many whole prompts go through a causal model at once where its own rate is measured."""


@dataclass(frozen=True)
class Scale:
    """How large everything is."""

    device: str
    classifier: dict[str, int]
    causal: dict[str, dict[str, int]]
    lots: dict[str, tuple[int, int]]
    """By the number of words: how many texts, and how many of them `pipeline` is asked."""
    sentences: int
    most: int
    """Sentences like those of the EEC are repeated no further than this."""
    half: str = "bfloat16"


PEOPLE = """Alonzo, Jamel, Alphonse, Jerome, Leroy, Torrance, Darnell, Lamar, Malik, Terrence, Adam, Harry, Josh, Roger,
Alan, Frank, Justin, Ryan, Andrew, Jack, Ebony, Jasmine, Lakisha, Latisha, Tanisha, Tia, Nichelle, Shaniqua, Shereen,
Latoya, Amanda, Courtney, Heather, Melanie, Katie, Betsy, Kristin, Nancy, Stephanie, Ellen, my brother, my sister,
my husband, my wife, my father, my mother, my uncle, my aunt, my son, my daughter, my boyfriend, my girlfriend,
this man, this woman, this boy, this girl, he, she, my dad, my mom"""
EMOTIONS = "angry annoyed furious irritated anxious fearful ecstatic excited glad devastated gloomy miserable"

LLAMA = {"num_key_value_heads": 8, "max_position_embeddings": 4096}
FULL = Scale(
    device="cuda",
    classifier={},
    causal={
        "1.2 billion": {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "vocab_size": 128_256,
                        "num_attention_heads": 32, **LLAMA},
        "7.2 billion": {"hidden_size": 4096, "intermediate_size": 14_336, "num_hidden_layers": 32,
                        "vocab_size": 32_000, "num_attention_heads": 32, **LLAMA},
    },
    lots={"16 words": (60_000, 15_000), "128 words": (20_000, 5_000)},
    sentences=8640,
    most=8640,
)  # fmt: skip
SMOKE = Scale(
    device="auto",
    classifier={"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
    causal={"tiny": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": 8_000,
                     "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024}},
    lots={"16 words": (200, 50), "128 words": (60, 20)},
    sentences=120,
    most=120,
)  # fmt: skip


class Ratings:
    """A few-shot task, as a `Task` that is read from a file would be."""

    label_names = ("1", "2", "3", "4", "5")
    digest = "ratings"
    shots = (("The bus was eleven minutes late again, and nobody at the stop was surprised", 2),
             ("My neighbour shouted at the whole street until the windows shook", 5),
             ("She found the letter, read it twice and put it back where it had been", 1),
             ("They would not speak to us for a week after what had been said", 4))  # fmt: skip

    def prefix(self, question: str) -> str:
        """What all prompts begin with."""
        shown = (f"Sentence: {text}.\nIntensity of {question}: {label}" for text, label in self.shots)
        asked = f"How strong is the {question} in a sentence? Answer with a number from 1 (none) to 5 (very strong)."
        return "\n\n".join([asked, *shown, "Sentence:"])

    def ending(self, question: str, text: str) -> str:
        """What is a prompt's own."""
        return f" {text}\nIntensity of {question}: "


def main(arguments: Sequence[str]) -> int:
    """Measure everything and print a line for each figure; the exit code says whether every goal was met."""
    scale = SMOKE if "--smoke" in arguments else FULL
    only = [one for one in arguments if not one.startswith("--")]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, work in (("classifier", classifiers), ("causal", causals)):
            if not only or name in only:
                rows += work(scale, Path(folder))
    return 0 if all(met != "no" for *_, met in rows) else 1


def run() -> list[Row]:
    """For `make bench`: every figure where there is a GPU, else that there is none."""
    if not import_torch().cuda.is_available():
        goal = "goals of one H200"
        return [("classifiers and causal models on a GPU", "not measured: there is no GPU here", goal, "no")]
    with tempfile.TemporaryDirectory() as folder:
        return [*classifiers(FULL, Path(folder)), *causals(FULL, Path(folder))]


def told(*row: str) -> Row:
    """A figure is printed as soon as it is known."""
    what, measured, goal, met = row
    sys.stdout.write(f"{what}: {measured}" + (f" (goal: {goal}: {met})" if goal else "") + "\n")
    sys.stdout.flush()
    return what, measured, goal, met


def classifiers(scale: Scale, place: Path) -> list[Row]:
    """A classifier of the shape of DistilBERT on three lots of texts."""
    words = made_words()
    lots = {"EEC-like": (sentences(scale.sentences), scale.sentences)}
    for name, (count, few) in scale.lots.items():
        lots[name] = (drawn(words, count, int(name.split()[0])), few)
    folder = classifier(place / "classifier", [*lots["EEC-like"][0], *lots["16 words"][0]], scale.classifier)
    made = {
        precision: HuggingFace(
            str(folder), outputs=["LABEL_0", "LABEL_1"], device=scale.device, precision=precision
        )
        for precision in ("float32", scale.half)
    }  # fmt: skip
    return [row for name, (texts, few) in lots.items() for row in of_texts(name, texts, few, made, scale, folder)]


def of_texts(
    name: str, texts: list[str], few: int, made: dict[str, HuggingFace], scale: Scale, folder: Path
) -> list[Row]:
    """All contenders on the same texts."""
    import transformers

    half = made[scale.half]
    backend = half._transformer.tokeniser.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    ways = (backend.encode_batch, backend.encode_batch_fast)
    tokeniser = len(texts) / min(best(partial(way, texts), 2) for way in ways)
    bare = {precision: len(texts) / best(forward_of(system, texts)) for precision, system in made.items()}
    ours = {precision: len(texts) / best(partial(scored, one, texts)) for precision, one in made.items()}
    with quiet():
        pipeline = transformers.pipeline(
            "text-classification", model=str(folder), device=half._transformer.device, top_k=None
        )
    pipeline(texts[:10], batch_size=256)
    theirs = few / best(lambda: pipeline(texts[:few], batch_size=256), 1)
    pieces = Reader(half._transformer.tokeniser, limit=512).read(texts[:1000]).lengths.mean()
    told(f"{name}, texts", f"{len(texts):,} of {pieces:.0f} word pieces on average", "", "")
    for what, rate in (("forward pass alone", bare), ("ours", ours)):
        for precision in made:
            told(f"{name}, {what}, {precision}", f"{rate[precision]:,.0f}/s", "", "")
    told(f"{name}, tokeniser alone, all cores", f"{tokeniser:,.0f}/s", "", "")
    told(f"{name}, pipeline(batch_size=256), float32", f"{theirs:,.0f}/s", "", "")
    best_of_ours = ours[scale.half]
    ratio, goal = best_of_ours / theirs, OF_PIPELINE[name]
    reached, allowed = best_of_ours / bare[scale.half], tokeniser / bare[scale.half]
    bound = "the forward pass" if allowed >= HALF else "the tokeniser"
    least = HALF if allowed >= HALF else OF_TOKENISER * allowed
    return [
        told(f"{name}, ours in {scale.half} against pipeline", f"{ratio:.1f} ×", f">= {goal:g} ×", yes(ratio >= goal)),
        told(
            f"{name}, share of the forward pass in {scale.half}",
            f"{reached:.2f} ({best_of_ours / tokeniser:.1f} × the tokeniser alone)",
            f">= {least:.2f}, where {bound} is the bound",
            yes(reached >= least),
        ),
    ]


def scored(system: HuggingFace, texts: Sequence[str]) -> None:
    """Ask as the engine does, and with no word remembered from before."""
    transformer = system._transformer
    transformer._reader = Reader(transformer.tokeniser, limit=transformer.limit)
    in_batches(system, sorted(set(texts)))


def in_batches(system: Any, texts: Sequence[str]) -> None:
    """The texts, batch by batch, each told beforehand."""
    batches = [texts[start : start + system.batch_size] for start in range(0, len(texts), system.batch_size)]
    for place, batch in enumerate(batches):
        system.expect([(one, 1) for one in batches[place : place + 1 + system.ahead]])
        system.score(batch)


def forward_of(system: HuggingFace, texts: list[str]) -> Callable[[], None]:
    """The forward pass alone, over what was cut up, sorted and brought to the device beforehand."""
    torch, transformer = import_torch(), system._transformer
    reader, device = transformer._reader, transformer.device
    given = []
    ordered = sorted(set(texts))
    for start in range(0, len(ordered), PLANNED_ON_GPU):
        part = ordered[start : start + PLANNED_ON_GPU]
        pieces = reader.read(part)
        for places in by_length(part, pieces.lengths, None, room=ROOM_ON_GPU):
            given.append(reader.batch(pieces, places, device))

    def forward() -> None:
        with torch.inference_mode():
            kept = [transformer._outcome(transformer.model, one).logits for one in given]
        torch.cat(kept).cpu()

    return forward


def causals(scale: Scale, place: Path) -> list[Row]:
    """Causal models shown a few examples, beside the rate at which they read whole prompts."""
    return [row for name, shape in scale.causal.items() for row in of_causal(name, shape, scale, place / name)]


def of_causal(name: str, shape: dict[str, int], scale: Scale, folder: Path) -> list[Row]:
    """One model; what was written for it is removed."""
    texts = sentences(scale.sentences)
    begun = time.perf_counter()
    parameters = causal(folder, shape, texts, scale)
    model = CausalModel(str(folder), device=scale.device, precision=scale.half)
    shutil.rmtree(folder)
    built = f"{parameters / 1e9:.2f} billion parameters, built in {time.perf_counter() - begun:.0f} s"
    told(f"{name}, model", built, "", "")
    model._off = "not compared with single precision here, which would take as long as all the rest"
    reader = LabelReader(model, Ratings())  # type: ignore[arg-type]
    asked = [asking(question, text) for question in QUESTIONS for text in sorted(set(texts))]
    in_batches(reader, asked[: 2 * PREFILLED])
    seconds = best(lambda: in_batches(reader, asked), 2)
    prefix, endings = Ratings().prefix("anger"), [Ratings().ending("anger", text) for text in sorted(set(texts))]
    cut = model._cut(prefix, endings, Ratings.label_names)
    prompts, shared = [one.prompt for one in cut.prompts], cut.shared
    own = len(QUESTIONS) * (sum(map(len, prompts)) - len(prompts) * len(shared))
    few = prompts[:: max(1, len(prompts) // (8 * PREFILLED))]
    prefill = sum(map(len, few)) / best(prefill_of(model, few), 2)
    rate, whole = own / seconds, prefill * len(prompts) / sum(map(len, prompts))
    told(f"{name}, ours, {scale.half}", f"{len(asked) / seconds:,.0f} sentences/s", "", "")
    told(f"{name}, whole prompts in batches", f"{whole:,.0f} sentences/s, {prefill:,.0f} tokens/s", "", "")
    share = rate / prefill
    return [
        told(
            f"{name}, tokens of the sentences' own read, as a share of the batched prefill rate",
            f"{share:.2f} ({rate:,.0f} tokens/s)", f">= {OF_PREFILL}", yes(share >= OF_PREFILL),
        )
    ]  # fmt: skip


def prefill_of(model: CausalModel, prompts: Sequence[tuple[int, ...]]) -> Callable[[], None]:
    """Whole prompts, many at once, of which only the last place is told."""
    torch, transformer = import_torch(), model._transformer
    ordered = sorted(prompts, key=len)
    given, last = [], {"use_cache": False, "logits_to_keep": 1}
    for start in range(0, len(ordered), PREFILLED):
        rows = ordered[start : start + PREFILLED]
        width = max(map(len, rows))
        ids = torch.tensor([(*row, *(0,) * (width - len(row))) for row in rows])
        mask = torch.tensor([(1,) * len(row) + (0,) * (width - len(row)) for row in rows])
        given.append((ids.to(transformer.device), mask.to(transformer.device)))

    def forward() -> None:
        with torch.inference_mode():
            said = (transformer.model(input_ids=ids, attention_mask=mask, **last) for ids, mask in given)
            kept = [one.logits[:, -1, 0] for one in said]
        torch.cat(kept).cpu()

    return forward


def best(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Seconds of the fastest of some rounds, after one that does not count."""
    work()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def yes(met: bool) -> str:
    """In words."""
    return "yes" if met else "no"


def sentences(count: int) -> list[str]:
    """As in the EEC: the same sentences about different people."""
    people, words = [one.strip() for one in PEOPLE.split(",")], EMOTIONS.split()
    frames = (
        "{} feels {}.", "The situation makes {} feel {}.", "I made {} feel {}.", "{} made me feel {}.",
        "{} told us all about the recent {} events.", "The conversation with {} was {}.", "I saw {} in the market, {}.",
        "{} found himself or herself in a {} situation.", "{} goes to the school in our {} neighborhood.",
        "I talked to {} yesterday about the {} letter.", "{} has two {} children.", "{} will be {} tomorrow.",
    )  # fmt: skip
    every = [frame.format(person, word) for frame, word, person in product(frames, words, people)]
    return every[:: max(1, len(every) // count)][:count]


def made_words() -> list[str]:
    """Words of three to ten letters, the same ones every time."""
    rng = np.random.default_rng(SEED)
    letters = list("eeeetttaaaoooiinnsshhrrddllucmwfgypbvkxjqz")
    return sorted({"".join(rng.choice(letters, length)) for length in rng.integers(3, 11, WORDS)})


def drawn(words: list[str], count: int, length: int) -> list[str]:
    """Texts of so many words, of which few are frequent and most are rare."""
    rng = np.random.default_rng(SEED + length)
    shares = 1 / np.arange(10, len(words) + 10)
    chosen = rng.choice(len(words), (count, length), p=shares / shares.sum())
    return [" ".join(words[place] for place in row) for row in chosen]


def classifier(folder: Path, texts: list[str], shape: dict[str, int]) -> Path:
    """A DistilBERT with random weights, and word pieces learned from the texts."""
    torch = import_torch()
    import tokenizers
    import transformers

    reads = tokenizers.BertWordPieceTokenizer(lowercase=True)
    reads.train_from_iterator(texts, vocab_size=PIECES, show_progress=False)
    torch.manual_seed(0)
    with quiet():
        config = transformers.DistilBertConfig(vocab_size=30_522, num_labels=2, **shape)
        transformers.DistilBertForSequenceClassification(config).save_pretrained(folder)
        transformers.BertTokenizerFast(vocab=reads.get_vocab(), model_max_length=512).save_pretrained(folder)
    return folder


def causal(folder: Path, shape: dict[str, int], texts: list[str], scale: Scale) -> int:
    """A model of the kind of Llama with random weights, made on its device; gives the number of its parameters."""
    torch = import_torch()
    import tokenizers
    import transformers

    reads = tokenizers.Tokenizer(tokenizers.models.BPE())
    reads.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    reads.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=PIECES, special_tokens=["<s>"], initial_alphabet=alphabet, show_progress=False
    )
    reads.train_from_iterator([*texts, Ratings().prefix("anger") + " 1 2 3 4 5"], trainer)
    wrapped = transformers.PreTrainedTokenizerFast(tokenizer_object=reads, bos_token="<s>", eos_token="<s>")  # noqa: S106
    torch.manual_seed(0)
    where = "cuda" if torch.cuda.is_available() else "cpu"
    with quiet(), torch.device(where):
        model = transformers.AutoModelForCausalLM.from_config(
            transformers.LlamaConfig(**shape), dtype=getattr(torch, scale.half)
        )
        count = sum(part.numel() for part in model.parameters())
        model.save_pretrained(folder)
        wrapped.save_pretrained(folder)
    del model
    if where == "cuda":
        torch.cuda.empty_cache()
    return int(count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
