"""Graphs of citations, clicks on advertisements, and texts in two languages."""

from __future__ import annotations

import pathlib
import pickle

import numpy as np

# Examples to learn from, all that are known, those of the test, words, and kinds of documents.
LEARNED, KNOWN, TESTED, WORDS, KINDS = 140, 700, 100, 30, 7


def make_citations(folder: pathlib.Path) -> None:
    """data/ind.cora.*: which documents cite each other, and the words of each."""
    from scipy import sparse

    random = np.random.RandomState(0)
    place = folder / "data"
    place.mkdir()

    def words(count: int) -> sparse.csr_matrix:
        return sparse.csr_matrix((random.rand(count, WORDS) < 0.2).astype(np.float32))

    def kinds(count: int) -> np.ndarray:
        return np.eye(KINDS, dtype=np.int32)[random.randint(KINDS, size=count)]

    known, known_kinds, everything = words(KNOWN), kinds(KNOWN), KNOWN + TESTED
    parts = {
        "x": known[:LEARNED], "y": known_kinds[:LEARNED], "tx": words(TESTED),
        "ty": kinds(TESTED), "allx": known, "ally": known_kinds,
        "graph": {each: random.randint(everything, size=3).tolist() for each in range(everything)},
    }  # fmt: skip
    for name, value in parts.items():
        (place / f"ind.cora.{name}").write_bytes(pickle.dumps(value))
    tested = random.permutation(np.arange(KNOWN, everything))
    (place / "ind.cora.test.index").write_text("".join(f"{each}\n" for each in tested))


def make_checkpoint_folders(folder: pathlib.Path) -> None:
    """A folder in which a program saves, and which it does not make."""
    (folder / "pre_trained/cora").mkdir(parents=True)


def make_clicks(folder: pathlib.Path) -> None:
    """Whether someone clicked, and what is known of him, as numbers of features and values."""
    random = np.random.RandomState(0)
    for name in ("tr", "va", "te"):
        lines = [
            " ".join([
                str(random.randint(2)),
                *(f"{10 * field + random.randint(10)}:{random.rand():.3f}" for field in range(6)),
            ])
            for _ in range(300)
        ]  # fmt: skip
        (folder / f"{name}.libsvm").write_text("\n".join(lines) + "\n")


def make_translations(folder: pathlib.Path) -> None:
    """Sentences of the same words in two languages, and the words."""
    random = np.random.RandomState(0)
    words = "the king speaks and queen hears of war peace".split()
    for language in ("vi", "en"):
        (folder / f"vocab.{language}").write_text("\n".join(["<unk>", "<s>", "</s>", *words]))
        for name in ("train", "dev", "test"):
            lines = [" ".join(random.choice(words, random.randint(3, 8))) for _ in range(200)]
            (folder / f"{name}.{language}").write_text("\n".join(lines) + "\n")
