"""Second derivatives of branches, arrays, functions, repeated code; those of loops are refused."""

import functools
import unittest

import numpy as np

import troupe as tf
from troupe.python.framework import function
from troupe.python.ops import functional_ops

POINT = np.array([0.3, 0.7, 1.1])


def total(x):
    return tf.reduce_sum(x)


def branches(is_first):
    """A branch whose second derivatives are not zero, and one whose are."""
    return lambda x: tf.cond(
        tf.equal(total(x) > 1, is_first), lambda: total(tf.sin(x) * x), lambda: total(x**3)
    )


def branches_in_branches(x):
    return tf.cond(
        total(x) > 1,
        lambda: tf.case(
            [(x[0] > 5, lambda: total(x)), (x[1] > 0, lambda: total(x**4))],
            default=lambda: x[0],
        ),
        lambda: total(x),
    )


def gathered_array(x):
    array = tf.TensorArray(tf.float64, 3).scatter([2, 0, 1], x**2)
    return total(array.gather([0, 1, 2]) ** 2 * [1, 2, 3])


def joined_array(x):
    array = tf.TensorArray(tf.float64, 2, infer_shape=False).split(x**2, [1, 2])
    return total(array.concat() ** 3)


def written_array(x):
    array = tf.TensorArray(tf.float64, 3)
    for i in range(3):
        array = array.write(i, tf.sin(x[i]) * x[i - 1])
    return total(array.stack() ** 2)


@function.Defun(tf.float64)
def squares_of_sines(x):
    return tf.reduce_sum(tf.sin(x) * x * x)


@function.Defun(tf.float64)
def plain(x):
    return tf.reduce_sum(x)


@function.Defun(tf.int32, tf.float64)
def is_early(i, x):
    return i < 3


@function.Defun(tf.int32, tf.float64)
def next_sine(i, x):
    return i + 1, tf.sin(x) * x


class SecondDerivativesTest(tf.test.TestCase):
    def check(self, f):
        """The derivatives of the sum of the first ones are as central differences say."""
        x = tf.placeholder(tf.float64, [3])
        (first,) = tf.gradients(f(x), [x])
        (second,) = tf.gradients(first, [x])
        step = 1e-5
        with tf.Session() as session:
            found = session.run(second, {x: POINT})
            for i, unit in enumerate(np.eye(3)):
                above = session.run(first, {x: POINT + step * unit}).sum()
                below = session.run(first, {x: POINT - step * unit}).sum()
                self.assertAlmostEqual(found[i], (above - below) / (2 * step), places=6)
            self.assertTrue(np.any(np.abs(found) > 0.1), found)

    def test_of_branches(self):
        self.check(branches(True))
        self.check(branches(False))
        self.check(branches_in_branches)

    def test_of_arrays(self):
        self.check(gathered_array)
        self.check(joined_array)
        self.check(written_array)

    def test_of_functions(self):
        self.check(lambda x: squares_of_sines(x))
        self.check(lambda x: tf.function(lambda a: total(tf.tanh(a) * a))(x))
        self.check(lambda x: functional_ops.If(total(x) > 1, [x], squares_of_sines, plain)[0])

    def test_of_repeated_code(self):
        self.check(lambda x: functools.reduce(lambda y, _: tf.tanh(y * x + x), range(4), x))

    def test_beside_a_loop(self):
        def f(x):
            count = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
            return total(x**3) * tf.cast(count, tf.float64)

        self.check(f)

    def test_of_loops_are_refused_as_by_tensorflow(self):
        x = tf.placeholder(tf.float64, [3])
        loops = [
            tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, tf.sin(v) * x), [0, x])[1],
            functional_ops.While([tf.constant(0), x], is_early, next_sine)[1],
        ]
        for y in loops:
            (first,) = tf.gradients(y, [x])
            with self.assertRaisesRegex(
                TypeError, "^Second-order gradient for while loops not supported."
            ):
                tf.gradients(first, [x])


if __name__ == "__main__":
    unittest.main()
