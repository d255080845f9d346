"""Initializers of convolutions that keep the norms of what they are applied to."""

import itertools
import unittest

import numpy as np
import troupe as tf
from troupe.python.ops import init_ops


def shifted_products(kernel):
    """{shift: sum of K[p] K[p + shift]^T over positions p} of a kernel [positions, in, out]."""
    places = list(itertools.product(*map(range, kernel.shape[:-2])))
    sums = {}
    for one, other in itertools.product(places, places):
        shift = tuple(b - a for a, b in zip(one, other))
        sums[shift] = sums.get(shift, 0) + kernel[one] @ kernel[other].T
    return sums


class OrthogonalConvolutionsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def check(self, kernel, gain):
        for shift, product in shifted_products(kernel).items():
            expected = np.eye(kernel.shape[-2]) * gain**2 * (not any(shift))
            np.testing.assert_allclose(product, expected, atol=1e-4)

    def test_norms_are_kept(self):
        for kind, shape in (
            (init_ops.convolutional_delta_orthogonal, [3, 4]),
            (init_ops.convolutional_delta_orthogonal, [2, 3, 2]),
            (init_ops.convolutional_orthogonal_1d, [4]),
            (init_ops.convolutional_orthogonal_2d, [3, 3]),
            (init_ops.convolutional_orthogonal_2d, [1, 1]),
            (init_ops.convolutional_orthogonal_3d, [2, 2, 2]),
        ):
            made = kind(gain=2.0, seed=5)([*shape, 3, 5])
            self.assertEqual(made.shape.as_list(), [*shape, 3, 5])
            with tf.Session() as session:
                self.check(session.run(made), 2.0)

    def test_shapes_that_cannot_be_are_refused(self):
        for kind, shape, text in (
            (init_ops.convolutional_delta_orthogonal, [3, 3], "at least three"),
            (init_ops.convolutional_delta_orthogonal, [3, 4, 3], "In_filters"),
            (init_ops.convolutional_orthogonal_1d, [3, 3, 3, 3], "three-dimensional"),
            (init_ops.convolutional_orthogonal_2d, [3, 2, 3, 3], "sizes must be equal"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                kind()(shape)


class SourceNamesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_shapes_that_tensors_are(self):
        from troupe.python.framework import tensor_util

        as_shape = tensor_util.constant_value_as_shape
        unknown = tf.placeholder(tf.int32, [])
        image = tf.placeholder(tf.float32, [None, 4, 5])
        self.assertEqual(as_shape(tf.constant([2, -1])).as_list(), [2, None])
        self.assertEqual(as_shape(tf.stack([unknown, 3])).as_list(), [None, 3])
        self.assertEqual(as_shape(tf.shape(image)).as_list(), [None, 4, 5])
        both = tf.concat([tf.shape(image)[1:], tf.stack([unknown, 3])], 0)
        self.assertEqual(as_shape(both).as_list(), [4, 5, None, 3])
        self.assertEqual(as_shape(tf.placeholder(tf.int32, [2])).as_list(), [None, None])
        self.assertIsNone(as_shape(tf.constant(-1)).rank)
        with self.assertRaises(ValueError):
            as_shape(tf.constant(3))
        self.assertEqual(tensor_util.MakeNdarray(tf.make_tensor_proto([1, 2])).tolist(), [1, 2])

    def test_branches_that_are_taken_at_once_have_a_module(self):
        from troupe.python.framework import smart_cond

        pairs = [(tf.constant(False), lambda: 1), (True, lambda: 2)]
        self.assertEqual(smart_cond.smart_case(pairs), 2)
        self.assertEqual(smart_cond.smart_cond(tf.constant(True), lambda: 1, lambda: 2), 1)

    def test_a_graph_says_its_collections_and_versions(self):
        graph = tf.get_default_graph()
        self.assertEqual(graph.collections, [])
        tf.add_to_collection("things", 1)
        self.assertEqual(graph.collections, ["things"])
        versions = graph.as_graph_def().versions
        self.assertEqual(graph.graph_def_versions, versions)


if __name__ == "__main__":
    unittest.main()
