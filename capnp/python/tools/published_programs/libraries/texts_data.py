"""Sentences for models of texts."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict, List

import numpy as np

_WORDS = "the king speaks and queen hears of war peace".split()


def _sentences(random: np.random.RandomState, count: int) -> List[str]:
    return [" ".join(random.choice(_WORDS, random.randint(3, 8))) for _ in range(count)]


def make_copied_sentences(folder: pathlib.Path) -> None:
    """data/toy_copy: sentences to be copied, and their words."""
    random = np.random.RandomState(0)
    for part in ("train", "dev", "test"):
        place = folder / "data/toy_copy" / part
        place.mkdir(parents=True)
        lines = "\n".join(_sentences(random, 128)) + "\n"
        for side in ("sources", "targets"):
            (place / f"{side}.txt").write_text(lines)
            (place / f"vocab.{side}.txt").write_text("\n".join(_WORDS) + "\n")


def make_sentiments(folder: pathlib.Path) -> None:
    """data: sentences with a good or a bad word, and which it is."""
    random = np.random.RandomState(0)
    (folder / "data/yelp").mkdir(parents=True)
    for part in ("train", "dev", "test"):
        kinds = random.randint(2, size=128)
        lines = [
            f"{line} {('boring', 'great')[kind]}"
            for line, kind in zip(_sentences(random, 128), kinds)
        ]
        for start, labels in (
            (f"sst2.{part}.sentences.txt", f"sst2.{part}.labels.txt"),
            (f"yelp/sentiment.{part}.text", f"yelp/sentiment.{part}.labels"),
        ):
            (folder / "data" / start).write_text("\n".join(lines) + "\n")
            (folder / "data" / labels).write_text("\n".join(map(str, kinds)) + "\n")
    for name in ("sst2.vocab", "yelp/vocab"):
        (folder / "data" / name).write_text("\n".join([*_WORDS, "great", "boring"]) + "\n")


def make_words_of_ptb(folder: pathlib.Path) -> None:
    """data/ptb/vocab.txt: the words of the language."""
    words = {word for line in (folder / "data/ptb/train.txt").read_text().split("\n")
             for word in line.split()}  # fmt: skip
    (folder / "data/ptb/vocab.txt").write_text("\n".join(sorted(words)) + "\n")


def make_folder_of_seqgan(folder: pathlib.Path) -> None:
    """The folder into which the program logs, and which another program makes."""
    (folder / "ptb_log.small").mkdir()


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "copied sentences": make_copied_sentences,
    "folder of seqgan": make_folder_of_seqgan,
    "sentiments": make_sentiments,
    "words of ptb": make_words_of_ptb,
}
