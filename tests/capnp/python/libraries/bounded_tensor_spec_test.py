"""What is known of tensors whose elements have bounds."""

import pickle
import unittest

import numpy as np

import troupe as tf
from troupe.python.framework.tensor_spec import BoundedTensorSpec, TensorSpec


class BoundedTensorSpecTest(unittest.TestCase):
    def test_bounds_are_arrays_of_the_dtype_that_are_not_written(self):
        spec = BoundedTensorSpec([2, 3], tf.float64, 0, [1, 2, 3], "x")
        self.assertEqual(spec.minimum.dtype, np.float64)
        np.testing.assert_array_equal(spec.maximum, [1.0, 2.0, 3.0])
        with self.assertRaisesRegex(ValueError, "read-only"):
            spec.maximum[0] = 7.0
        self.assertIn("minimum=array(0.)", repr(spec))

    def test_bounds_must_be_given_and_fit_the_shape(self):
        with self.assertRaisesRegex(ValueError, "minimum and maximum must be provided"):
            BoundedTensorSpec([2], tf.float32, None, 1)
        with self.assertRaisesRegex(ValueError, "maximum is not compatible with shape"):
            BoundedTensorSpec([2], tf.float32, 0, [1, 2, 3])

    def test_specifications_are_equal_if_their_bounds_are(self):
        spec = BoundedTensorSpec([2], tf.int32, 0, 2, "x")
        self.assertEqual(spec, BoundedTensorSpec([2], tf.int32, [0, 0], 2, "x"))
        self.assertNotEqual(spec, BoundedTensorSpec([2], tf.int32, 0, 3, "x"))
        self.assertEqual(pickle.loads(pickle.dumps(spec)), spec)
        self.assertEqual(hash(spec), hash(TensorSpec([2], tf.int32, "x")))

    def test_the_bounds_of_others_are_those_of_the_dtype(self):
        spec = BoundedTensorSpec.from_spec(TensorSpec([2], tf.int8, "x"))
        self.assertEqual((spec.minimum, spec.maximum, spec.name), (-128, 127, "x"))
        self.assertEqual(BoundedTensorSpec.from_spec(spec), spec)


if __name__ == "__main__":
    unittest.main()
