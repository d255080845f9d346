"""Synthetic data of the programs of `various`."""

from __future__ import annotations

import pathlib
import pickle
import wave
from typing import Callable, Dict

import numpy as np


def make_parameters_of_an_lstm(folder: pathlib.Path) -> None:
    """save/target_params.pkl: embeddings of 50 words, four gates, and an output."""
    random = np.random.RandomState(0)
    gate = [(32, 32), (32, 32), (32,)]
    shapes = [(50, 32), *gate * 4, (32, 50), (50,)]
    (folder / "save").mkdir()
    parameters = [random.randn(*shape).astype(np.float32) for shape in shapes]
    (folder / "save/target_params.pkl").write_bytes(pickle.dumps(parameters))


def make_purchases(folder: pathlib.Path) -> None:
    """dataset.pkl: what users have bought and what they see next."""
    random = np.random.RandomState(0)
    users, items, kinds = 40, 120, 5
    train, test = [], []
    for user in range(users):
        bought = random.randint(items, size=6).tolist()
        for end in range(1, 5):
            train.append((user, bought[:end], bought[end], 1))
            train.append((user, bought[:end], int(random.randint(items)), 0))
        test.append((user, bought[:5], (bought[5], int(random.randint(items)))))
    with open(folder / "dataset.pkl", "wb") as file:
        for part in (train, test, random.randint(kinds, size=items).astype(np.int32)):
            pickle.dump(part, file)
        pickle.dump((users, items, kinds), file)


def make_folder_of_saves(folder: pathlib.Path) -> None:
    (folder / "save_path").mkdir()


def make_small_pictures_in_a_folder(folder: pathlib.Path) -> None:
    """The batches of CIFAR-10 of eight pictures each, beside an archive that is empty."""
    random = np.random.RandomState(0)
    place = folder / "cifar10_data/cifar-10-batches-py"
    place.mkdir(parents=True)
    (folder / "cifar10_data/cifar-10-python.tar.gz").write_bytes(b"")
    for name in [*(f"data_batch_{index}" for index in range(1, 6)), "test_batch"]:
        pictures = random.randint(256, size=(8, 3072)).astype(np.uint8)
        batch = {"data": pictures, "labels": random.randint(10, size=8).tolist()}
        (place / name).write_bytes(pickle.dumps(batch))


def make_list_of_pictures(folder: pathlib.Path) -> None:
    """list.txt: names of pictures, each with its class."""
    from PIL import Image

    random = np.random.RandomState(0)
    lines = []
    for index in range(6):
        pixels = random.randint(256, size=(240 + index, 250, 3)).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{index}.jpg")
        lines.append(f"{index}.jpg {index % 4}\n")
    (folder / "list.txt").write_text("".join(lines))


def make_sentence_aloud(folder: pathlib.Path) -> None:
    """Half a second of noise, with the words of it."""
    noise = np.random.RandomState(0).randint(-9000, 9000, size=8000).astype(np.int16)
    with wave.open(str(folder / "LDC93S1.wav"), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(noise.tobytes())
    text = "0 46797 She had your dark suit in greasy wash water.\n"
    (folder / "LDC93S1.txt").write_text(f"{text:>62}")


def make_word_vectors(folder: pathlib.Path) -> None:
    """Sentences with a tag for each word, and vectors of eight numbers for the words."""
    random = np.random.RandomState(0)
    (folder / "data/glove.6B").mkdir(parents=True)
    words = "the king speaks and queen hears of war".split()
    vectors = [" ".join([word, *(f"{x:.3f}" for x in random.randn(8))]) for word in words]
    (folder / "data/glove.6B/glove.6B.8d.txt").write_text("\n".join(vectors) + "\n")
    lines = []
    for _ in range(50):
        for word in random.choice(words, random.randint(3, 8)):
            lines.append(f"{word.title()} {'B-PER' if word in ('king', 'queen') else 'O'}")
        lines.append("")
    (folder / "data/test.txt").write_text("\n".join(lines) + "\n")


def make_likes(folder: pathlib.Path) -> None:
    """likes: the numbers of users and of what they like."""
    random = np.random.RandomState(0)
    (folder / "likes").mkdir()
    for name, count in (("train", 8), ("test", 3)):
        rows = [
            " ".join(map(str, [user, *random.choice(30, count, replace=False)]))
            for user in range(20)
        ]
        (folder / f"likes/{name}.txt").write_text("\n".join(rows) + "\n")


def make_annotations(folder: pathlib.Path) -> None:
    """data/my_data: lists of pictures with their sizes, and classes and corners on them."""
    from PIL import Image

    random = np.random.RandomState(0)
    (folder / "data/my_data").mkdir(parents=True)
    (folder / "checkpoint").mkdir()
    for name in ("train", "val"):
        lines = []
        for index in range(4):
            path = f"data/my_data/{name}{index}.jpg"
            pixels = random.randint(256, size=(100, 120, 3)).astype(np.uint8)
            Image.fromarray(pixels).save(folder / path)
            lines.append(f"{index} {path} 120 100 3 10 10 60 70 5 20 30 90 80\n")
        (folder / f"data/my_data/{name}.txt").write_text("".join(lines))


def make_photographs(folder: pathlib.Path) -> None:
    """Pictures with what is on them: as in Pascal VOC, and as lines with corners and a word."""
    from PIL import Image

    random = np.random.RandomState(0)
    place = folder / "photographs"
    for each in (place / "Annotations", place / "JPEGImages", folder / "records"):
        each.mkdir(parents=True)
    for index in range(6):
        pixels = random.randint(256, size=(200, 240, 3)).astype(np.uint8)
        for path in (place / f"{index}.jpg", place / f"JPEGImages/{index}.jpg"):
            Image.fromarray(pixels).save(path)
        (place / f"{index}.txt").write_text("20,20,180,20,180,90,20,90,word\n")
        sizes = "<size><width>240</width><height>200</height><depth>3</depth></size>"
        box = "<xmin>20</xmin><ymin>20</ymin><xmax>180</xmax><ymax>90</ymax>"
        thing = f"<object><name>dog</name><bndbox>{box}</bndbox></object>"
        text = f"<annotation>{sizes}{thing}</annotation>"
        (place / f"Annotations/{index}.xml").write_text(text)


def make_narrow_network(folder: pathlib.Path) -> None:
    """vgg.mat: the layers of VGG-19 of few channels, as MatConvNet has them."""
    import scipy.io

    random = np.random.RandomState(0)
    (folder / "saved").mkdir()
    layers, channels = [], 3
    for block, count in enumerate((2, 2, 4, 4, 4)):
        for _ in range(count):
            weights = np.empty(2, object)
            weights[0] = random.randn(3, 3, channels, 4).astype(np.float32) / 5
            weights[1] = np.zeros((1, 4), np.float32)
            layers += [{"weights": weights}, {"type": "relu"}]
            channels = 4
        layers.append({"type": "pool"})
    table = np.empty(len(layers), object)
    table[:] = layers
    mean = np.full((224, 224, 3), 120.0)
    scipy.io.savemat(
        folder / "vgg.mat", {"layers": table, "normalization": {"averageImage": mean}}
    )


_RECORDS = '''
"""Writes files of records with pictures of 16 rows."""

import os

import numpy as np
import tensorflow as tf

for name in ("train", "validation"):
    os.makedirs(f"records/{name}")
    with tf.python_io.TFRecordWriter(
        f"records/{name}/{name}-r04-s-0000-of-0001.tfrecords"
    ) as writer:
        for index in range(10):
            pixels = np.random.RandomState(index).randint(256, size=768).astype(np.uint8)
            features = {
                "shape": tf.train.Feature(int64_list=tf.train.Int64List(value=[16, 16, 3])),
                "data": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels.tobytes()])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[0])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())
'''


def make_small_records(folder: pathlib.Path) -> None:
    (folder / "make_records.py").write_text(_RECORDS.lstrip())


def make_speech(folder: pathlib.Path) -> None:
    """speech: noise of half a second and more in each of eight files, with what is said."""
    random = np.random.RandomState(0)
    (folder / "speech/wavs").mkdir(parents=True)
    lines = []
    for index in range(8):
        with wave.open(str(folder / f"speech/wavs/{index}.wav"), "wb") as file:
            file.setparams((1, 2, 22050, 0, "NONE", ""))
            noise = random.randint(-9000, 9000, size=11000 + 1000 * index)
            file.writeframes(noise.astype(np.int16).tobytes())
        lines.append(f"{index}|x|the king speaks{' again' * index}\n")
    (folder / "speech/transcript.csv").write_text("".join(lines))


def make_films(folder: pathlib.Path) -> None:
    """data: what is said in films, and who answers, as in the corpus of Cornell."""
    random = np.random.RandomState(0)
    words = ("hello", "you", "are", "my", "friend", "no", "king", "well", ".", "?")
    lines, conversations = [], []
    for index in range(80):
        ids = [f"L{2 * index + side}" for side in (0, 1)]
        for name in ids:
            said = " ".join(random.choice(words, random.randint(2, 7)))
            lines.append(" +++$+++ ".join([name, "u0", "m0", "A", said]) + "\n")
        conversations.append(" +++$+++ ".join(["u0", "u1", "m0", str(ids)]) + "\n")
    place = folder / "data/cornell movie-dialogs corpus"
    place.mkdir(parents=True)
    (place / "movie_lines.txt").write_text("".join(lines))
    (place / "movie_conversations.txt").write_text("".join(conversations))


def make_questions_and_answers(folder: pathlib.Path) -> None:
    """datasets/twitter: numbers of words, and the words; ckpt/twitter for checkpoints."""
    random = np.random.RandomState(0)
    place = folder / "datasets/twitter"
    place.mkdir(parents=True)
    (folder / "ckpt/twitter").mkdir(parents=True)
    for name in ("idx_q", "idx_a"):
        np.save(place / f"{name}.npy", random.randint(20, size=(240, 5)).astype(np.int32))
    words = [f"word{index}" for index in range(20)]
    (place / "metadata.pkl").write_bytes(pickle.dumps({"idx2w": words}))


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "annotations": make_annotations,
    "films": make_films,
    "folder of saves": make_folder_of_saves,
    "likes": make_likes,
    "list of pictures": make_list_of_pictures,
    "narrow network": make_narrow_network,
    "parameters of an LSTM": make_parameters_of_an_lstm,
    "photographs": make_photographs,
    "purchases": make_purchases,
    "questions and answers": make_questions_and_answers,
    "sentence aloud": make_sentence_aloud,
    "small pictures in a folder": make_small_pictures_in_a_folder,
    "small records": make_small_records,
    "speech": make_speech,
    "word vectors": make_word_vectors,
}
