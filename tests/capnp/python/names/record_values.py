"""Records the results of TensorFlow for the calls of cases.py, in values.json.

Usage: TF_USE_LEGACY_KERAS=1 python record_values.py

Needs TensorFlow 2.x, and tf_keras of the same version, which has `tf.layers`.
"""

import json
import pathlib

from cases import GROUPS, evaluate, texts


def plain(array):
    """Dtype, shape and values of an array, for JSON."""
    if array.dtype.kind in "OSU":
        return {"dtype": "string", "shape": array.shape, "values": texts(array)}
    values = array.reshape(-1)
    if array.dtype.kind == "c":
        values = values.view(array.real.dtype)
    values = values.tolist()
    if array.dtype.kind in "cf":
        values = [float(f"{value:.8g}") for value in values]
    return {"dtype": str(array.dtype), "shape": array.shape, "values": values}


def main():
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    found, failed = {}, False
    for expressions in GROUPS.values():
        for expression in expressions:
            try:
                found[expression] = [plain(array) for array in evaluate(tf, expression)]
            except Exception as error:
                print(f"{expression}: {error!r}")
                failed = True
    if failed:
        raise SystemExit("not recorded, because TensorFlow refuses some of the calls")
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    pathlib.Path(__file__).with_name("values.json").write_text(text)
    print(len(found), "results")


if __name__ == "__main__":
    main()
