"""Functions of each element whose results nobody declares."""

import unittest

import troupe as tf


class VectorizedMapTest(tf.test.TestCase):
    def test_results_have_the_structure_and_the_dtypes_that_the_function_gives(self):
        rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        scaled, named = tf.vectorized_map(
            lambda row: (row * tf.reduce_sum(row), {"first": tf.cast(row[0], tf.int32)}), rows
        )
        sums = tf.vectorized_map(lambda pair: pair[0] + pair[1], (tf.range(3.0), tf.ones([3, 2])))
        gradient = tf.gradients(scaled, rows)
        with tf.Session() as session:
            self.assertAllClose(session.run(scaled), [[3, 6], [21, 28]])
            self.assertAllEqual(session.run(named["first"]), [1, 3])
            self.assertAllClose(session.run(sums), [[1, 1], [2, 2], [3, 3]])
            self.assertAllClose(session.run(gradient)[0], [[6, 6], [14, 14]])

    def test_what_cannot_be_mapped_is_an_error(self):
        with self.assertRaises(TypeError):
            tf.vectorized_map(3, tf.ones([2]))
        with self.assertRaises(ValueError):
            tf.vectorized_map(lambda x: x, tf.constant(1))


if __name__ == "__main__":
    unittest.main()
