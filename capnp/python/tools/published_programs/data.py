"""Synthetic data of the shapes that published programs read."""

from __future__ import annotations

import gzip
import json
import pathlib
import struct
import wave
import zipfile
from typing import Callable, Dict

import garden_data
import model_data
import numpy as np
import papers_data
import stand_ins
import various_data
from environments import make_environments
from frameworks.all_programs import MAKERS as FRAMEWORK_MAKERS
from graph_data import (
    make_checkpoint_folders,
    make_citations,
    make_clicks,
    make_translations,
)
from libraries import all_programs

# The first 5000 examples are those of validation.
TRAINED, TESTED = 5600, 300


def make_digits(folder: pathlib.Path) -> pathlib.Path:
    """Files as those of MNIST: each digit is a bright stripe at a place of its own."""
    folder.mkdir(parents=True)
    random = np.random.RandomState(0)
    for kind, count in (("train", TRAINED), ("t10k", TESTED)):
        labels = random.randint(10, size=count).astype(np.uint8)
        images = random.randint(64, size=(count, 28, 28)).astype(np.uint8)
        for image, label in zip(images, labels):
            image[:, 2 * label + 4 : 2 * label + 6] += 160
        for name, magic, sizes, values in (
            ("images-idx3", 2051, (count, 28, 28), images),
            ("labels-idx1", 2049, (count,), labels),
        ):
            header = struct.pack(f">{1 + len(sizes)}i", magic, *sizes)
            with gzip.open(folder / f"{kind}-{name}-ubyte.gz", "wb") as file:
                file.write(header + values.tobytes())
    return folder


def make_unpacked_digits(folder: pathlib.Path) -> None:
    """The same files in data/mnist, unpacked."""
    packed = make_digits(folder / "packed")
    place = folder / "data/mnist"
    place.mkdir(parents=True)
    for path in packed.iterdir():
        (place / path.stem).write_bytes(gzip.decompress(path.read_bytes()))


def make_scores(folder: pathlib.Path) -> None:
    rows = np.random.RandomState(0).randint(40, 100, size=(25, 4))
    np.savetxt(folder / "data-01-test-score.csv", rows, "%d", delimiter=",")


def make_stocks(folder: pathlib.Path) -> None:
    rows = np.random.RandomState(0).rand(200, 5) + 800
    np.savetxt(folder / "data-02-stock_daily.csv", rows, "%.3f", delimiter=",")


def make_lives(folder: pathlib.Path) -> None:
    """Countries with births and lives, tabs between them."""
    random = np.random.RandomState(0)
    lines = ["Country\tBirth rate\tLife expectancy"]
    for index in range(60):
        births = 1 + 5 * random.rand()
        lines.append(f"Country {index}\t{births:.3f}\t{90 - 6 * births:.3f}")
    (folder / "data").mkdir()
    (folder / "data/birth_life_2010.txt").write_text("\n".join(lines) + "\n")


def make_hearts(folder: pathlib.Path) -> None:
    """Rows of nine numbers, one of them a word, and a label."""
    random = np.random.RandomState(0)
    lines = ["sbp,tobacco,ldl,adiposity,famhist,typea,obesity,alcohol,age,chd"]
    for _ in range(100):
        numbers = [f"{number:.2f}" for number in 100 * random.rand(8)]
        lines.append(",".join([*numbers[:4], "Present", *numbers[4:], str(random.randint(2))]))
    (folder / "data").mkdir()
    (folder / "data/heart.csv").write_text("\n".join(lines) + "\n")


def make_text(folder: pathlib.Path) -> None:
    """A text of few words, as data/tinyshakespeare/input.txt and for other names."""
    random = np.random.RandomState(0)
    words = ["the", "king", "speaks", "and", "queen", "hears", "of", "war,", "peace;"]
    lines = [" ".join(random.choice(words, 8)) + "\n" for _ in range(600)]
    (folder / "data/tinyshakespeare").mkdir(parents=True)
    (folder / "data/tinyshakespeare/input.txt").write_text("".join(lines))
    (folder / "data/arvix_abstracts.txt").write_text("".join(line * 4 for line in lines[:200]))
    (folder / "text8").write_text(" ".join(line.strip() for line in lines))


def make_zipped_text(folder: pathlib.Path) -> None:
    """text8.zip, with the words that a program looks up."""
    words = "five of going hardware american britain the and seven is".split()
    text = " ".join(np.random.RandomState(0).choice(words, 3000))
    with zipfile.ZipFile(folder / "text8.zip", "w") as file:
        file.writestr("text8", text)


def make_reviews(folder: pathlib.Path) -> None:
    """Good and bad sentences, a line each."""
    random = np.random.RandomState(0)
    place = folder / "data/rt-polaritydata"
    place.mkdir(parents=True)
    for end, word in (("pos", "great"), ("neg", "boring")):
        lines = [
            " ".join(["a", word, "film", *random.choice(["with", "many", "actors"], 4)])
            for _ in range(150)
        ]
        (place / f"rt-polarity.{end}").write_text("\n".join(lines) + "\n")


def make_cars(folder: pathlib.Path) -> None:
    """imports-85.data: rows of 26 fields."""
    random = np.random.RandomState(0)
    lines = []
    for _ in range(150):
        words = ["alfa", "gas", "std", "two", "sedan", "rwd", "front"]
        price = random.randint(5000, 40000)
        numbers = [f"{value:.1f}" for value in 20 + 100 * random.rand(5)]
        row = [
            str(random.randint(-2, 3)), "122", *words, *numbers, "ohc", "four", "130", "mpfi",
            "3.47", "2.68", "9.0", str(random.randint(60, 200)), "5000",
            str(random.randint(15, 40)),
            str(random.randint(20, 50)), str(price),
        ]  # fmt: skip
        lines.append(",".join(row))
    (folder / "imports-85.data").write_text("\n".join(lines) + "\n")


def make_sentences(folder: pathlib.Path) -> None:
    """A small transformer's vocabulary and options; sentences with a label, and a text."""
    random = np.random.RandomState(0)
    words = [f"{first}{last}" for first in "bcdfgh" for last in ("a", "at", "og", "un", "ill")]
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = [*marks, *words, *"abcdefghijklmnopqrstuvwxyz.?"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    sizes = {
        "hidden_size": 32, "intermediate_size": 64, "max_position_embeddings": 128,
        "num_attention_heads": 4, "num_hidden_layers": 2, "type_vocab_size": 2,
        "vocab_size": len(vocabulary),
    }  # fmt: skip
    (folder / "bert_config.json").write_text(json.dumps(sizes))
    sentences = [" ".join(random.choice(words, 8)) for _ in range(60)]
    rows = [f"x\t{int('bat' in each)}\t\t{each}" for each in sentences]
    (folder / "train.tsv").write_text("\n".join(rows[:32]) + "\n")
    (folder / "dev.tsv").write_text("\n".join(rows[32:48]) + "\n")
    tested = [f"{index}\t{each}" for index, each in enumerate(sentences[48:])]
    (folder / "test.tsv").write_text("\n".join(["index\tsentence", *tested]) + "\n")
    documents = ["\n".join(sentences[start : start + 6]) for start in range(0, 60, 6)]
    (folder / "text.txt").write_text("\n\n".join(documents) + "\n")


def make_questions(folder: pathlib.Path) -> None:
    """Those of SQuAD, each with the text that answers it."""
    make_sentences(folder)
    lines = (folder / "text.txt").read_text().split("\n")
    paragraphs = []
    for index, line in enumerate(filter(None, lines[:20])):
        word = line.split()[3]
        answer = {"text": word, "answer_start": line.index(f" {word}") + 1}
        asked = {"id": str(index), "question": f"{line.split()[2]} ?", "answers": [answer]}
        paragraphs.append({"context": line, "qas": [asked]})
    found = {"version": "1.1", "data": [{"title": "t", "paragraphs": paragraphs}]}
    (folder / "questions.json").write_text(json.dumps(found))


def make_packed_digits(folder: pathlib.Path) -> None:
    """The same files in data and in data/mnist."""
    for place in (folder / "data", folder / "data/mnist"):
        make_digits(place)


def make_words(folder: pathlib.Path) -> None:
    """Folders of files with words, which are tones, and one with noise."""
    random = np.random.RandomState(0)
    tones = {"yes": 400, "no": 1200, "bed": 2500, "_background_noise_": 0}
    for word, frequency in tones.items():
        (folder / "words" / word).mkdir(parents=True)
        for index in range(24 if frequency else 1):
            times = np.arange(16000 if frequency else 48000) / 16000
            sound = 0.5 * np.sin(2 * np.pi * frequency * random.uniform(0.95, 1.05) * times)
            sound += 0.05 * random.randn(len(times))
            path = folder / "words" / word / f"{index:08x}_nohash_{index}.wav"
            with wave.open(str(path), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(16000)
                file.writeframes((sound.clip(-1, 1) * 32767).astype("<i2").tobytes())


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "cars": make_cars,
    "checkpoint folders": make_checkpoint_folders,
    "citations": make_citations,
    "clicks": make_clicks,
    "environments": make_environments,
    "hearts": make_hearts,
    "lives": make_lives,
    "packed digits": make_packed_digits,
    "questions": make_questions,
    "reviews": make_reviews,
    "scores": make_scores,
    "sentences": make_sentences,
    "stocks": make_stocks,
    "text": make_text,
    "translations": make_translations,
    "unpacked digits": make_unpacked_digits,
    "words": make_words,
    "zipped text": make_zipped_text,
    **FRAMEWORK_MAKERS,
    **all_programs.MAKERS,
    **garden_data.MAKERS,
    **model_data.MAKERS,
    **papers_data.MAKERS,
    **stand_ins.MAKERS,
    **various_data.MAKERS,
}
