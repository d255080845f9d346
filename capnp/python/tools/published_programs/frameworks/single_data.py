"""What the programs of one model each read."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import numpy as np


def make_factors(folder: pathlib.Path) -> None:
    """data/small: lines of a label and the numbers of what is there, as LibFM reads them."""
    random = np.random.RandomState(0)
    place = folder / "data/small"
    place.mkdir(parents=True)
    (folder / "pretrain/small_8").mkdir(parents=True)
    for part, count in (("train", 64), ("validation", 32), ("test", 32)):
        lines = []
        for _ in range(count):
            fields = [f"{10 * field + random.randint(4)}:1" for field in range(5)]
            lines.append(" ".join([str(random.choice([-1, 1])), *fields]) + "\n")
        (place / f"small.{part}.libfm").write_text("".join(lines))


def make_shuffled_news(folder: pathlib.Path) -> None:
    """words: the first of a hundred files of sentences, and empty ones."""
    random = np.random.RandomState(0)
    place = folder / "words/training-monolingual.tokenized.shuffled"
    place.mkdir(parents=True)
    for index in range(1, 100):
        lines = ["".join(random.choice(list("the king"), 20)) + "\n" for _ in range(40)]
        text = "".join(lines) if index == 1 else ""
        (place / f"news.en-{index:05}-of-00100").write_text(text)


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "factors": make_factors,
    "shuffled news": make_shuffled_news,
}
