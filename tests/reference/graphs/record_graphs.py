"""Records graphs that TensorFlow has built, with its results.

Usage: python record_graphs.py [NAME...]

Needs TensorFlow 2.x, whose `compat.v1` builds and runs the graphs of 1.x. Of each graph it writes
NAME.pb, the GraphDef, and NAME.npz: `feed:TENSOR` and `fetch:TENSOR`, arrays whose names begin with
the number of the step where there are several, and `targets` of each step. The graphs are those of
`programs.py` and `function_programs.py`. Of each in META_GRAPHS it also writes NAME.meta, as a
Saver does.
"""

import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import function_programs  # noqa: F401, adds to PROGRAMS
import numpy as np
import tensorflow.compat.v1 as tf
from programs import META_GRAPHS, PROGRAMS

FOLDER = pathlib.Path(__file__).parent


def record(name):
    tf.disable_v2_behavior()
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(7)
        steps = PROGRAMS[name](tf)
        if name in META_GRAPHS:
            tf.train.Saver(name="saver").export_meta_graph(str(FOLDER / f"{name}.meta"))
    arrays = {"steps": np.array([" ".join(step.get("targets", [])) for step in steps])}
    with tf.Session(graph=graph) as session:
        for number, step in enumerate(steps):
            fetched = session.run(
                [step.get("fetches", []), step.get("targets", [])], step.get("feeds", {})
            )[0]
            for key, value in step.get("feeds", {}).items():
                arrays[f"{number} feed {key}"] = np.asarray(value)
            for key, value in zip(step.get("fetches", []), fetched):
                arrays[f"{number} fetch {key}"] = to_array(value)
    graph_def = graph.as_graph_def()
    (FOLDER / f"{name}.pb").write_bytes(graph_def.SerializeToString(deterministic=True))
    np.savez_compressed(FOLDER / f"{name}.npz", **arrays)
    print(f"{name}: {len(graph_def.node)} nodes")


def to_array(value):
    """Texts as an array of bytes that needs no pickling."""
    array = np.asarray(value)
    return array.astype("S") if array.dtype == object else array


if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        record(name)
