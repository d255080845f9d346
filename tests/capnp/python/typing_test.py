"""Type annotations: of the package itself, and in programs that use it."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import troupe

PACKAGE = pathlib.Path(troupe.__file__).parent
CONFIG = pathlib.Path(__file__).resolve().parents[3] / "capnp/python/pyproject.toml"

PROGRAM = """
    import troupe as tf

    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", [2, 1])
    y = tf.nn.relu(tf.matmul(x, w) + 1.0)
    loss = tf.reduce_mean(tf.square(y))
    step = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    server: tf.train.Server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
        session.run([step, loss], {x: [[1.0, 2.0]]})
    reveal_type(y)
    reveal_type(tf.raw_ops.Neg(x=y))
    reveal_type(step)
    wrong: int = tf.exp(y)
"""


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class TypingTest(unittest.TestCase):
    def mypy(self, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir", PACKAGE.parent / ".mypy", *arguments],
            env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_the_package_passes_mypy_strict(self):
        self.assertIn("Success", self.mypy("--config-file", CONFIG))

    def test_a_program_sees_the_types_of_public_names(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as program:
            program.write(textwrap.dedent(PROGRAM))
            program.flush()
            output = self.mypy("--strict", "--follow-imports", "silent", program.name)
        self.assertEqual(
            output.count('Revealed type is "troupe._src.graph.elements.Tensor"'), 2, output
        )
        self.assertIn('Revealed type is "troupe._src.graph.elements.Operation"', output)
        self.assertIn('has type "Tensor", variable has type "int"', output)
        self.assertIn("Found 1 error", output)


if __name__ == "__main__":
    unittest.main()
