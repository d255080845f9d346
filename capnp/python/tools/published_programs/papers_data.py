"""Data of the programs that came with papers."""

from __future__ import annotations

import json
import pathlib
import pickle
import struct
from typing import Callable, Dict

import numpy as np
from model_data import _field

_WORDS = ["the", "king", "speaks", "and", "queen", "hears", "of", "war", "peace", "now"]


def make_folder_of_models(folder: pathlib.Path) -> None:
    (folder / "model").mkdir()


def make_folder_of_records(folder: pathlib.Path) -> None:
    (folder / "records").mkdir()


def make_names(folder: pathlib.Path) -> None:
    """data/SmallNames.txt: names of children, and how often they were given."""
    (folder / "data").mkdir()
    rows = [("Mary", 9), ("Ida", 5), ("Bob", 7), ("Anna", 6), ("Emma", 4), ("Otto", 3)]
    text = "".join(f"{number},{name},1880,F,{count}\n" for number, (name, count) in enumerate(rows))
    (folder / "data/SmallNames.txt").write_text("Id,Name,Year,Gender,Count\n" + text)


def make_digits_among_strokes(folder: pathlib.Path) -> None:
    """Pictures of 40 by 40 with the number of what is on them."""
    random = np.random.RandomState(0)
    arrays = {}
    for part, count in (("train", 400), ("valid", 60), ("test", 60)):
        labels = random.randint(10, size=count)
        pictures = random.rand(count, 40, 40).astype(np.float32) / 4
        for picture, label in zip(pictures, labels):
            picture[:, 3 * label + 5 : 3 * label + 7] += 0.7
        arrays[f"X_{part}"] = pictures.reshape(count, 1600)
        arrays[f"y_{part}"] = labels[:, np.newaxis]
    place = folder / "data"
    place.mkdir()
    np.savez(place / "mnist_sequence1_sample_5distortions5x5.npz", **arrays)


def make_marked_articles(folder: pathlib.Path) -> None:
    """Articles with headlines, whose sentences are marked: Examples, the length of each before."""
    random = np.random.RandomState(0)
    marks = ["<s>", "</s>", "<p>", "</p>", "<d>", "</d>", "<UNK>", "<PAD>"]
    (folder / "vocab").write_text("".join(f"{word} 10\n" for word in [*_WORDS, ".", *marks]))
    found = b""
    for _ in range(40):
        sentences = [f"<s> {' '.join(random.choice(_WORDS, 8))} . </s>" for _ in range(3)]
        texts = {
            "article": f"<d> <p> {' '.join(sentences[:2])} </p> </d>",
            "headline": f"<d> <p> {sentences[2]} </p> </d>",
        }
        features = b"".join(
            _field(1, _field(1, key.encode()) + _field(2, _field(1, _field(1, text.encode()))))
            for key, text in texts.items()
        )
        example = _field(1, features)
        found += struct.pack("q", len(example)) + example
    (folder / "train_000.bin").write_bytes(found)


def make_opinions(folder: pathlib.Path) -> None:
    """opinions: good and bad texts, and some of which nothing is known, a file each."""
    random = np.random.RandomState(0)
    for part in ("train/pos", "train/neg", "train/unsup", "test/pos", "test/neg"):
        place = folder / "opinions" / part
        place.mkdir(parents=True)
        mood = ["fine", "great"] if part.endswith("pos") else ["bad", "awful"]
        for number in range(24):
            text = " ".join(random.choice([*_WORDS, *mood], 12))
            (place / f"{number}_7.txt").write_text(text + " .")


def make_stories_in_order(folder: pathlib.Path) -> None:
    """stories.txt: sentences that follow each other, a line each."""
    random = np.random.RandomState(0)
    lines = (" ".join(random.choice(_WORDS, random.randint(4, 9))) for _ in range(200))
    (folder / "stories.txt").write_text("".join(f"{line} .\n" for line in lines))


_CAPTIONS = '''
"""Pictures with a sentence of numbers of words, as records of SequenceExamples."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.slim.nets import inception

random = np.random.RandomState(0)
picture = tf.placeholder(tf.uint8, [None, None, 3])
encoded = tf.image.encode_jpeg(picture)
with tf.Session() as session:
    for split in ("train", "val"):
        with tf.python_io.TFRecordWriter(f"{split}-00000-of-00001") as writer:
            for _ in range(16):
                pixels = random.randint(0, 256, size=(60, 80, 3))
                example = tf.train.SequenceExample()
                image = example.context.feature["image/data"].bytes_list.value
                image.append(session.run(encoded, {picture: pixels}))
                words = example.feature_lists.feature_list["image/caption_ids"].feature
                for word in random.randint(1, 12, size=random.randint(4, 9)):
                    words.add().int64_list.value.append(int(word))
                writer.write(example.SerializeToString())

# The network that sees the pictures comes from a checkpoint.
with tf.Graph().as_default(), tf.Session() as session:
    with tf.contrib.slim.arg_scope(inception.inception_v3_arg_scope()):
        inception.inception_v3_base(tf.zeros([1, 151, 151, 3]), scope="InceptionV3")
    session.run(tf.global_variables_initializer())
    tf.train.Saver().save(session, "./first.ckpt")
'''

_PUSHES = '''
"""Series of pictures of what an arm pushes, with its places, as records of Examples."""

import os

import numpy as np
import tensorflow as tf

random = np.random.RandomState(0)
picture = tf.placeholder(tf.uint8, [None, None, 3])
encoded = tf.image.encode_jpeg(picture)
os.makedirs("pushes")
with tf.Session() as session:
    for part in range(4):
        with tf.python_io.TFRecordWriter(f"pushes/{part}.tfrecord") as writer:
            for _ in range(2):
                example = tf.train.Example()
                feature = example.features.feature
                for step in range(4):
                    jpeg = session.run(encoded, {picture: random.randint(0, 256, (64, 80, 3))})
                    feature[f"move/{step}/image/encoded"].bytes_list.value.append(jpeg)
                    for name in ("commanded_pose", "endeffector"):
                        values = feature[f"move/{step}/{name}/vec_pitch_yaw"].float_list.value
                        values.extend(random.rand(5))
                writer.write(example.SerializeToString())
'''


def make_captions(folder: pathlib.Path) -> None:
    (folder / "make_captions.py").write_text(_CAPTIONS.lstrip())


def make_pushes(folder: pathlib.Path) -> None:
    (folder / "make_pushes.py").write_text(_PUSHES.lstrip())


def make_segments(folder: pathlib.Path) -> None:
    """voc: photographs, and for each pixel of them what it is of."""
    from PIL import Image

    random = np.random.RandomState(0)
    for name in ("photos", "kinds", "lists"):
        (folder / "voc" / name).mkdir(parents=True)
    for part, count in (("train", 6), ("val", 3)):
        names = [f"{part}{number}" for number in range(count)]
        for name in names:
            pixels = random.randint(0, 256, size=(48, 64, 3)).astype(np.uint8)
            Image.fromarray(pixels).save(folder / f"voc/photos/{name}.jpg")
            kinds = np.repeat(random.randint(0, 3, size=(48, 8)).astype(np.uint8), 8, axis=1)
            Image.fromarray(kinds).save(folder / f"voc/kinds/{name}.png")
        (folder / f"voc/lists/{part}.txt").write_text("".join(f"{name}\n" for name in names))


def make_letters_of_alphabets(folder: pathlib.Path) -> None:
    """train_omni.pkl and test_omni.pkl: twenty pictures of each of some letters."""
    random = np.random.RandomState(0)
    for part, letters in (("train", range(24)), ("test", range(24, 48))):
        labels = np.repeat(list(letters), 20)
        pictures = random.rand(len(labels), 28, 28).astype(np.float32)
        with open(folder / f"{part}_omni.pkl", "wb") as file:
            pickle.dump({"images": pictures, "labels": labels}, file)


def make_asked_and_answered(folder: pathlib.Path) -> None:
    """squad: texts with questions and where their answers are; glove: vectors of the words."""
    random = np.random.RandomState(0)
    for name in ("squad", "glove", "prepared"):
        (folder / name).mkdir()
    vectors = (f"{word} {' '.join(f'{each:.3f}' for each in random.rand(8))}" for word in _WORDS)
    (folder / "glove/glove.6B.8d.txt").write_text("".join(f"{line}\n" for line in vectors))
    for part, count in (("train", 12), ("dev", 4)):
        articles = []
        for number in range(count):
            words = list(random.choice(_WORDS, 12))
            place = len(" ".join(words[:4])) + 1
            asked = {
                "id": f"{part}{number}", "question": f"who {words[3]} ?",
                "answers": [{"text": words[4], "answer_start": place}],
            }  # fmt: skip
            articles.append({"paragraphs": [{"context": " ".join(words), "qas": [asked]}]})
        found = json.dumps({"version": "1.1", "data": articles})
        (folder / f"squad/{part}-v1.1.json").write_text(found)


_ATTRIBUTES = '''
"""Dicts whose values are attributes."""


class AttrDict(dict):
    __getattr__, __setattr__ = dict.__getitem__, dict.__setitem__
'''


def make_sayings(folder: pathlib.Path) -> None:
    """train.csv and dev.csv: files of noise, and what is said in them; modules for a decoder."""
    import wave

    random = np.random.RandomState(0)
    for part, count in (("train", 4), ("dev", 2)):
        rows = ["wav_filename,wav_filesize,transcript"]
        for number in range(count):
            path = folder / f"{part}{number}.wav"
            with wave.open(str(path), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(16000)
                noise = random.randint(-9000, 9000, size=12000 + 800 * number)
                file.writeframes(noise.astype("<i2").tobytes())
            rows.append(f"{path.name},{path.stat().st_size},{' '.join(random.choice(_WORDS, 2))}")
        (folder / f"{part}.csv").write_text("\n".join(rows) + "\n")
    (folder / "attrdict.py").write_text(_ATTRIBUTES.lstrip())
    for name in ("VERSION", "GRAPH_VERSION"):
        (folder / name).write_text("1\n")
    # What searches the best words is only called by tests and single files.
    (folder / "ds_ctcdecoder.py").write_text(
        "ctc_beam_search_decoder = ctc_beam_search_decoder_batch = Scorer = None\n"
    )


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "asked and answered": make_asked_and_answered,
    "captions": make_captions,
    "digits among strokes": make_digits_among_strokes,
    "folder of models": make_folder_of_models,
    "folder of records": make_folder_of_records,
    "letters of alphabets": make_letters_of_alphabets,
    "marked articles": make_marked_articles,
    "names": make_names,
    "opinions": make_opinions,
    "pushes": make_pushes,
    "sayings": make_sayings,
    "segments": make_segments,
    "stories in order": make_stories_in_order,
}
