"""Records what the whole graphs of capnp/python/examples/graphs give in TensorFlow.

Usage: python record_examples.py [NAME...]

Needs TensorFlow 2.x: its `compat.v1` is the module that the examples import as `troupe`. Of each
example it writes what `main` returns into results.npz, as "NAME INDEX"; the others stay.
"""

import importlib
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow.compat.v1 as tf

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[2] / "capnp" / "python" / "examples" / "graphs"


def results_of(name):
    """What the example returns, as arrays without pickled objects."""
    with tf.Graph().as_default():
        arrays = [np.asarray(value) for value in importlib.import_module(name).main()]
    return {
        f"{name} {index}": array.astype("S") if array.dtype == object else array
        for index, array in enumerate(arrays)
    }


def record(names):
    path = HERE / "results.npz"
    arrays = dict(np.load(path)) if path.exists() else {}
    arrays = {key: value for key, value in arrays.items() if key.split(" ")[0] not in names}
    for name in names:
        arrays.update(results_of(name))
        print(name, *(arrays[key] for key in arrays if key.split(" ")[0] == name), sep="\n")
    np.savez_compressed(path, **dict(sorted(arrays.items())))


if __name__ == "__main__":
    tf.disable_v2_behavior()
    sys.modules["troupe"] = tf
    sys.path.insert(0, str(EXAMPLES))
    record(sys.argv[1:] or sorted(path.stem for path in EXAMPLES.glob("*.py")))
