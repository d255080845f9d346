"""Functions that libraries import from the place of TensorFlow's linear operators."""

import unittest

import numpy as np

import troupe as tf
from troupe.python.ops.linalg import (
    linear_operator_addition,
    linear_operator_algebra,
    linear_operator_kronecker,
    linear_operator_util,
)


class OperatorUtilitiesTest(tf.test.TestCase):
    def test_modules_of_operators_have_them(self):
        self.assertIs(
            linear_operator_kronecker.LinearOperatorKronecker, tf.linalg.LinearOperatorKronecker
        )
        self.assertIs(linear_operator_addition.add_operators, tf.contrib.linalg.add_operators)
        key = (tf.linalg.LinearOperatorDiag,)
        found = linear_operator_algebra._registered_adjoint(*key)
        self.assertIs(linear_operator_algebra._ADJOINTS[key], found)

    def test_batches_are_broadcast_with_known_shapes(self):
        x, y = np.random.rand(3, 1, 2, 1, 5), np.random.rand(4, 1, 3, 7)
        one, other = linear_operator_util.broadcast_matrix_batch_dims([x, y])
        self.assertEqual((one.shape, other.shape), ((3, 4, 2, 1, 5), (3, 4, 2, 3, 7)))
        self.assertAllClose(self.evaluate(one), np.broadcast_to(x, one.shape))
        partly = tf.placeholder_with_default(y, [4, 1, None, 7])
        _, other = linear_operator_util.broadcast_matrix_batch_dims([x, partly])
        self.assertEqual(other.shape.as_list()[:3], [3, 4, 2])
        self.assertAllClose(self.evaluate(other), np.broadcast_to(y, [3, 4, 2, 3, 7]))
        self.assertEqual(linear_operator_util.broadcast_matrix_batch_dims([]), [])
        with self.assertRaisesRegex(ValueError, "at least two dim"):
            linear_operator_util.broadcast_matrix_batch_dims([x, [1.0]])

    def test_elements_are_checked_in_a_step(self):
        util, diagonal = linear_operator_util, tf.linalg.LinearOperatorDiag([1.0, 2.0])
        self.evaluate(util.assert_zero_imag_part([1.0], message="A"))
        self.evaluate(util.assert_zero_imag_part(np.array([1.0 + 0j]), message="A"))
        self.evaluate(util.assert_no_entries_with_modulus_zero(np.array([1j]), message="A"))
        self.evaluate(util.assert_compatible_matrix_dimensions(diagonal, np.ones([2, 3])))
        unknown = tf.placeholder_with_default(np.ones([3, 2]), None)
        for failing, text in (
            (lambda: util.assert_zero_imag_part(np.array([1j]), message="A"), "A"),
            (lambda: util.assert_no_entries_with_modulus_zero([0.0], message="A"), "A"),
            (lambda: util.assert_compatible_matrix_dimensions(diagonal, unknown), "compatible"),
        ):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, text):
                self.evaluate(failing())

    def test_hints_must_not_contradict(self):
        for known, given, wanted in (
            (None, True, True), (None, None, None), (True, None, True), (False, None, False),
        ):  # fmt: skip
            operator = tf.linalg.LinearOperatorFullMatrix(np.ones([2, 2]), is_non_singular=known)
            arguments = (operator, "is_non_singular", given, "text")
            found = linear_operator_util.use_operator_or_provided_hint_unless_contradicting(
                *arguments
            )
            self.assertIs(found, wanted)
        with self.assertRaisesRegex(ValueError, "text"):
            linear_operator_util.use_operator_or_provided_hint_unless_contradicting(
                operator, "is_non_singular", True, "text"
            )


if __name__ == "__main__":
    unittest.main()
