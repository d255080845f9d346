"""Runs what Troupe has exported in TensorFlow, and compares with the recorded results.

Usage: PYTHONPATH=build/python build/venv/bin/python run_exports.py export FOLDER
       build/peers-venv/bin/python run_exports.py run FOLDER

Two programs, as both bring protobuf along, which a process can have once. The first imports each
recorded graph and exports it into the folder, the second loads the exports and runs their steps.
"""

import os
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent


def export(folder):
    import troupe as tf

    for path in sorted(HERE.glob("*.pb")):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(tf.GraphDef.FromString(path.read_bytes()), name="")
        tf.io.write_graph(graph, folder, path.name, as_text=False)


def run(folder):
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    for path in sorted(pathlib.Path(folder).glob("*.pb")):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(tf.GraphDef.FromString(path.read_bytes()), name="")
        with tf.Session(graph=graph) as session:
            print(f"{path.stem}: {check(session, path.stem)} results are the same", flush=True)


def check(session, name):
    arrays = np.load(HERE / f"{name}.npz")
    count = 0
    for number, targets in enumerate(arrays["steps"]):
        kinds = {"feed": {}, "fetch": {}}
        for key in arrays.files[1:]:
            step, kind, tensor = key.split(" ")
            if int(step) == number:
                kinds[kind][tensor] = arrays[key]
        operations = [session.graph.get_operation_by_name(each) for each in targets.split()]
        values = session.run([list(kinds["fetch"]), operations], kinds["feed"])[0]
        for (tensor, expected), value in zip(kinds["fetch"].items(), values):
            if expected.dtype.kind == "S":
                assert list(value) == list(expected.astype(object)), (name, tensor)
            else:
                np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-6, err_msg=tensor)
            count += 1
    return count


if __name__ == "__main__":
    {"export": export, "run": run}[sys.argv[1]](sys.argv[2])
