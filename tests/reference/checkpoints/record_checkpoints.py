#!/usr/bin/env python3
"""Writes checkpoints with TensorFlow, which ours are compared with and which are restored.

Usage: record_checkpoints.py

`values`: whole tensors of each dtype, in one file. `parts`: slices of tensors, in two files that
were merged. `v1.ckpt`: tensors and slices in the format before tensor bundles.

Another one, `trees.ckpt`, is that of the regression which boosted_trees_test.py trains by batches,
with TensorFlow 1.15: later versions have no such estimator. `forest.ckpt` is that of the forest
which tensor_forest_test.py has trained for six steps, with the same version.
"""

import pathlib

import numpy as np
import tensorflow.compat.v1 as tf

HERE = pathlib.Path(__file__).parent

DTYPES = [
    "float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128",
]  # fmt: skip


def save(prefix, names, slices, tensors):
    tf.raw_ops.SaveV2(
        prefix=str(prefix), tensor_names=names, shape_and_slices=slices, tensors=tensors
    )


def write_values():
    """Names in no order, so that the file's order is that of the op and not the index's."""
    tensors = {dtype: tf.cast(tf.constant([[0, 1, 2], [3, 0, 1]]), dtype) for dtype in DTYPES}
    tensors["a/scalar"] = tf.constant(12345678901, tf.int64)
    tensors["none"] = tf.zeros([0, 3])
    tensors["texts"] = tf.constant([["", "a"], ["x" * 300, "\0\xff"]])
    tensors["text"] = tf.constant("one")
    tensors["no_texts"] = tf.zeros([0], tf.string)
    save(HERE / "values", list(tensors), [""] * len(tensors), list(tensors.values()))


def write_parts():
    """A matrix by rows, one in four parts, and a vector long enough for other codes of numbers."""
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    grid = np.arange(20, dtype=np.int64).reshape(4, 5)
    long = np.arange(9_000).astype(np.int8)
    parts = [
        [
            ("rows", "4 3 0,2:-", rows[:2]),
            ("grid", "4 5 0,1:0,3", grid[:1, :3]),
            ("grid", "4 5 1,3:0,3", grid[1:, :3]),
            ("b", "", np.float32(7)),
            ("long", "9000 0,8999", long[:8_999]),
        ],
        [
            ("rows", "4 3 2,2:-", rows[2:]),
            ("grid", "4 5 0,1:3,2", grid[:1, 3:]),
            ("grid", "4 5 1,3:3,2", grid[1:, 3:]),
            ("long", "9000 8999,1", long[8_999:]),
        ],
    ]
    prefixes = []
    for index, part in enumerate(parts):
        prefixes.append(str(HERE / f"part-{index}"))
        names, slices, values = zip(*part)
        save(prefixes[-1], list(names), list(slices), [tf.constant(value) for value in values])
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=prefixes, destination_prefix=str(HERE / "parts"), delete_old_dirs=False
    )


# What that format has no tensors of.
NOT_IN_V1 = {"bfloat16", "uint32", "uint64"}


def write_v1():
    dtypes = [dtype for dtype in DTYPES if dtype not in NOT_IN_V1]
    rows = [(dtype, "", tf.cast(tf.constant([[0, 1, 2], [3, 0, 1]]), dtype)) for dtype in dtypes]
    grid = np.arange(20, dtype=np.int64).reshape(4, 5) - 7
    rows += [
        ("texts", "", tf.constant([["", "a"], ["x" * 300, "\0\xff"]])),
        ("none", "", tf.zeros([0, 3])),
        ("a/scalar", "", tf.constant(12345678901, tf.int64)),
        ("grid", "4 5 0,1:0,3", tf.constant(grid[:1, :3])),
        ("grid", "4 5 0,1:3,2", tf.constant(grid[:1, 3:])),
        ("grid", "4 5 1,3:-", tf.constant(grid[1:])),
    ]
    names, slices, tensors = zip(*rows)
    tf.raw_ops.SaveSlices(
        filename=str(HERE / "v1.ckpt"), tensor_names=names, shapes_and_slices=slices, data=tensors
    )


if __name__ == "__main__":
    tf.enable_eager_execution()
    write_values()
    write_parts()
    write_v1()
