#!/usr/bin/env python3
"""Loads in TensorFlow what Troupe wrote: a SavedModel, or a checkpoint.

Usage: run_in_tensorflow.py FOLDER [NAME=VALUE ...]
       run_in_tensorflow.py CHECKPOINT

Of a SavedModel it runs the first signature with those inputs, in Python's syntax, and prints the
outputs; of a checkpoint it prints the tensors.
"""

import ast
import os
import sys

import tensorflow.compat.v1 as tf


def run(folder, inputs):
    with tf.Session(graph=tf.Graph()) as session:
        message = tf.saved_model.load(session, ["serve"], folder)
        _, signature = min(message.signature_def.items())
        feeds = {signature.inputs[name].name: value for name, value in inputs.items()}
        outputs = {name: info.name for name, info in signature.outputs.items()}
        for name, value in session.run(outputs, feeds).items():
            print(name, value.tolist())


def show(prefix):
    reader = tf.train.load_checkpoint(prefix)
    for name in sorted(reader.get_variable_to_shape_map()):
        print(name, reader.get_tensor(name).tolist())


def main(path, *inputs):
    if os.path.isdir(path):
        pairs = (text.split("=", 1) for text in inputs)
        run(path, {name: ast.literal_eval(value) for name, value in pairs})
    else:
        show(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
