"""Ops of a library, loaded by a program."""

import inspect
import os
import unittest

import numpy as np

import troupe as tf

LIBRARY = os.path.join(os.environ["TROUPE_PROGRAMS"], "libop_library.so")
ROWS = np.array([[3.0, 4.0], [0.0, 2.0]], np.float32)


class OpLibraryTest(tf.test.TestCase):
    def test_a_function_of_the_library_adds_its_op(self):
        row_norms = tf.load_op_library(LIBRARY).row_norms
        norms = row_norms(ROWS, name="norms")
        self.assertEqual(norms.op.type, "RowNorms")
        self.assertEqual(norms.name, "norms:0")
        self.assertEqual(norms.shape.as_list(), [2])
        with tf.Session() as session:
            self.assertAllEqual(session.run(norms), [5, 2])

    def test_a_graph_that_was_there_before_has_the_ops(self):
        x = tf.constant(ROWS)
        norms = tf.load_op_library(LIBRARY).row_norms(x)
        gradient = tf.gradients(norms, x)[0]
        with tf.Session() as session:
            self.assertAllClose(session.run(gradient), [[0.6, 0.8], [0, 1]])

    def test_functions_have_signatures_and_docstrings(self):
        row_norms = tf.load_op_library(LIBRARY).row_norms
        self.assertEqual(str(inspect.signature(row_norms)), "(x, name=None)")
        self.assertIn("Euclidean norm", row_norms.__doc__)

    def test_errors_name_the_file(self):
        with self.assertRaisesRegex(tf.errors.NotFoundError, "/no/such.so"):
            tf.load_op_library("/no/such.so")
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "op_library_test"):
            tf.load_op_library(__file__)


if __name__ == "__main__":
    unittest.main()
