"""Records what TensorFlow computes for column_cases.py: TF_USE_LEGACY_KERAS=1 record_columns.py"""

import json
import pathlib
import tempfile

import column_cases


def main():
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    with tempfile.TemporaryDirectory() as folder:
        found = column_cases.results(tf, folder)
    path = pathlib.Path(__file__).with_name("columns.json")
    path.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
    print(len(found), "cases")


if __name__ == "__main__":
    main()
