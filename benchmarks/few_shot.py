"""Few-shot models beside the loops that one would write instead, and threads of llama.cpp beside processes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.interleaved import Row, ratio_row, timed
from evenhand.corpora import eec
from evenhand.systems.few_shot.causal_model import CausalModel
from evenhand.systems.few_shot.gguf import CONTEXT
from evenhand.systems.few_shot.llama import cores, import_xllamacpp
from evenhand.systems.few_shot.smollm import model_file, smollm
from evenhand.systems.few_shot.task import packaged_task
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.systems.transformers.torch_import import import_torch

SENTENCES, BLOCKS, ROUNDS = 64, 4, 5
"""So many sentences as they stand in the corpus, in blocks from all over it."""
CAUSAL = 48
LISTED = 20
"""How many tokens the plain loop has listed: the labels are among them."""
QUESTION = "anger"
LIKE_A_LOOP, ALIKE, CAUSAL_ALIKE = 1.5, 0.05, 1e-5
ONE_BY_ONE = 5.0


def run() -> list[Row]:
    """Both kinds of models."""
    return [*of_llama(), *of_transformers()]


def of_llama() -> list[Row]:
    """`smollm` beside plain loops over xllamacpp that keep the prefix: as the corpus has the sentences, and sorted."""
    texts = sentences(SENTENCES)
    server, system = plain(), smollm(eec(), ask=QUESTION, read="distribution")
    said: dict[str, Any] = {}

    def loop(given: list[str]) -> np.ndarray:
        return np.array([shares(server, prompt) for prompt in map(prompt_of, given)])

    def ours() -> None:
        said["ours"] = system.score(texts)

    def as_they_stand() -> None:
        said["loop"] = loop(texts)

    ways: dict[str, Callable[[], Any]] = {"ours": ours, "loop": as_they_stand, "sorted": lambda: loop(sorted(texts))}
    system.score(texts[:16])
    loop(texts[:2])
    seconds = timed(ways, ROUNDS)
    off = float(np.abs(said["ours"] - said["loop"]).max())
    return [
        ratio_row(
            "smollm against a plain loop over xllamacpp", seconds["loop"], seconds["ours"], texts=len(texts),
            goal=LIKE_A_LOOP,
        ),
        ratio_row(
            "smollm against the loop over sorted sentences", seconds["sorted"], seconds["ours"], texts=len(texts),
            goal=1.0,
        ),
        ("smollm, probabilities beside the loop's", f"{off:.2g} off", f"<= {ALIKE:g}", "yes" if off <= ALIKE else "no"),
    ]  # fmt: skip


def of_transformers() -> list[Row]:
    """`hf-causal` beside one prompt after the other, on a model of random weights."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        model = CausalModel(folder, device="cpu")
    task, texts = packaged_task(), sentences(CAUSAL)
    prefix, endings = task.prefix(QUESTION), [task.ending(QUESTION, text) for text in texts]
    said: dict[str, Any] = {}

    def ours() -> None:
        said["ours"] = model.masses(prefix, endings, task.label_names)

    def one_by_one() -> None:
        said["one"] = np.array([whole(model, prefix + ending, task.label_names) for ending in endings])

    model.masses(prefix, endings[:2], task.label_names)
    seconds = timed({"ours": ours, "one": one_by_one}, ROUNDS - 2)
    off = float((np.abs(said["ours"] - said["one"]) / said["one"]).max())
    return [
        ratio_row(
            "hf-causal against one prompt at a time", seconds["one"], seconds["ours"], texts=CAUSAL, goal=ONE_BY_ONE
        ),
        ("hf-causal, share by which probabilities differ", f"{off:.2g}", f"<= {CAUSAL_ALIKE:g}",
         "yes" if off <= CAUSAL_ALIKE else "no"),
    ]  # fmt: skip


def sentences(count: int) -> list[str]:
    """Sentences as they stand in the corpus, blocks of neighbours."""
    corpus = eec()
    every = corpus.frame.filter(corpus.frame["emotion"] == QUESTION)["text"].unique(maintain_order=True).to_list()
    each = count // BLOCKS
    starts = range(0, len(every), len(every) // BLOCKS)
    return [text for start in starts for text in every[start : start + each]][:count]


def prompt_of(text: str) -> str:
    """The whole prompt."""
    task = packaged_task()
    return task.prefix(QUESTION) + task.ending(QUESTION, text)


def plain() -> Any:
    """llama.cpp as it comes, on all cores."""
    xllamacpp = import_xllamacpp()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model_file())
    parameters.n_ctx, parameters.n_parallel = CONTEXT, 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = cores()
    parameters.verbosity = -1
    return xllamacpp.Server(parameters)


def shares(server: Any, prompt: str) -> list[float]:
    """The labels' shares after a prompt."""
    asked = {"prompt": prompt, "max_tokens": 1, "temperature": 0.0, "cache_prompt": True, "n_probs": LISTED}
    listed = server.handle_completions(asked)["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    found = {one["token"]: float(np.exp(one["logprob"])) for one in listed}
    masses = [found.get(label, 0.0) for label in packaged_task().label_names]
    return [mass / sum(masses) for mass in masses]


def whole(model: CausalModel, prompt: str, labels: tuple[str, ...]) -> list[float]:
    """One forward pass over one prompt, and a softmax over the vocabulary."""
    torch, own = import_torch(), model._transformer
    tokens = torch.tensor([own.tokeniser(prompt)["input_ids"]])
    with torch.inference_mode():
        shares = torch.softmax(own.model(input_ids=tokens, use_cache=False).logits[0, -1].double(), dim=-1)
    return [float(shares[own.tokeniser(label)["input_ids"][-1]]) for label in labels]


def build(folder: Path) -> None:
    """A causal model of 30 million parameters, and byte pairs learned from the corpus; digits are tokens."""
    torch = import_torch()
    import tokenizers
    import transformers

    reads = tokenizers.Tokenizer(tokenizers.models.BPE())
    before = tokenizers.pre_tokenizers
    reads.pre_tokenizer = before.Sequence(
        [before.Digits(individual_digits=True), before.ByteLevel(add_prefix_space=False)]
    )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=8000, special_tokens=["<s>"], initial_alphabet=before.ByteLevel.alphabet(), show_progress=False
    )
    reads.train_from_iterator([prompt_of(text) for text in eec().frame["text"].unique().sort().to_list()], trainer)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=1536, num_hidden_layers=8, num_attention_heads=8,
        num_key_value_heads=4, max_position_embeddings=2048,
    )  # fmt: skip
    with quiet():
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
        transformers.PreTrainedTokenizerFast(tokenizer_object=reads, bos_token="<s>").save_pretrained(folder)  # noqa: S106
