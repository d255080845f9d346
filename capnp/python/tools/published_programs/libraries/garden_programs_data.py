"""Data of more programs of tensorflow/models."""

from __future__ import annotations

import json
import pathlib
from typing import Callable, Dict

import numpy as np

_RECORDS = '''
"""Writes records of examples: {name: one or several numbers, or bytes}."""

import os

import numpy as np
import tensorflow as tf


def write(path, rows):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with tf.python_io.TFRecordWriter(path) as writer:
        for row in rows:
            features = {}
            for name, value in row.items():
                if isinstance(value, bytes):
                    feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
                else:
                    numbers = tf.train.Int64List(value=np.ravel(value).tolist())
                    feature = tf.train.Feature(int64_list=numbers)
                features[name] = feature
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())
'''

_DIGITS = '''
"""The records of slim with digits, which are noise."""

import numpy as np
import tensorflow as tf

from records import write

random = np.random.RandomState(0)
picture = tf.placeholder(tf.uint8, [28, 28, 1])
encoded = tf.image.encode_png(picture)
with tf.Session() as session:
    for split in ("train", "test"):
        write(f"digits/mnist_{split}.tfrecord", [
            {
                "image/encoded": session.run(
                    encoded, {picture: random.randint(0, 256, size=(28, 28, 1))}),
                "image/format": b"png", "image/class/label": index % 10,
                "image/height": 28, "image/width": 28,
            }
            for index in range(20)
        ])
open("digits/labels.txt", "w").write("".join(f"{kind}:{kind}\\n" for kind in range(10)))
'''

_SCENES = '''
"""Records of small pictures."""

import numpy as np

from records import write

random = np.random.RandomState(0)
write("scenes.tfrecords", [
    {"image_raw": random.randint(256, size=(8, 8, 3)).astype(np.uint8).tobytes()}
    for _ in range(20)
])
'''

_TRANSLATIONS = '''
"""Records of translations, as numbers of words, and the words."""

import numpy as np

from records import write

random = np.random.RandomState(0)
for split, shards in (("train", 2), ("dev", 1)):
    for shard in range(shards):
        rows = []
        for _ in range(40):
            numbers = [*random.randint(2, 20, size=random.randint(3, 8)), 1]
            rows.append({"inputs": numbers, "targets": numbers})
        write(f"records/wmt32k-{split}-{shard + 1:05d}-of-{shards:05d}", rows)
words = ["<pad>", "<EOS>", *"abcdefghijklmnopqrstuvwxyz", "_"]
open("records/vocab.txt", "w").write("".join(f"'{word}'\\n" for word in words))
'''


def _write(folder: pathlib.Path, **programs: str) -> None:
    for name, text in {"records": _RECORDS, **programs}.items():
        (folder / f"{name}.py").write_text(text.lstrip())


def make_digits_of_slim(folder: pathlib.Path) -> None:
    _write(folder, make_digits=_DIGITS)


def make_small_scenes(folder: pathlib.Path) -> None:
    _write(folder, make_scenes=_SCENES)


def make_translated_records(folder: pathlib.Path) -> None:
    _write(folder, make_translations=_TRANSLATIONS)


def make_folder_of_codes(folder: pathlib.Path) -> None:
    """The folder into which a program writes codes."""
    (folder / "codes").mkdir()


def make_irises(folder: pathlib.Path) -> None:
    """iris_training.csv and iris_test.csv: sizes of flowers, and their kinds."""
    random = np.random.RandomState(0)
    for name, count in (("training", 120), ("test", 30)):
        kinds = random.randint(3, size=count)
        sizes = 1.0 + 2.0 * kinds[:, None] + random.rand(count, 4)
        lines = [f"{count},4,setosa,versicolor,virginica"]
        for row, kind in zip(sizes, kinds):
            lines.append(",".join([*(f"{each:.1f}" for each in row), str(kind)]))
        (folder / f"iris_{name}.csv").write_text("\n".join(lines) + "\n")


def make_drawings(folder: pathlib.Path) -> None:
    """drawings: a line of JSON for each drawing, a file for each kind."""
    random = np.random.RandomState(0)
    (folder / "drawings").mkdir()
    (folder / "records").mkdir()
    for kind in ("cat", "dog", "sun"):
        lines = []
        for _ in range(40):
            drawing = [random.randint(256, size=(2, 5)).tolist() for _ in range(3)]
            lines.append(json.dumps({"word": kind, "drawing": drawing}))
        (folder / f"drawings/{kind}.ndjson").write_text("\n".join(lines) + "\n")


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "digits of slim": make_digits_of_slim,
    "drawings": make_drawings,
    "folder of codes": make_folder_of_codes,
    "irises": make_irises,
    "small scenes": make_small_scenes,
    "translated records": make_translated_records,
}
