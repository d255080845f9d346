"""Pictures, texts, sounds and vocabularies that larger published programs read."""

from __future__ import annotations

import json
import pathlib
import pickle
import struct
import wave
from typing import Callable, Dict

import numpy as np

_WORDS = "the king speaks and queen hears of war peace".split()


def make_vocabulary_of_bytes(folder: pathlib.Path) -> None:
    """A small transformer's options, and a sign for each byte."""
    place = folder / "models/tiny"
    place.mkdir(parents=True)
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    signs = [chr(each) for each in [*kept, *range(256, 512 - len(kept))]]
    numbers = {sign: number for number, sign in enumerate([*signs, "<|endoftext|>"])}
    (place / "encoder.json").write_text(json.dumps(numbers))
    (place / "vocab.bpe").write_text("#version: 0.2\nt h\n")
    sizes = {"n_vocab": 257, "n_ctx": 64, "n_embd": 16, "n_head": 2, "n_layer": 2}
    (place / "hparams.json").write_text(json.dumps(sizes))


def make_stories(folder: pathlib.Path) -> None:
    """Who went where, and questions of where someone is, as the first task of bAbI."""
    random = np.random.RandomState(0)
    place = folder / "data/tasks_1-20_v1-2/en"
    place.mkdir(parents=True)
    people, rooms = ["mary", "john", "sandra"], ["garden", "office", "kitchen"]
    for name in ("train", "test"):
        lines = []
        for _ in range(60):
            for number in range(1, 5):
                person, room = random.choice(people), random.choice(rooms)
                lines.append(f"{number} {person} went to the {room}.")
            lines.append(f"5 where is {person}? \t{room}\t4")
        (place / f"qa1_single-supporting-fact_{name}.txt").write_text("\n".join(lines) + "\n")


def make_points(folder: pathlib.Path) -> None:
    """Clouds of points with a class each, as those of ModelNet40."""
    import h5py

    random = np.random.RandomState(0)
    place = folder / "data/modelnet40_ply_hdf5_2048"
    place.mkdir(parents=True)
    for name, count in (("train", 24), ("test", 8)):
        path = place / f"{name}.h5"
        (place / f"{name}_files.txt").write_text(f"{path.relative_to(folder)}\n")
        with h5py.File(path, "w") as file:
            file["data"] = random.rand(count, 64, 3).astype(np.float32)
            file["label"] = random.randint(40, size=(count, 1)).astype(np.uint8)


def _picture(path: pathlib.Path, height: int, width: int) -> None:
    from PIL import Image

    random = np.random.RandomState(len(str(path)))
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(random.randint(256, size=(height, width, 3)).astype(np.uint8)).save(path)


def make_faces(folder: pathlib.Path) -> None:
    """A few pictures of each of four people."""
    for person in range(4):
        for index in range(6):
            _picture(folder / f"faces/p{person}/p{person}_{index:04d}.png", 182, 182)


def make_pairs(folder: pathlib.Path) -> None:
    """Pictures of two halves, of which one is to be made of the other."""
    for index in range(3):
        _picture(folder / f"pairs/{index}.png", 256, 512)


def make_two_kinds(folder: pathlib.Path) -> None:
    """Pictures of two kinds, each to be changed into one of the other."""
    for index in range(3):
        for kind in ("trainA", "trainB", "testA", "testB"):
            _picture(folder / f"dataset/many/{kind}{index}.jpg", 64, 64)
            for place in ("dataset", "datasets"):
                _picture(folder / place / "two" / kind / f"{index}.jpg", 64, 64)


def make_sharp_pictures(folder: pathlib.Path) -> None:
    """Train and Test/Set5, and the folders of results."""
    for place in ("Train", "Test/Set5"):
        for index in range(2):
            _picture(folder / place / f"{index}.bmp", 90, 90)
    for place in ("checkpoint", "sample"):
        (folder / place).mkdir()


def make_boxes(folder: pathlib.Path) -> None:
    """boxes.txt: pictures with the corners and classes of what is on them."""
    lines = []
    for index in range(4):
        _picture(folder / f"pictures/{index}.jpg", 100, 100)
        lines.append(f"./pictures/{index}.jpg 10,10,60,70,3 20,30,90,80,5\n")
    (folder / "boxes.txt").write_text("".join(lines))


def make_small_pictures(folder: pathlib.Path) -> None:
    """Pickled batches as those of CIFAR-10, of eight pictures each."""
    random = np.random.RandomState(0)
    place = folder / "cifar-10-python/cifar-10-batches-py"
    place.mkdir(parents=True)
    for name in [*(f"data_batch_{index}" for index in range(1, 6)), "test_batch"]:
        pictures = random.randint(256, size=(8, 3072)).astype(np.uint8)
        batch = {"data": pictures, "labels": random.randint(10, size=8).tolist()}
        (place / name).write_bytes(pickle.dumps(batch))


def make_sounds(folder: pathlib.Path) -> None:
    """Half a second of noise in each of four files."""
    random = np.random.RandomState(0)
    (folder / "sounds").mkdir()
    for index in range(4):
        with wave.open(str(folder / f"sounds/p225_{index:03d}.wav"), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(random.randint(-9000, 9000, size=8000).astype(np.int16).tobytes())


def make_language(folder: pathlib.Path) -> None:
    """data/ptb: sentences of few words; vocab.all: the words and marks."""
    random = np.random.RandomState(0)
    place = folder / "data/ptb"
    place.mkdir(parents=True)
    for name in ("train", "valid", "test"):
        text = "".join(" ".join(random.choice(_WORDS, 8)) + "\n" for _ in range(300))
        for start in ("", "ptb."):
            (place / f"{start}{name}.txt").write_text(text)
    marks = ["<pad>", "<unk>", "<s>", "</s>"]
    (folder / "vocab.all").write_text("\n".join([*marks, *_WORDS]) + "\n")


def _field(number: int, data: bytes) -> bytes:
    """A field of a message of protobuf that has a length below 2**14."""
    high, low = divmod(len(data), 128)
    length = bytes([low | 128, high]) if high else bytes([low])
    return bytes([number << 3 | 2]) + length + data


def make_articles(folder: pathlib.Path) -> None:
    """Articles with summaries: Examples, the length of each before it."""
    random = np.random.RandomState(0)
    (folder / "vocab").write_text("".join(f"{word} 10\n" for word in [*_WORDS, "."]))
    found = b""
    for _ in range(40):
        texts = {
            "article": " ".join(random.choice(_WORDS, 20)),
            "abstract": f"<s> {' '.join(random.choice(_WORDS, 6))} . </s>",
        }
        features = b"".join(
            _field(1, _field(1, key.encode()) + _field(2, _field(1, _field(1, text.encode()))))
            for key, text in texts.items()
        )
        example = _field(1, features)
        found += struct.pack("q", len(example)) + example
    (folder / "train_000.bin").write_bytes(found)


def make_pieces(folder: pathlib.Path) -> None:
    """A vocabulary of sentencepiece, a small transformer's options, and good and bad reviews."""
    import sentencepiece

    marks = ["<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text.txt"), model_prefix=str(folder / "pieces"), vocab_size=60,
        hard_vocab_limit=False, control_symbols=marks, minloglevel=2,
    )  # fmt: skip
    sizes = {
        "d_head": 8, "d_inner": 32, "d_model": 16, "ff_activation": "gelu", "n_head": 2,
        "n_layer": 2, "n_token": 80, "untie_r": True,
    }  # fmt: skip
    (folder / "xlnet.json").write_text(json.dumps(sizes))
    lines = (folder / "text.txt").read_text().split("\n")
    for kind in ("train/pos", "train/neg", "test/pos", "test/neg"):
        place = folder / "imdb" / kind
        place.mkdir(parents=True)
        for index, line in enumerate(filter(None, lines[:8])):
            (place / f"{index}.txt").write_text(line)


def make_judgements(folder: pathlib.Path) -> None:
    """The sentences with labels in the folder of their task."""
    (folder / "CoLA").mkdir()
    for name in ("train.tsv", "dev.tsv", "test.tsv"):
        (folder / "CoLA" / name).write_text((folder / name).read_text())


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "articles": make_articles,
    "boxes": make_boxes,
    "faces": make_faces,
    "judgements": make_judgements,
    "language": make_language,
    "pairs": make_pairs,
    "pieces": make_pieces,
    "points": make_points,
    "sharp pictures": make_sharp_pictures,
    "small pictures": make_small_pictures,
    "sounds": make_sounds,
    "stories": make_stories,
    "two kinds": make_two_kinds,
    "vocabulary of bytes": make_vocabulary_of_bytes,
}
