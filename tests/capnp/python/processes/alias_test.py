"""Programs written for TensorFlow, which import it under its own name."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import troupe

PACKAGES = {**os.environ, "PYTHONPATH": str(pathlib.Path(troupe.__file__).parents[1].absolute())}

PROGRAM = """
import sys
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.python.ops.nn as nn
from tensorflow.core.protobuf import config_pb2
from tensorflow.python import ops as folder
from tensorflow.python.framework import dtypes, ops, tensor_shape, tensor_util
from tensorflow.python.ops import array_ops, control_flow_ops, init_ops, math_ops, variables
from tensorflow.python.util import nest
from tensorflow.python.training import moving_averages, saver, training_util

assert tf1.Session is tf.Session and config_pb2.ConfigProto is tf.ConfigProto
assert ops.Graph is tf.Graph and nn.relu is tf.nn.relu and folder.array_ops is array_ops
assert init_ops.Constant is tf.constant_initializer and variables.VariableV1 is tf.Variable
assert tensor_shape.unknown_shape(2).as_list() == [None, None]
assert tensor_util.constant_value(tf.constant(3)) == 3
assert nest.is_sequence([1]) and nest.flatten([1, [2]]) == [1, 2]
assert saver.Saver is tf.train.Saver and dtypes.int32 is tf.int32
x = tf.placeholder(tf.float32, [])
with tf.Session(config=config_pb2.ConfigProto()) as session:
    y = control_flow_ops.with_dependencies([tf.no_op()], math_ops.square(x))
    print(session.run(y, {x: 3.0}), sys.argv[1:], __name__, tf.__version__[:5])
"""


def run(*arguments, cwd=None):
    """The output of `python ARGUMENTS`; its errors where it fails."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=PACKAGES, timeout=100
    )
    return done.stdout if done.returncode == 0 else done.stderr


class AliasTest(unittest.TestCase):
    def program(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "program.py")
        path.write_text(text)
        return path

    def fails(self, line):
        """The last line of what a program of that line says."""
        return run("-m", "troupe", self.program(line)).strip().splitlines()[-1]

    def test_a_program_runs_as_it_is_with_its_arguments(self):
        told = run("-m", "troupe", self.program(PROGRAM), "--rate", "3")
        self.assertEqual(told, "9.0 ['--rate', '3'] __main__ 1.15.\n")

    def test_a_module_runs_and_imports_those_beside_it(self):
        path = self.program("import beside\nprint(beside.tf.__name__)")
        path.with_name("beside.py").write_text("import tensorflow as tf")
        self.assertEqual(run("-m", "troupe", "-m", "program", cwd=path.parent), "troupe\n")
        self.assertEqual(run("-m", "troupe", path), "troupe\n")

    def test_a_function_is_found_by_its_path_or_not_at_all(self):
        text = (
            "import pydoc, troupe.as_tensorflow\nimport tensorflow as tf\n"
            "assert pydoc.locate('tensorflow.nn.relu') is tf.nn.relu\n"
            "for path in ('tensorflow.gelu', 'tensorflow.nn.gelu', 'tensorflow.python.ops.gelu'):\n"
            "    print(pydoc.locate(path))\n"
        )
        self.assertEqual(run(self.program(text)), "None\nNone\nNone\n")

    def test_an_import_in_the_program_is_enough(self):
        path = self.program("import troupe.as_tensorflow\n" + PROGRAM)
        self.assertIn("9.0", run(path))

    def test_the_package_itself_has_the_modules_of_the_source(self):
        path = self.program("from troupe.python.ops import math_ops\nprint(math_ops.add.__name__)")
        self.assertEqual(run(path), "add\n")

    def test_what_does_not_exist_is_named_at_the_line_that_uses_it(self):
        for line, says in [
            ("import tensorflow.lite", "ImportError.*has no 'lite'"),
            ("import tensorflow.nn.some", "troupe has no 'tensorflow.nn.some'"),
            ("from tensorflow.python.ops import some_ops", "ImportError.*python.ops.some_ops"),
            ("from tensorflow.python.ops.math_ops import some", "ImportError.*has no 'some'"),
            ("import tensorflow as tf; tf.quantize", "AttributeError.*quantized dtypes"),
        ]:
            self.assertRegex(self.fails(line), says)

    def test_an_error_in_a_module_that_exists_is_its_own(self):
        path = self.program("import beside")
        path.with_name("beside.py").write_text("import no_such_module")
        self.assertIn("No module named 'no_such_module'", run("-m", "troupe", path))

    def test_a_command_line_without_a_program_tells_how_to_use_it(self):
        self.assertIn("usage: python -m troupe", run("-m", "troupe"))
        self.assertIn("usage: python -m troupe", run("-m", "troupe", "--help"))
        self.assertIn("there is no file 'none.py'", run("-m", "troupe", "none.py"))


if __name__ == "__main__":
    unittest.main()
