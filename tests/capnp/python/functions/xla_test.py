"""What programs say to XLA, which is not part of the runtime."""

import unittest

import troupe as tf


class XlaTest(tf.test.TestCase):
    def test_nodes_of_a_scope_are_as_they_are(self):
        older = tf.contrib.compiler.jit.experimental_jit_scope
        for scope in (tf.xla.experimental.jit_scope, older):
            with scope(separate_compiled_gradients=True):
                x = tf.square(3.0)
            self.assertEqual(self.evaluate(x), 9.0)

    def test_a_function_is_compiled_to_what_it_computes(self):
        compiled = tf.xla.experimental.compile(lambda x, y: x + y, [tf.constant(1.0), 2.0])
        self.assertIsInstance(compiled, list)
        self.assertEqual(self.evaluate(compiled), [3.0])
        deep = tf.contrib.compiler.xla.compile(lambda x: {"sum": [x["a"] + 1, x["b"]]},
                                               [{"a": 1, "b": 2}])  # fmt: skip
        self.assertEqual(self.evaluate(deep), {"sum": [2, 2]})

    def test_operations_behind_the_results_run_with_them(self):
        v = tf.get_variable("v", initializer=0.0)
        tensors = tf.xla.experimental.compile(lambda: (tf.constant(7.0), v.assign_add(1.0).op))
        nothing = tf.xla.experimental.compile(lambda: None if v.assign_add(2.0) is v else None)
        with self.session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(tensors), [7.0])
            self.assertIsNone(session.run(nothing))
            self.assertEqual(session.run(v), 3.0)
        with self.assertRaisesRegex(ValueError, "Tensor values followed by"):
            tf.xla.experimental.compile(lambda: (v.assign_add(1.0).op, tf.constant(7.0)))
        with self.assertRaisesRegex(TypeError, "inputs must be a list"):
            tf.xla.experimental.compile(lambda: None, 3)


if __name__ == "__main__":
    unittest.main()
