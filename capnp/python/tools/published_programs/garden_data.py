"""Data of the programs of tensorflow/models, and of others like them."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import numpy as np

# A program that writes the records which others read.
_FLOWERS = '''
"""Photographs of flowers with their kinds, as the records of slim."""

import os

import numpy as np
import tensorflow as tf

random = np.random.RandomState(0)
picture = tf.placeholder(tf.uint8, [None, None, 3])
encoded = tf.image.encode_jpeg(picture)
os.makedirs("flowers")
open("flowers/labels.txt", "w").write("".join(f"{kind}:kind{kind}\\n" for kind in range(5)))
with tf.Session() as session:
    for split in ("train", "validation"):
        name = f"flowers/flowers_{split}_00000-of-00001.tfrecord"
        with tf.python_io.TFRecordWriter(name) as writer:
            for index in range(20):
                pixels = random.randint(0, 256, size=(40, 48, 3))
                jpeg = session.run(encoded, {picture: pixels})
                of_bytes = lambda value: tf.train.Feature(
                    bytes_list=tf.train.BytesList(value=[value]))
                of_int = lambda value: tf.train.Feature(
                    int64_list=tf.train.Int64List(value=[value]))
                feature = {
                    "image/encoded": of_bytes(jpeg), "image/format": of_bytes(b"jpg"),
                    "image/class/label": of_int(index % 5),
                    "image/height": of_int(40), "image/width": of_int(48),
                }
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())
'''

_KINDS = {
    "workclass": ["Private", "State-gov", "Self-emp-inc"],
    "education": ["Bachelors", "HS-grad", "Masters"],
    "marital_status": ["Never-married", "Divorced", "Married-civ-spouse"],
    "occupation": ["Tech-support", "Sales", "Exec-managerial"],
    "relationship": ["Husband", "Wife", "Unmarried"],
    "race": ["White", "Black", "Other"],
    "gender": ["Male", "Female"],
    "native_country": ["United-States", "Cuba", "India"],
}


def make_flowers(folder: pathlib.Path) -> None:
    (folder / "make_flowers.py").write_text(_FLOWERS.lstrip())


def make_incomes(folder: pathlib.Path) -> None:
    """adult.data and adult.test: people, and whether they earn much; with spaces as .csv."""
    random = np.random.RandomState(0)
    for name, count in (("data", 200), ("test", 80)):
        rows = []
        for _ in range(count):
            kinds = {key: random.choice(values) for key, values in _KINDS.items()}
            age, education = random.randint(18, 80), random.randint(1, 16)
            rows.append([
                str(age), kinds["workclass"], str(random.randint(20000, 200000)),
                kinds["education"], str(education), kinds["marital_status"], kinds["occupation"],
                kinds["relationship"], kinds["race"], kinds["gender"], str(random.randint(5000)),
                "0", str(random.randint(10, 60)), kinds["native_country"],
                ">50K" if education + age / 10 > 12 else "<=50K",
            ])  # fmt: skip
        for end, between in (("", ","), (".csv", ", ")):
            text = "".join(between.join(row) + "\n" for row in rows)
            (folder / f"adult.{name}{end}").write_text(text)


def make_binary_pictures(folder: pathlib.Path) -> None:
    """cifar-10-batches-bin: labels and pictures, as bytes."""
    random = np.random.RandomState(0)
    place = folder / "cifar-10-batches-bin"
    place.mkdir()
    for name in (*(f"data_batch_{index}" for index in range(1, 6)), "test_batch"):
        rows = random.randint(0, 256, size=(40, 1 + 3072)).astype(np.uint8)
        rows[:, 0] %= 10
        (place / f"{name}.bin").write_bytes(rows.tobytes())


def make_sentences_of_letters(folder: pathlib.Path) -> None:
    """letters.txt with a sentence a line, and letters.vocab with its words."""
    random = np.random.RandomState(0)
    words = ["the", "king", "speaks", "and", "queen", "hears", "of", "war", "peace", "."]
    lines = [" ".join(random.choice(words, 9)) + "\n" for _ in range(200)]
    (folder / "letters.txt").write_text("".join(lines))
    (folder / "letters.vocab").write_text("\n".join(["<S>", "</S>", "<UNK>", *words]) + "\n")


def make_ranks(folder: pathlib.Path) -> None:
    """ranks.txt: for each of some questions documents, how well they answer, and features."""
    random = np.random.RandomState(0)
    lines = []
    for question in range(20):
        for _ in range(random.randint(2, 8)):
            values = random.rand(6)
            shown = " ".join(f"{1 + index}:{value:.3f}" for index, value in enumerate(values))
            lines.append(f"{int(3 * values[0])} qid:{question} {shown}\n")
    (folder / "ranks.txt").write_text("".join(lines))


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "binary pictures": make_binary_pictures,
    "flowers": make_flowers,
    "incomes": make_incomes,
    "ranks": make_ranks,
    "sentences of letters": make_sentences_of_letters,
}
