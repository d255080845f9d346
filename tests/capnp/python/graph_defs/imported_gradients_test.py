"""Functions of a GraphDef keep the functions that give their gradients."""

import unittest

import troupe as tf
from troupe.python.framework import function


class ImportedGradientsTest(tf.test.TestCase):
    def test_functions_keep_their_gradient_functions(self):
        @function.Defun(tf.float32, tf.float32)
        def slope(x, dy):
            return dy * 7.0

        @function.Defun(tf.float32, grad_func=slope)
        def f(x):
            return x * x

        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [], name="x")
            tf.identity(f(x), name="y")
            graph_def = graph.as_graph_def()
        self.assertEqual(len(graph_def.library.gradient), 1)
        # Another program does not know the function of Python that this one would call.
        for node in graph_def.node:
            if "_gradient_op_type" in node.attr:
                node.attr["_gradient_op_type"].s = b"PartitionedCall-12"
        with tf.Graph().as_default() as other:
            tf.import_graph_def(graph_def, name="")
            (dx,) = tf.gradients(
                other.get_tensor_by_name("y:0"), [other.get_tensor_by_name("x:0")]
            )
        with tf.Session(graph=other) as session:
            self.assertEqual(session.run(dx, {"x:0": 3.0}), 7)


if __name__ == "__main__":
    unittest.main()
