"""The names of `tf.compat.v2`: which there are, and that their parameters are TensorFlow 2's."""

import inspect
import unittest

import troupe as tf
import troupe.as_tensorflow
from troupe._src.compat_v2.adapted import parse
from troupe._src.compat_v2.signatures import CHANGED
from troupe.compat import v2


class NamesTest(unittest.TestCase):
    def test_the_module_has_all_its_names_under_tensorflow(self):
        import tensorflow.compat.v2 as tf2
        from tensorflow.compat.v2 import linalg

        self.assertIs(tf2.linalg.cholesky, linalg.cholesky)
        self.assertIs(tf.compat.v2.Tensor, tf.Tensor)
        self.assertIs(tf2.compat.v1, tf)
        self.assertIs(tf2.compat.v2.math.log, tf.math.log)

    def test_names_of_the_first_version_alone_are_missing(self):
        for name in ("Session", "placeholder", "get_variable", "log"):
            with self.assertRaisesRegex(AttributeError, name):
                getattr(v2, name)
        self.assertNotIn("placeholder", dir(v2))
        self.assertIn("reduce_sum", dir(v2))
        self.assertIn("math", dir(v2))

    def test_all_listed_functions_have_the_parameters_that_rows_name(self):
        for place, rows in CHANGED.items():
            space = v2
            for part in filter(None, place.split(".")):
                space = getattr(space, part)
            for name, row in parse(rows).items():
                with self.subTest(f"{place}.{name}"):
                    found = list(inspect.signature(getattr(space, name)).parameters)
                    self.assertEqual(found, [each.name for each in row.parameters])

    def test_parameters_have_the_order_and_the_defaults_of_the_second_version(self):
        expected = {
            v2.reduce_sum: "(input_tensor, axis=None, keepdims=False, name=None)",
            v2.nn.softmax: "(logits, axis=None, name=None)",
            v2.squeeze: "(input, axis=None, name=None)",
            v2.nn.convolution: "(input, filters, strides=None, padding='VALID', data_format=None, "
            "dilations=None, name=None)",
            v2.random.poisson: "(shape, lam, dtype=tf.float32, seed=None, name=None)",
        }
        for function, signature in expected.items():
            self.assertEqual(str(inspect.signature(function)), signature)

    def test_what_has_other_parameters_than_the_first_version_is_adapted(self):
        tf.reset_default_graph()
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        fetches = {
            "sum": v2.reduce_sum(x, 1, True),
            "gathered": v2.gather(x, [1], None, 1),
            "where": v2.where([[True], [False]], x, 0.0),
            "argmax": v2.argmax(x, 1, tf.int32),
            "lookup": v2.nn.embedding_lookup([x, 10 * x], [1, 2]),
            "poisson": v2.random.poisson([3], 0.0),
            "pooled": v2.nn.max_pool(x[None, :, :, None], 2, 2, "VALID")[0, 0, 0, 0],
            "filled": v2.constant(7.0, shape=[2]),
            "loop": v2.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)])[0],
        }
        with tf.Session() as session:
            found = {name: value.tolist() for name, value in session.run(fetches).items()}
        self.assertEqual(found, {
            "sum": [[3.0], [7.0]], "gathered": [[2.0], [4.0]], "where": [[1.0, 2.0], [0.0, 0.0]],
            "argmax": [1, 1], "lookup": [[3.0, 4.0], [10.0, 20.0]], "poisson": [0.0, 0.0, 0.0],
            "pooled": 4.0, "filled": [7.0, 7.0], "loop": 3,
        })  # fmt: skip

    def test_wrong_arguments_are_told_by_the_names_of_the_second_version(self):
        with self.assertRaisesRegex(TypeError, "reduction_indices"):
            v2.reduce_sum([1.0], reduction_indices=0)
        with self.assertRaisesRegex(TypeError, "Expected Tensor's shape"):
            v2.constant([1, 2], shape=[3])


class VariableTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_variables_are_those_of_resources_and_of_the_collection(self):
        variable = v2.Variable([1.0], name="v")
        self.assertEqual(variable.op.type, "VarHandleOp")
        self.assertIsInstance(variable, v2.Variable)
        self.assertIsInstance(tf.Variable(1.0), v2.Variable)
        self.assertNotIsInstance(tf.constant(1.0), v2.Variable)
        self.assertTrue(issubclass(tf.Variable, v2.Variable))
        self.assertIn(variable, tf.global_variables())
        self.assertIn(variable, tf.trainable_variables())

    def test_the_third_argument_is_whether_the_shape_is_kept(self):
        variable = v2.Variable([1.0], False, True, None, "named")
        self.assertEqual(variable.op.name, "named")
        self.assertEqual(tf.trainable_variables(), [])


class NameScopeTest(unittest.TestCase):
    def test_a_scope_is_entered_again_and_has_its_name(self):
        tf.reset_default_graph()
        scope = v2.name_scope("outer")
        with scope as first:
            with scope as second:
                self.assertEqual(tf.constant(1, name="x").op.name, "outer/outer/x")
        self.assertEqual((scope.name, first, second), ("outer", "outer/", "outer/outer/"))
        with self.assertRaisesRegex(ValueError, "must be a string"):
            v2.name_scope(None)


if __name__ == "__main__":
    unittest.main()
