"""What NVIDIA's models read."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import numpy as np

_SLICES = {"train-volume": 256, "train-labels": 2, "test-volume": 256}


def make_slices(folder: pathlib.Path) -> None:
    """slices: files of several pictures each, of cells and of where their membranes are."""
    from PIL import Image

    random = np.random.RandomState(0)
    (folder / "slices").mkdir()
    for name, levels in _SLICES.items():
        pixels = random.randint(0, levels, (5, 64, 64)) * (255 // (levels - 1))
        first, *others = [Image.fromarray(each.astype(np.uint8)) for each in pixels]
        first.save(folder / f"slices/{name}.tif", save_all=True, append_images=others)


def make_surfaces(folder: pathlib.Path) -> None:
    """surfaces: pictures of the first class of DAGM 2007, and where they have a defect."""
    from PIL import Image

    random = np.random.RandomState(0)
    for part in ("Train", "Test"):
        place = folder / f"surfaces/raw_images/private/Class1/{part}"
        (place / "Label").mkdir(parents=True)
        rows = ["image_filepath,label_filepath,is_defective"]
        for index in range(6):
            pixels = random.randint(0, 256, (64, 64)).astype(np.uint8)
            Image.fromarray(pixels).save(place / f"{index:04}.PNG")
            label = f"{index:04}_label.PNG" if index % 2 else ""
            if label:
                mask = (255 * (pixels > 128)).astype(np.uint8)
                Image.fromarray(mask).save(place / "Label" / label)
            rows.append(f"{index:04}.PNG,{label},{index % 2}")
        (place.parent / f"{part.lower()}_list.csv").write_text("\n".join(rows) + "\n")


def make_ratings(folder: pathlib.Path) -> None:
    """Who rated what, as the file of MovieLens, and as tables without the last column."""
    import pandas

    random = np.random.RandomState(0)
    place = folder / "ml-20m/extracted/ml-20m"
    place.mkdir(parents=True)
    rows = [(user, item, random.randint(3, 6) if item > user % 3 else 5, 0)
            for user in range(60) for item in random.choice(120, 12, replace=False)]  # fmt: skip
    table = pandas.DataFrame(rows, columns=["userId", "movieId", "rating", "timestamp"])
    table.to_csv(place / "ratings.csv", index=False)
    pairs = table[["userId", "movieId"]]
    is_last = pairs["userId"].duplicated(keep="last").map(lambda known: not known)
    pairs[~is_last].to_pickle(folder / "train_ratings.pickle")
    pairs[is_last].to_pickle(folder / "test_ratings.pickle")


def make_tagged_words(folder: pathlib.Path) -> None:
    """Words with the tags of diseases, a sentence after an empty line."""
    random = np.random.RandomState(0)
    words = ["a", "bat", "cog", "fun", "dill"]
    for part in ("train", "devel", "test"):
        lines = []
        for _ in range(16):
            lines += [f"{word}\t{'B' if word == 'fun' else 'O'}" for word in
                      random.choice(words, 6)] + [""]  # fmt: skip
        (folder / f"{part}.tsv").write_text("\n".join(lines) + "\n")


_VOLUMES = '''
"""Makes files with a volume each, and with the classes of its parts."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(0)


def numbers(values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def raw(values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[values.tobytes()]))


for index in range(3):
    volume = random.randint(0, 256, (48, 48, 40, 4)).astype(np.uint8)
    features = {"X": raw(volume), "Y": raw(volume[..., 0] // 64), "mean": numbers([127.0] * 4),
                "stdev": numbers([70.0] * 4)}
    example = tf.train.Example(features=tf.train.Features(feature=features))
    with tf.python_io.TFRecordWriter(f"volumes/volume-{index}.tfrecords") as writer:
        writer.write(example.SerializeToString())
'''


def make_volumes(folder: pathlib.Path) -> None:
    """A program that makes the files of volumes."""
    (folder / "volumes").mkdir()
    (folder / "make_volumes.py").write_text(_VOLUMES.lstrip())


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "ratings": make_ratings,
    "slices": make_slices,
    "surfaces": make_surfaces,
    "tagged words": make_tagged_words,
    "volumes": make_volumes,
}
