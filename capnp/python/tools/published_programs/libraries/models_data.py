"""Pictures, strokes and texts for models of one repository each."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import numpy as np

_WORDS = "the king speaks and queen hears of war peace".split()
# The kinds of news that a program knows.
_KINDS = (
    "\u4f53\u80b2 \u8d22\u7ecf \u623f\u4ea7 \u5bb6\u5c45 \u6559\u80b2 "
    "\u79d1\u6280 \u65f6\u5c1a \u65f6\u653f \u6e38\u620f \u5a31\u4e50"
).split()


def make_picture(path: pathlib.Path, height: int, width: int, mode: str = "RGB") -> None:
    from PIL import Image

    random = np.random.RandomState(len(str(path)))
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = random.randint(256, size=(height, width, 3)).astype(np.uint8)
    Image.fromarray(pixels).convert(mode).save(path)


def make_celebrities(folder: pathlib.Path) -> None:
    """dataset/celebA: pictures, and which attributes each of them has."""
    random = np.random.RandomState(0)
    names = ["Black_Hair", "Blond_Hair", "Brown_Hair", "Male", "Young"]
    place = folder / "dataset/celebA"
    lines = ["8", " ".join(names)]
    for index in range(8):
        values = " ".join(str(2 * each - 1) for each in random.randint(2, size=5))
        lines.append(f"{index:06}.jpg {values}")
        for part in ("train", "test"):
            make_picture(place / part / f"{index:06}.jpg", 40, 40)
    (place / "list_attr_celeba.txt").write_text("\n".join(lines) + "\n")


def make_dogs_of_pascal(folder: pathlib.Path) -> None:
    """data/pascal_voc: pictures with where the dogs are on them."""
    place = folder / "data/pascal_voc/VOCdevkit/VOC2007"
    for each in ("Annotations", "ImageSets/Main"):
        (place / each).mkdir(parents=True)
    names = [f"{index:06}" for index in range(4)]
    for name in names:
        make_picture(place / f"JPEGImages/{name}.jpg", 80, 100)
        box = "<xmin>20</xmin><ymin>20</ymin><xmax>80</xmax><ymax>60</ymax>"
        thing = f"<object><name>dog</name><bndbox>{box}</bndbox></object>"
        (place / f"Annotations/{name}.xml").write_text(f"<annotation>{thing}</annotation>")
    for part in ("trainval", "test"):
        (place / f"ImageSets/Main/{part}.txt").write_text("\n".join(names) + "\n")


def make_segments_in_a_list(folder: pathlib.Path) -> None:
    """voc: pictures and the kinds of their pixels; list.txt: the paths of both."""
    from PIL import Image

    random = np.random.RandomState(0)
    (folder / "voc/kinds").mkdir(parents=True)
    lines = []
    for index in range(4):
        make_picture(folder / f"voc/{index}.jpg", 80, 90)
        kinds = random.randint(3, size=(80, 90)).astype(np.uint8)
        Image.fromarray(kinds).save(folder / f"voc/kinds/{index}.png")
        lines.append(f"/{index}.jpg /kinds/{index}.png\n")
    (folder / "list.txt").write_text("".join(lines))


def make_drawn_letters(folder: pathlib.Path) -> None:
    """data/omniglot: pictures of letters of several alphabets."""
    for alphabet in range(4):
        for letter in range(6):
            for index in range(4):
                place = f"data/omniglot/a{alphabet}/character{letter}/{index}.png"
                make_picture(folder / place, 105, 105, "L")


def make_small_photographs_of_kinds(folder: pathlib.Path) -> None:
    """data/miniimagenet: pictures of kinds to learn from, and of others to test with."""
    for part in ("train", "val", "test"):
        for kind in range(6):
            for index in range(4):
                make_picture(folder / f"data/miniimagenet/{part}/n{kind}/{index}.JPEG", 84, 84)


def make_folder_of_words(folder: pathlib.Path) -> None:
    """Folders into which a program writes, and which it does not make."""
    for name in ("save", "logs"):
        (folder / name).mkdir(exist_ok=True)


def make_folders_of_copies(folder: pathlib.Path) -> None:
    """Folders into which a program saves its models."""
    for name in ("NTM", "LSTM"):
        (folder / "save/copy_task" / name).mkdir(parents=True)


def make_strokes(folder: pathlib.Path) -> None:
    """data/processed: strokes of a pen, and the letters that they are to be."""
    random = np.random.RandomState(0)
    place = folder / "data/processed"
    place.mkdir(parents=True)
    strokes = random.randn(100, 1200, 3).astype(np.float32)
    strokes[:, :, 2] = random.rand(100, 1200) < 0.1
    np.save(place / "x.npy", strokes)
    np.save(place / "x_len.npy", random.randint(10, 20, size=100).astype(np.int16))
    np.save(place / "c.npy", random.randint(1, 70, size=(100, 75)).astype(np.int8))
    np.save(place / "c_len.npy", random.randint(3, 8, size=100).astype(np.int8))


def make_news(folder: pathlib.Path) -> None:
    """data/cnews: kinds of news, and a text of each."""
    random = np.random.RandomState(0)
    place = folder / "data/cnews"
    place.mkdir(parents=True)
    for part in ("train", "val", "test"):
        lines = []
        for index in range(120):
            kind = _KINDS[index % 10]
            letters = "".join(random.choice(list("abcdefgh"), 12))
            lines.append(f"{kind}\t{'ijklmnopqr'[index % 10] * 3}{letters}\n")
        (place / f"cnews.{part}.txt").write_text("".join(lines), encoding="utf-8")


def make_names_in_texts(folder: pathlib.Path) -> None:
    """data/example: sentences with which words are names, and vectors of the words."""
    random = np.random.RandomState(0)
    place = folder / "data/example"
    place.mkdir(parents=True)
    names = {"Ann": "B-PER", "Bob": "B-PER", "Rome": "B-LOC", "Oslo": "B-LOC"}
    words = [*_WORDS, *names]
    for part in ("train", "testa", "testb"):
        sentences = [list(random.choice(words, random.randint(4, 9))) for _ in range(60)]
        tags = [[names.get(word, "O") for word in sentence] for sentence in sentences]
        for kind, rows in (("words", sentences), ("tags", tags)):
            text = "".join(" ".join(row) + "\n" for row in rows)
            (place / f"{part}.{kind}.txt").write_text(text)
    for kind, known in (
        ("words", words), ("tags", ["O", *sorted(set(names.values()))]),
        ("chars", sorted(set("".join(words)))),
    ):  # fmt: skip
        (place / f"vocab.{kind}.txt").write_text("\n".join(known) + "\n")
    np.savez_compressed(place / "glove.npz", embeddings=random.rand(len(words), 8))


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "celebrities": make_celebrities,
    "dogs of pascal": make_dogs_of_pascal,
    "drawn letters": make_drawn_letters,
    "folders of copies": make_folders_of_copies,
    "folder of words": make_folder_of_words,
    "names in texts": make_names_in_texts,
    "news": make_news,
    "segments in a list": make_segments_in_a_list,
    "small photographs of kinds": make_small_photographs_of_kinds,
    "strokes": make_strokes,
}
