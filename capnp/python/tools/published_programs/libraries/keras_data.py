"""What the examples and programs of Keras fetch or read."""

from __future__ import annotations

import io
import pathlib
import tarfile
from typing import Callable, Dict

import numpy as np
from libraries.models_data import make_picture

_FEW = '''
"""Fewer and random examples in place of the files that keras.datasets fetches."""

import numpy as np


class _Pictures:
    def __init__(self, shape, label_shape):
        self._shape, self._label_shape = shape, label_shape

    def load_data(self, trained=320, tested=320):
        random = np.random.RandomState(0)
        parts = []
        for count in (trained, tested):
            labels = (np.arange(count) % 10).astype(np.uint8)
            pictures = random.randint(64, size=(count, *self._shape)).astype(np.uint8)
            for picture, label in zip(pictures, labels):
                picture[:, 2 * label + 4 : 2 * label + 6] += 160
            parts.append((pictures, labels.reshape((count, *self._label_shape))))
        return parts


class _Words:
    def __init__(self, kinds):
        self._kinds = kinds

    def load_data(self, num_words=None, **options):
        random = np.random.RandomState(0)
        parts = []
        for count in (96, 48):
            rows = np.empty(count, object)
            rows[:] = [
                [1] + list(random.randint(4, num_words or 50, size=random.randint(5, 30)))
                for _ in range(count)
            ]
            parts.append((rows, np.arange(count) % self._kinds))
        return parts

    def get_word_index(self):
        return {"word%d" % index: index for index in range(1, 50)}


mnist = fashion_mnist = _Pictures((28, 28), ())
cifar10 = _Pictures((32, 32, 3), (1,))
imdb, reuters = _Words(2), _Words(46)
'''

_SENTENCES = "the king speaks and the queen hears of war and peace in the north of the old land"
_STORIES = """1 Mary moved to the bathroom.
2 John went to the hallway.
3 Where is Mary? \tbathroom\t1
4 Daniel went back to the hallway.
5 Sandra moved to the garden.
6 Where is Daniel? \thallway\t4
"""

_SKIMAGE = '''
"""The functions of skimage that read, scale and write pictures."""

import sys
import types

import numpy as np
from PIL import Image


def imread(fname, as_gray=False):
    return np.asarray(Image.open(fname).convert("L" if as_gray else "RGB"))


def imsave(fname, arr):
    Image.fromarray((np.asarray(arr) * 255).astype(np.uint8)).save(fname)


def resize(image, output_shape):
    return np.asarray(Image.fromarray(image.astype(np.float32)).resize(output_shape[::-1]))


for name, members in (("io", (imread, imsave)), ("transform", (resize,))):
    module = sys.modules["skimage." + name] = types.ModuleType("skimage." + name)
    for member in members:
        setattr(module, member.__name__, member)
    globals()[name] = module
'''


def make_few_examples(folder: pathlib.Path) -> None:
    """few_examples.py: a module with the names of keras.datasets."""
    (folder / "few_examples.py").write_text(_FEW.lstrip())


def make_stories_of_rooms(folder: pathlib.Path) -> None:
    """babi.tar.gz: stories and what is asked of them."""
    with tarfile.open(folder / "babi.tar.gz", "w:gz") as archive:
        for size in ("en", "en-10k"):
            for kind in ("qa1_single-supporting-fact", "qa2_two-supporting-facts"):
                for part, count in (("train", 40), ("test", 8)):
                    text = (_STORIES * count).encode()
                    member = tarfile.TarInfo(f"tasks_1-20_v1-2/{size}/{kind}_{part}.txt")
                    member.size = len(text)
                    archive.addfile(member, io.BytesIO(text))


def make_a_photograph(folder: pathlib.Path) -> None:
    """photograph.jpg, and mask.png with two colors."""
    from PIL import Image

    make_picture(folder / "photograph.jpg", 170, 180)
    pixels = np.zeros((48, 56, 3), np.uint8)
    pixels[:, 30:] = 255
    Image.fromarray(pixels).save(folder / "mask.png")


def make_pairs_of_sentences(folder: pathlib.Path) -> None:
    """fra-eng/fra.txt: sentences of two languages, a tab between them."""
    random = np.random.RandomState(0)
    words = _SENTENCES.split()
    (folder / "fra-eng").mkdir()
    lines = [
        " ".join(random.choice(words, 3)) + "\t" + " ".join(random.choice(words, 4))
        for _ in range(130)
    ]
    (folder / "fra-eng/fra.txt").write_text("\n".join(lines) + "\n")


def make_lists_of_words(folder: pathlib.Path) -> None:
    """words: short words, and pairs of words."""
    random = np.random.RandomState(0)
    words = ["".join(random.choice(list("abcdefgh"), random.randint(2, 5))) for _ in range(400)]
    (folder / "words").mkdir()
    (folder / "words/wordlist_mono_clean.txt").write_text("\n".join(words) + "\n")
    pairs = [f"{first} {second}" for first, second in zip(words, words[1:])]
    (folder / "words/wordlist_bi_clean.txt").write_text("\n".join(pairs) + "\n")


def make_a_text_to_go_on_with(folder: pathlib.Path) -> None:
    """nietzsche.txt: sentences without sense."""
    (folder / "nietzsche.txt").write_text((_SENTENCES + ". ") * 20)


def make_groups_of_news(folder: pathlib.Path) -> None:
    """20_newsgroup: letters of two groups; glove.6B: vectors of their words."""
    random = np.random.RandomState(0)
    words = _SENTENCES.split()
    for group in ("alt.kings", "sci.peace"):
        place = folder / "20_newsgroup" / group
        place.mkdir(parents=True)
        for index in range(30):
            text = " ".join(random.choice(words, 20))
            (place / str(index)).write_text(f"From: nobody\n\n{text}\n")
    (folder / "glove.6B").mkdir()
    rows = [f"{word} {' '.join(f'{each:.3f}' for each in random.randn(100))}" for word in words]
    (folder / "glove.6B/glove.6B.100d.txt").write_text("\n".join(rows) + "\n")


def make_a_part_of_skimage(folder: pathlib.Path) -> None:
    """skimage.py: a module in place of the package."""
    (folder / "skimage.py").write_text(_SKIMAGE.lstrip())


def make_membranes(folder: pathlib.Path) -> None:
    """data/membrane: pictures in gray with the masks of what is on them."""
    from PIL import Image

    random = np.random.RandomState(0)
    for place, count in (("train/image", 4), ("train/label", 4), ("test", 4)):
        (folder / "data/membrane" / place).mkdir(parents=True)
        for index in range(count):
            pixels = random.randint(256, size=(64, 64)).astype(np.uint8)
            Image.fromarray(pixels).save(folder / f"data/membrane/{place}/{index}.png")


def make_boxes_of_keras(folder: pathlib.Path) -> None:
    """JPEGImages, Annotations and train.txt: pictures, and where the dogs are on them."""
    (folder / "Annotations").mkdir()
    lines = []
    for index in range(8):
        make_picture(folder / f"JPEGImages/{index}.jpg", 80, 100)
        lines.append(f"JPEGImages/{index}.jpg 20,20,80,60,11")
        box = "<xmin>20</xmin><ymin>20</ymin><xmax>80</xmax><ymax>60</ymax>"
        (folder / f"Annotations/{index}.xml").write_text(
            f"<annotation><filename>{index}.jpg</filename><size><width>100</width><height>80"
            f"</height></size><object><name>dog</name><bndbox>{box}</bndbox></object></annotation>"
        )
    (folder / "train.txt").write_text("\n".join([*lines, *lines]) + "\n")


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "a part of skimage": make_a_part_of_skimage,
    "a photograph": make_a_photograph,
    "a text to go on with": make_a_text_to_go_on_with,
    "boxes of Keras": make_boxes_of_keras,
    "few examples": make_few_examples,
    "groups of news": make_groups_of_news,
    "lists of words": make_lists_of_words,
    "membranes": make_membranes,
    "pairs of sentences": make_pairs_of_sentences,
    "stories of rooms": make_stories_of_rooms,
}
