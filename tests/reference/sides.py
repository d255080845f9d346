"""The two sides of a comparison, each in a process of its own: a crash costs one call.

Usage: sides.py SIDE FD    serves calls on the connection that it inherits as that descriptor
"""

import inspect
import multiprocessing.connection
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

CRASHED = "crashed"
HANGS = "no answer"
ANSWER_SECONDS = 60


def arguments_of(definition, call):
    """The tensors as the op's arguments take them, and the attributes that they do not imply."""
    values, rest = {}, list(call.inputs)
    lists = [a for a in definition.input_arg if a.number_attr or a.type_list_attr]
    singles = len(definition.input_arg) - len(lists)
    for argument in definition.input_arg:
        if argument not in lists:
            values[argument.name] = rest.pop(0)
            continue
        count = call.attrs.get(argument.number_attr or argument.type_list_attr)
        if isinstance(count, list):
            count = len(count)
        if count is None:
            count = (len(call.inputs) - singles) // len(lists)
        values[argument.name], rest = rest[:count], rest[count:]
    if rest:
        raise IndexError("too many inputs")
    implied = {name for a in definition.input_arg
               for name in (a.type_attr, a.number_attr, a.type_list_attr)}
    attrs = {name: value for name, value in call.attrs.items() if name not in implied}
    return values, attrs


def code_of(error):
    """The canonical code of an exception; those of Python say that an argument is wrong."""
    for base in type(error).__mro__:
        if getattr(base, "error_code", None) and base.__name__.endswith("Error"):
            return base.__name__.removesuffix("Error")
    names = {"TypeError": "InvalidArgument", "ValueError": "InvalidArgument"}
    return names.get(type(error).__name__, type(error).__name__)


def flat(answer):
    if answer is None or not isinstance(answer, (list, tuple)):
        return [] if answer is None or not hasattr(answer, "dtype") else [answer]
    return [each for value in answer for each in flat(value)]


def run_tensorflow(op, values, attrs):
    import tensorflow as tf

    function = getattr(tf.raw_ops, op)
    # Some arguments have other names in Python.
    names = [name for name in inspect.signature(function).parameters if name not in attrs]
    renamed = iter([name for name in names if name not in values and name != "name"])
    constants = {
        name if name in names else next(renamed):
            [tf.constant(v) for v in value] if isinstance(value, list) else tf.constant(value)
        for name, value in values.items()
    }
    return [value.numpy() for value in flat(function(**constants, **attrs))]


def run_troupe(op, values, attrs):
    import troupe as tf

    feeds = {}

    def fed(value):
        name = "string" if value.dtype == object else value.dtype.name
        placeholder = tf.placeholder(tf.as_dtype(name))
        feeds[placeholder] = value.astype("float32") if name == "bfloat16" else value
        return placeholder

    with tf.Graph().as_default():
        inputs = {
            name: [fed(v) for v in value] if isinstance(value, list) else fed(value)
            for name, value in values.items()
        }
        node = getattr(tf.raw_ops, op)(**inputs, **attrs)
        fetches = flat(node)
        with tf.Session() as session:
            return session.run(fetches or node, feeds) if fetches else session.run(node, feeds)


SIDES = {"tensorflow": run_tensorflow, "troupe": run_troupe}


def serve(run, connection):
    """Answers calls until the other end is closed."""
    while True:
        try:
            op, values, attrs = connection.recv()
        except EOFError:
            return
        try:
            answers = run(op, values, attrs) or []
            connection.send([np.asarray(answer) for answer in answers])
        except Exception as error:
            connection.send((code_of(error), str(error)))


class Side:
    """One of them, in a process that is started again after a crash."""

    def __init__(self, name):
        self._name = name
        self._folder = tempfile.TemporaryDirectory()  # for the files that calls write
        self._start()

    def _start(self):
        self._connection, other = multiprocessing.connection.Pipe()
        self._process = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).resolve(), self._name, str(other.fileno())],
            pass_fds=[other.fileno()], stderr=subprocess.DEVNULL, cwd=self._folder.name,
            env={**os.environ, "PYTHONPATH": os.path.abspath(os.environ.get("PYTHONPATH", ""))})
        other.close()

    def answer(self, op, values, attrs):
        """A list of arrays; or (code, message); or CRASHED or HANGS."""
        try:
            self._connection.send((op, values, attrs))
            if self._connection.poll(ANSWER_SECONDS):
                return self._connection.recv()
            failure = HANGS
        except (EOFError, ConnectionError):
            failure = CRASHED
        self._process.kill()
        self._process.wait()
        self._start()
        return failure


if __name__ == "__main__":
    serve(SIDES[sys.argv[1]], multiprocessing.connection.Connection(int(sys.argv[2])))
