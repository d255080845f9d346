"""What programs of projects with several models read."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import numpy as np


def make_sketches(folder: pathlib.Path) -> None:
    """sheep.npz: drawings, each of steps of a pen and of whether it is lifted after them."""
    random = np.random.RandomState(0)
    parts = {}
    for part, count in (("train", 16), ("valid", 8), ("test", 8)):
        drawings = np.empty(count, object)
        for index in range(count):
            steps = random.randint(-20, 20, (random.randint(12, 20), 3))
            steps[:, 2] = random.rand(len(steps)) < 0.2
            drawings[index] = steps.astype(np.int16)
        parts[part] = drawings
    np.savez(folder / "sheep.npz", **parts)


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {"sketches": make_sketches}
