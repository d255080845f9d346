"""Small modules in place of what published programs import, and is not there today."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

_PICTURES = '''
"""The functions for pictures that SciPy had."""

import numpy as np
from PIL import Image


def imread(name, flatten=False, mode=None):
    image = Image.open(name).convert(mode or ("L" if flatten else "RGB"))
    return np.asarray(image.convert("L") if flatten else image)


def imresize(arr, size, interp="bilinear", mode=None):
    image = Image.fromarray(np.asarray(arr).astype(np.uint8))
    return np.asarray(image.resize((size[1], size[0]), Image.BILINEAR))


def imsave(name, arr, format=None):
    arr = np.squeeze(np.asarray(arr, np.float64))
    low, high = arr.min(), arr.max()
    Image.fromarray(((arr - low) * 255 / max(high - low, 1e-9)).astype(np.uint8)).save(name)
'''

_MESSAGES = '''
"""Plain classes in place of the messages that protoc makes of module.proto."""


class SonnetModule:
    pass
'''

_CONFIGURABLES = '''
"""What gin.tf.external_configurables does, for two classes."""

import gin
import tensorflow as tf

for name in ("AdamOptimizer", "RMSPropOptimizer"):
    gin.external_configurable(getattr(tf.train, name), f"tf.train.{name}")
'''


def make_pictures_of_scipy(folder: pathlib.Path) -> None:
    (folder / "misc.py").write_text(_PICTURES.lstrip())


def make_messages_of_modules(folder: pathlib.Path) -> None:
    (folder / "sonnet/protos").mkdir(parents=True)
    (folder / "sonnet/protos/__init__.py").write_text("")
    (folder / "sonnet/protos/module_pb2.py").write_text(_MESSAGES.lstrip())


def make_configurables(folder: pathlib.Path) -> None:
    (folder / "configurables.py").write_text(_CONFIGURABLES.lstrip())


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    "configurables": make_configurables,
    "messages of modules": make_messages_of_modules,
    "pictures of SciPy": make_pictures_of_scipy,
}
