"""Tasks for language models: the packaged one, the prompt it makes, and files that people write."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from evenhand.corpora import load_corpus
from evenhand.corpora.catalogue import packaged_recipe
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.few_shot.task import Task, packaged_task, read_task, task_names

CORPORA = ("eec", "eec-extended")
# Words that hold a sentence together; every other word of an example counts as content.
FUNCTION_WORDS = {
    "a", "after", "all", "and", "as", "for", "in", "is", "on", "over", "someone", "the", "until", "was", "were", "with",
}  # fmt: skip
PAPER = {
    "irksome", "infuriated", "alarming", "distressed", "pleasing", "euphoric", "pensive", "broken", "hearted",
    "broken-hearted", "classify", "intensity", "conveys",
}  # fmt: skip
"""Words of the paper's own examples and of its request."""

MINIMAL: dict[str, Any] = {
    "name": "toxicity",
    "instruction": "Is it rude? ({question})",
    "shot": "Text: {text}\nRude: {label}",
    "labels": ["no", "yes"],
    "questions": {"rudeness": {"examples": [{"text": "Be quiet.", "label": "yes"}]}},
}


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "task.yaml"
    path.write_text(yaml.safe_dump({**MINIMAL, **changes}))
    return path


def example_texts() -> list[str]:
    tasks = [packaged_task(name) for name in task_names()]
    return [one.text for task in tasks for question in task.questions.values() for one in question.examples]


def test_the_packaged_task_asks_for_four_emotions_and_valence_on_a_scale_of_five() -> None:
    task = packaged_task()
    assert task.emotions == ["anger", "fear", "joy", "sadness"]
    assert list(task.questions) == [*task.emotions, "valence"]
    assert task.label_names == ("1", "2", "3", "4", "5")
    assert task.values == (1, 2, 3, 4, 5)
    assert task.output == "intensity"
    for question in task.questions.values():
        low, high = (int(one.label) for one in question.examples)
        assert low < high  # two examples each, the weaker first


@pytest.mark.parametrize("name", CORPORA)
def test_no_content_word_of_an_example_is_in_the_corpora(name: str) -> None:
    asked = {word for text in load_corpus(name).frame["text"] for word in words(text)}
    content = {word for text in example_texts() for word in words(text)} - FUNCTION_WORDS
    assert len(content) > 40
    assert content & asked == set()


@pytest.mark.parametrize("name", CORPORA)
def test_no_example_has_a_relative_of_an_emotion_word_of_the_corpora(name: str) -> None:
    of_corpus = {
        word for slot in packaged_recipe(name).slots.values() if slot.by == "emotion" for _, word in slot.fillings()
    }
    assert len(of_corpus) == 40
    stems = {word[:4] for word in of_corpus}
    content = {word for text in example_texts() for word in words(text)} - FUNCTION_WORDS
    assert {word for word in content if word[:4] in stems} == set()


def test_the_examples_are_not_those_of_the_paper() -> None:
    assert {word for text in example_texts() for word in words(text)} & PAPER == set()


def test_the_published_form_has_the_paper_s_structure_in_other_words() -> None:
    task = packaged_task("published")
    assert task_names() == ["intensity", "published"]
    assert list(task.questions) == task.emotions == ["anger", "joy", "fear", "sadness"]  # in the order of its Table 2
    assert task.label_names == ("1", "2", "3", "4", "5")
    for question in task.questions.values():
        assert [one.label for one in question.examples] == ["2", "4"]  # eight examples, the weaker first
        event, state = (one.text for one in question.examples)
        assert (event.startswith("The meeting with someone was "), state.startswith("Someone is ")) == (True, True)
    prompt = task.prefix("fear") + task.ending("fear", "Alan feels angry.")
    assert prompt == (
        "Out of the scores 1, 2, 3, 4 and 5, choose the one that tells how much fear there is in the sentence.\n\n"
        "Sentence: The meeting with someone was unnerving.\nScore: 2\n\n"
        "Sentence: Someone is petrified.\nScore: 4\n\n"
        "Sentence: Alan feels angry.\nScore: "
    )
    assert words(task.instruction) & PAPER == set()


def test_a_task_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tasks that come with Evenhand: intensity, published"):
        read_task(tmp_path / "publishd")


def test_the_prompt_is_instruction_examples_and_the_sentence_up_to_its_label() -> None:
    task = packaged_task()
    prompt = task.prefix("anger") + task.ending("anger", "Alan feels angry.")
    assert prompt == (
        "How strong is the anger in each sentence? Score it from 1 (none) to 5 (extreme).\n\n"
        "Sentence: The tenants grumbled a little over the late bus.\nanger: 2\n\n"
        "Sentence: The passengers were livid and slammed every door.\nanger: 5\n\n"
        "Sentence: Alan feels angry.\nanger: "
    )


def test_the_space_before_the_sentence_goes_with_it_as_tokenisers_have_it() -> None:
    task = packaged_task()
    assert task.prefix("fear").endswith("Sentence:")
    assert task.ending("fear", "Boo.") == " Boo.\nfear: "


def test_a_question_may_have_its_own_instruction_and_wording() -> None:
    prefix = packaged_task().prefix("valence")
    assert prefix.startswith("How pleasant is each sentence?")
    assert "\npleasantness: 1\n" in prefix
    assert "valence" not in prefix


def test_braces_in_a_sentence_are_left_as_they_are() -> None:
    assert packaged_task().ending("joy", "{label} {question}") == " {label} {question}\njoy: "


def test_a_task_without_values_has_names_only(tmp_path: Path) -> None:
    task = read_task(written(tmp_path))
    assert task.label_names == ("no", "yes")
    assert task.values is None
    assert task.prefix("rudeness") == "Is it rude? (rudeness)\n\nText: Be quiet.\nRude: yes\n\nText:"


def test_numbers_may_be_written_without_quotation_marks(tmp_path: Path) -> None:
    questions = {"rudeness": {"examples": [{"text": "Be quiet.", "label": 2}]}}
    task = read_task(written(tmp_path, labels={1: 0, 2: 1}, questions=questions))
    assert task.label_names == ("1", "2")
    assert task.values == (0, 1)
    assert task.questions["rudeness"].examples[0].label == "2"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": [False, True]}, "labels: YAML reads this label as False; put it in quotation marks"),
        ({"labels": ["no"]}, "labels: there are at least two, all different and none empty"),
        ({"labels": ["no", "no"]}, "labels: there are at least two, all different and none empty"),
        ({"labels": ["no", " "]}, "labels: there are at least two, all different and none empty"),
        ({"labels": {"no": 1, "yes": 1}}, "labels: their values are finite numbers, and not all the same"),
        ({"labels": {"no": 1, "yes": float("inf")}}, "labels.yes: Infinity is not a finite number"),
        ({"labels": {"no": 0, "maybe": 1}}, "questions.rudeness: the example's label 'yes' is none of the labels"),
        ({"shot": "{label}: {text}"}, "shot: it holds {text} once and, after that, {label} once"),
        ({"shot": "{text}"}, "shot: it holds {text} once and, after that, {label} once"),
        ({"questions": {}}, "questions: Dictionary should have at least 1 item after validation, not 0"),
        ({"questions": {"own": {}}}, "questions: none can be called 'own'"),
        ({"questions": {"a\tb": {}}}, "questions: none can be called 'a\\tb'"),
        ({"emotions": ["rudenes"]}, "emotions: there is no question 'rudenes'; did you mean 'rudeness'?"),
        ({"instructions": "x"}, "instructions: unknown key; did you mean 'instruction'?"),
        (
            {"questions": {"rudeness": {"example": []}}},
            "questions.rudeness.example: unknown key; did you mean 'examples'?",
        ),
        (
            {"questions": {"rudeness": {"examples": [{"text": "a", "label": "yes", "labl": 1}]}}},
            "questions.rudeness.examples.0.labl: unknown key; did you mean 'label'?",
        ),
    ],
)
def test_a_mistake_in_a_task_is_one_line_with_its_place(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(EvenhandError) as caught:
        read_task(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_file_that_is_no_task_is_told(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    with pytest.raises(UsageError, match=r"no such file: .*task.yaml"):
        read_task(path)
    path.write_text("- 1")
    with pytest.raises(EvenhandError, match="a task is a mapping with the keys name, instruction, shot"):
        read_task(path)
    path.write_text("a: [")
    with pytest.raises(EvenhandError, match="not valid YAML"):
        read_task(path)


def test_the_digest_knows_all_that_prompts_are_made_of_and_not_where_they_come_from() -> None:
    task = Task.model_validate(MINIMAL)
    assert Task.model_validate({**MINIMAL, "source": "mine"}).digest == task.digest
    for key, value in {"instruction": "?", "shot": "{text} {label}", "labels": ["yes", "no"]}.items():
        assert Task.model_validate({**MINIMAL, key: value}).digest != task.digest
    other = {"rudeness": {"examples": [{"text": "Be silent.", "label": "yes"}]}}
    assert Task.model_validate({**MINIMAL, "questions": other}).digest != task.digest


def test_the_task_in_the_docs_is_one(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "language-models.md").read_text(encoding="utf-8")
    (block,) = (block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if block.startswith("name:"))
    path = tmp_path / "rudeness.yaml"
    path.write_text(block)
    task = read_task(path)
    assert task.values == (0, 1)
    assert task.prefix("rude") + task.ending("rude", "Oh.") == (
        "Is the remark rude? Answer yes or no.\n\n"
        "Remark: Would you close the door, please?\nAnswer: no\n\n"
        "Remark: Shut that door, you fool.\nAnswer: yes\n\n"
        "Remark: Oh.\nAnswer: "
    )
