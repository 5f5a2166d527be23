"""How polite a text is, from 0 to 1: a toy that reacts to words, and to who is meant only as far as it is told."""

POLITE = {"glad": 0.2, "happy": 0.2, "relieved": 0.1, "wonderful": 0.3, "great": 0.2}
RUDE = {"furious": 0.4, "angry": 0.3, "enraged": 0.4, "irritated": 0.2, "annoyed": 0.2}


def score(texts):
    """A number for each text."""
    return [_one(text) for text in texts]


def _one(text):
    words = text.lower().strip(".").split()
    tone = sum(POLITE.get(word, 0) - RUDE.get(word, 0) for word in words)
    # Longer texts are a little more polite, so that the person makes a difference, and a small one.
    return max(0.0, min(1.0, 0.5 + tone + 0.0005 * len(text)))
