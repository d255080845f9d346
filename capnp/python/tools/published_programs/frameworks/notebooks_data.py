"""The tables that notebooks of tutorials read, all in the folder data."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, Iterable, Sequence

import numpy as np


def _write(folder: pathlib.Path, name: str, rows: Iterable[Sequence[Any]], line: str = "") -> None:
    text = "".join(",".join(str(each) for each in row) + "\n" for row in rows)
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / name).write_text(line + text)


def _pairs(folder: pathlib.Path, has_classes: bool) -> None:
    """Two numbers and two kinds, and what is made of them."""
    random = np.random.RandomState(0)
    for name, count in (("train", 200), ("valid", 60), ("test", 60)):
        rows = []
        for index in range(count):
            x, y = random.uniform(-1, 1, 2).round(4)
            kinds = [f"{kind}{random.randint(1, 3):02}" for kind in ("ax", "bx")]
            target = 50 * x * y + (10 if kinds[0] == "ax01" else -10)
            made = ("negative", "positive")[int(target > 0)] if has_classes else round(target, 3)
            rows.append([index, x, y, *kinds, made])
        _write(folder, f"{name}-data.csv", rows)


def make_pairs_with_targets(folder: pathlib.Path) -> None:
    _pairs(folder, has_classes=False)
    (folder / "data/new-data.json").write_text(
        '{"x": 1.3, "y": -0.5, "alpha": "ax01", "beta": "bx02"}\n'
    )
    random = np.random.RandomState(0)
    rows = random.uniform(0, 10, size=(120, 14)).round(3).tolist()
    for row in rows:
        row[3], row[8], row[9] = int(row[3] > 5), int(row[8]), 100 * int(row[9])
    _write(folder, "housingdata.csv", rows)


def make_pairs_with_classes(folder: pathlib.Path) -> None:
    _pairs(folder, has_classes=True)


def make_points(folder: pathlib.Path) -> None:
    """Points about one of five centres each, by number."""
    random = np.random.RandomState(0)
    centres = random.uniform(-10, 10, size=(5, 3))
    for name, count in (("train", 200), ("test", 60)):
        which = random.randint(5, size=count)
        points = (centres[which] + random.randn(count, 3)).round(4).tolist()
        _write(folder, f"{name}-data.csv", [
            [index, *point, number] for index, (point, number) in enumerate(zip(points, which))
        ])  # fmt: skip


def make_series(folder: pathlib.Path) -> None:
    """A wave at times 0 to 499, and the next 300."""
    for name, begin, end in (("train", 0, 500), ("test", 500, 800)):
        rows = [[time, round(float(np.sin(time / 8)), 5)] for time in range(begin, end)]
        _write(folder, f"{name}-data.csv", rows, "time_index,value\n")


def make_wide_table(folder: pathlib.Path) -> None:
    """Numbers of 64 columns, and one of four classes."""
    random = np.random.RandomState(0)
    rows = [[index, *random.randn(64).round(4), random.randint(4)] for index in range(120)]
    _write(folder, "data-01.csv", rows)


def make_messages(folder: pathlib.Path) -> None:
    """Short messages, of which some are not wanted; the words, and their number."""
    random = np.random.RandomState(0)
    words = ("hello", "you", "are", "my", "friend", "win", "money", "now", "call", "well")
    place = folder / "data/sms-spam"
    place.mkdir(parents=True)
    for name, count in (("train", 200), ("valid", 60)):
        lines = []
        for _ in range(count):
            said = random.choice(words, random.randint(3, 9))
            lines.append(f"{'spam' if 'money' in said else 'ham'}\t{' '.join(said)}\n")
        (place / f"{name}-data.tsv").write_text("".join(lines))
    (place / "vocab_list.tsv").write_text("\n".join(["#=KS=#", *words]) + "\n")
    (place / "n_words.tsv").write_text(str(len(words) + 1))


def make_films_liked_and_not(folder: pathlib.Path) -> None:
    """data/IMDB: what was written of films, in a folder for each opinion."""
    random = np.random.RandomState(0)
    words = ("film", "it", "was", "the", "actors", "story", "long", "this", "is", "a")
    opinions = {"pos": ("good", "great", "fantastic"), "neg": ("bad", "horrible", "worst")}
    for part in ("train", "test"):
        for kind, own in opinions.items():
            place = folder / "data/IMDB/aclImdb" / part / kind
            place.mkdir(parents=True)
            for index in range(40):
                text = " ".join(random.choice(words + own, 20))
                (place / f"{index}.txt").write_text(text)


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "films liked and not": make_films_liked_and_not,
    "messages": make_messages,
    "pairs with classes": make_pairs_with_classes,
    "pairs with targets": make_pairs_with_targets,
    "points about centres": make_points,
    "series": make_series,
    "wide table": make_wide_table,
}
