"""State of Python, arrays and split values in checkpoints."""

import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe.contrib import checkpoint


class Number(tf.train.experimental.PythonState):
    def __init__(self, value):
        self.value = value

    def serialize(self):
        return str(self.value).encode()

    def deserialize(self, string_value):
        self.value = int(string_value)


class PythonStateTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.prefix = tempfile.mkdtemp() + "/model"

    def test_state_is_that_when_a_checkpoint_is_saved(self):
        number, arrays = Number(1), checkpoint.NumpyState()
        arrays.a = np.arange(3.0)
        saved = tf.train.Checkpoint(number=number, arrays=arrays)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            number.value, arrays.a = 7, np.arange(4.0)
            first = saved.save(self.prefix, session=session)
            number.value = 8
            second = saved.save(self.prefix, session=session)
            arrays.a = np.zeros(1)
            for path, value in ((first, 7), (second, 8)):
                saved.restore(path)
                self.assertEqual(value, number.value)
                np.testing.assert_array_equal(np.arange(4.0), arrays.a)
        new = checkpoint.NumpyState()
        tf.train.Checkpoint(arrays=new).restore(first)
        np.testing.assert_array_equal(np.arange(4.0), new.a)
        with self.assertRaises(NotImplementedError):
            new.a = 3

    def test_a_value_is_saved_in_parts(self):
        packed = tf.get_variable("packed", initializer=[1.0, 2.0, 3.0])

        def fill(parts):
            parts["a"], parts["b"] = packed[:1], packed[1:]

        def consume(parts):
            return packed.assign(tf.concat([parts["a"], parts["b"]], 0))

        model = checkpoint.Checkpointable()
        parts = checkpoint.split_dependency(["a", "b"], [tf.float32] * 2, fill, consume, "")
        model.a, model.b = parts["a"], parts["b"]
        saved = tf.train.Checkpoint(model=model)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = saved.save(self.prefix, session=session)
            session.run(packed.assign([0.0, 0.0, 0.0]))
            saved.restore(path).run_restore_ops(session)
            np.testing.assert_array_equal([1, 2, 3], session.run(packed))
        names = [name for name, _ in tf.train.list_variables(path)]
        self.assertIn("model/a/.ATTRIBUTES/VARIABLE_VALUE", names)

    def test_a_picture_has_variables_and_slots(self):
        variable = tf.get_variable("v", initializer=[1.0, 2.0])
        optimizer = tf.train.AdamOptimizer(0.1)
        optimizer.minimize(tf.reduce_sum(variable**2))
        saved = tf.train.Checkpoint(variable=variable, optimizer=optimizer)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = saved.save(self.prefix, session=session)
        picture = checkpoint.dot_graph_from_checkpoint(path)
        self.assertTrue(picture.startswith("digraph {\n"))
        for text in ("color=blue", "color=orange", 'label="optimizer"', "shape=[2] float32"):
            self.assertIn(text, picture)


if __name__ == "__main__":
    unittest.main()
