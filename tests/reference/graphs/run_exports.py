"""Runs what Troupe has exported in TensorFlow, and compares with the recorded results.

Usage: PYTHONPATH=build/python python run_exports.py

Needs TensorFlow and the package in one Python. Each recorded graph is imported and exported by
Troupe; TensorFlow loads the export and runs its steps.
"""

import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow.compat.v1 as tf

import troupe

FOLDER = pathlib.Path(__file__).parent


def exported(name):
    """The graph as TensorFlow's message, after a way through Troupe."""
    graph_def = troupe.GraphDef.FromString((FOLDER / f"{name}.pb").read_bytes())
    with troupe.Graph().as_default() as graph:
        troupe.import_graph_def(graph_def, name="")
    return tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())


def check(name):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(exported(name), name="")
    arrays = np.load(FOLDER / f"{name}.npz")
    count = 0
    with tf.Session(graph=graph) as session:
        for number, targets in enumerate(arrays["steps"]):
            kinds = {"feed": {}, "fetch": {}}
            for key in arrays.files[1:]:
                step, kind, tensor = key.split(" ")
                if int(step) == number:
                    kinds[kind][tensor] = arrays[key]
            fetches = list(kinds["fetch"])
            operations = [graph.get_operation_by_name(each) for each in targets.split()]
            values = session.run([fetches, operations], kinds["feed"])[0]
            for tensor, value in zip(fetches, values):
                expected = kinds["fetch"][tensor]
                if expected.dtype.kind == "S":
                    assert list(value) == list(expected.astype(object)), (name, tensor)
                else:
                    np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-6)
                count += 1
    print(f"{name}: {count} results are the same")


if __name__ == "__main__":
    tf.disable_v2_behavior()
    for path in sorted(FOLDER.glob("*.pb")):
        check(path.stem)
