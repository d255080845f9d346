"""The outputs of an op by the names that its definition gives them."""

import unittest

import troupe as tf


class NamedOutputsTest(tf.test.TestCase):
    def test_several_outputs_have_names(self):
        found = tf.linalg.slogdet([[2.0, 1.0], [1.0, 3.0]])
        self.assertEqual(type(found).__name__, "LogMatrixDeterminant")
        with tf.Session() as session:
            values = session.run(found)
        self.assertAllClose([values.sign, values.log_abs_determinant], [1, 1.609438])
        self.assertEqual(tf.unique([1, 1, 2])._fields, ("y", "idx"))
        self.assertEqual(tf.qr([[1.0]])._fields, ("q", "r"))
        boxes = tf.image.combined_non_max_suppression(
            tf.zeros([1, 2, 1, 4]), tf.zeros([1, 2, 1]), 2, 2
        )
        self.assertEqual(boxes.nmsed_scores.shape.as_list(), [1, 2])

    def test_parts_of_any_number_are_in_a_list(self):
        self.assertIsInstance(tf.split([1, 2], 2), list)
        self.assertIsInstance(tf.raw_ops.Unpack(value=[1, 2], num=2), list)


if __name__ == "__main__":
    unittest.main()
