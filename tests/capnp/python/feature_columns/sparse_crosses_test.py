"""Combinations of the values of tensors, with the texts and hashes of TensorFlow 1.15."""

import unittest

import troupe as tf


class SparseCrossesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.words = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2])
        self.numbers = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([3, 4]), [2, 1])

    def test_values_are_joined_or_hashed_row_by_row(self):
        dense = tf.constant([["f"], ["g"]])
        with tf.Session() as session:
            crossed = session.run(tf.sparse.cross([self.words, self.numbers, dense]))
            self.assertEqual(crossed.values.tolist(), [b"a_X_3_X_f", b"b_X_4_X_g", b"c_X_4_X_g"])
            self.assertEqual(crossed.indices.tolist(), [[0, 0], [1, 0], [1, 1]])
            self.assertEqual(crossed.dense_shape.tolist(), [2, 2])
            hashed = session.run(tf.sparse.cross_hashed([self.words, self.numbers], 100))
            self.assertEqual(hashed.values.tolist(), [86, 90, 22])
            keyed = tf.sparse.cross_hashed([self.words, tf.constant([[1], [2]])], hash_key=5)
            self.assertEqual(
                session.run(keyed.values).tolist(),
                [151159793336208921, 1196596830027947867, 7709819481111942821],
            )

    def test_the_inputs_are_a_list_of_tensors(self):
        with self.assertRaisesRegex(TypeError, "Inputs must be a list"):
            tf.sparse.cross((self.words,))
        with self.assertRaisesRegex(TypeError, "All inputs must be SparseTensors"):
            tf.sparse.cross([1])


if __name__ == "__main__":
    unittest.main()
