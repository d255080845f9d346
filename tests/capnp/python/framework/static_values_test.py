"""Values that are known while a graph is built, through ops that the runtime does not fold."""

import unittest

import numpy as np

import troupe as tf


class StaticValuesTest(tf.test.TestCase):
    def test_they_are_those_of_a_step(self):
        rows, vector = tf.constant([[1, 2], [3, 4]]), tf.constant([1, 2, 3])
        floats, mask = tf.constant([1.5, -2.5]), [True, False, True]
        for tensor in (
            tf.where(mask), tf.where(mask, vector, -vector), tf.where([True, False], rows, -rows),
            tf.compat.v2.where(mask, vector, 7), tf.cumsum(vector),
            tf.cumsum(vector, exclusive=True), tf.cumsum(rows, axis=1, reverse=True),
            tf.cumsum(rows, exclusive=True, reverse=True), tf.ceil(floats), tf.floor(floats),
            tf.gather(rows, [1], axis=1), tf.boolean_mask(vector, mask),
            tf.boolean_mask(rows, [False, True]), tf.cast(floats, tf.int32),
            tf.cast(vector, tf.bool), tf.ceil(tf.cast(tf.shape(rows), tf.float32) / 3),
            tf.equal(vector, 2), tf.not_equal(["a", "b"], "a"), tf.less(vector, 2),
            tf.greater_equal(vector, 2) & tf.less_equal(vector, 2) | tf.logical_not(mask),
            tf.expand_dims(tf.cumsum(vector), 0), tf.reshape(tf.cumsum(vector), [3, 1]),
            tf.squeeze(tf.where(mask)), tf.identity(tf.ceil(floats)), floats * 2.0 - 1.0 + floats,
            tf.concat([floats, tf.ceil(floats)], 0), tf.stack([floats, -floats]),
            tf.fill([2], tf.ceil(1.5)), tf.greater(vector, 1),
        ):  # fmt: skip
            found = tf.get_static_value(tensor)
            self.assertIsNotNone(found, tensor)
            wanted = self.evaluate(tensor)
            self.assertAllEqual(found, wanted)
            self.assertEqual(found.dtype, wanted.dtype, tensor)
        self.assertIs(tf.contrib.util.constant_value, tf.get_static_value)

    def test_what_depends_on_a_step_is_not_known(self):
        fed, known = tf.placeholder(tf.int32, [2]), tf.constant([1, 2])
        for tensor in (
            tf.cumsum(fed), tf.where(tf.equal(fed, 1)), tf.cast(fed, tf.float32),
            tf.gather(known, fed), tf.where([True, False], known, fed), tf.random_normal([2]),
            tf.cast(tf.ceil(1.5), tf.bfloat16),
        ):  # fmt: skip
            self.assertIsNone(tf.get_static_value(tensor))
        self.assertIsNone(tf.get_static_value(tf.stack([known, fed])))
        self.assertIsNone(tf.get_static_value(tf.stack([tf.ceil([1.5]), [1.0]], axis=1)))
        # An error belongs to the step.
        self.assertIsNone(tf.get_static_value(tf.gather(tf.cumsum(known), [5])))

    def test_long_chains_end(self):
        value = doubled = tf.constant([1.5])
        for _ in range(200):
            value = tf.ceil(value)
        self.assertIsNone(tf.get_static_value(value))
        for _ in range(40):  # each one is computed once
            doubled = doubled + doubled
        self.assertAllEqual(tf.get_static_value(doubled), [1.5 * 2.0**40])


if __name__ == "__main__":
    unittest.main()
