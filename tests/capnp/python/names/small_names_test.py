"""Names that stand for what has another name, and small functions of others."""

import pathlib
import unittest

import numpy as np

import troupe as tf


class SmallNamesTest(tf.test.TestCase):
    def test_functions_of_manip_are_those_of_the_package(self):
        x = tf.constant([[1, 2], [3, 4]])
        found = self.evaluate(
            [tf.manip.roll(x, 1, 0), tf.manip.tile(x, [1, 2]), tf.manip.reverse(x, [0])]
        )
        self.assertAllEqual(found[0], [[3, 4], [1, 2]])
        self.assertAllEqual(found[1], [[1, 2, 1, 2], [3, 4, 3, 4]])
        self.assertAllEqual(found[2], [[3, 4], [1, 2]])
        self.assertIs(tf.manip.gather_nd, tf.gather_nd)

    def test_ways_of_communication_have_names(self):
        kinds = tf.distribute.experimental.CollectiveCommunication
        self.assertEqual([each.name for each in kinds], ["AUTO", "RING", "NCCL"])
        strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy(kinds.RING)
        self.assertGreaterEqual(strategy.num_replicas_in_sync, 1)

    def test_resources_are_beside_the_calling_module(self):
        here = pathlib.Path(__file__)
        loader = tf.resource_loader
        self.assertEqual(loader.get_data_files_path(), str(here.parent))
        self.assertEqual(loader.get_path_to_datafile("a"), str(here.parent / "a"))
        self.assertEqual(loader.load_resource(here.name), here.read_bytes())
        self.assertEqual(tf.io.gfile.join("a", "b"), "a/b")

    def test_orthogonal_matrices_times_themselves_are_the_identity(self):
        for shape, dtype in (([4, 3], tf.float32), ([2, 2, 7], tf.float64)):
            initialize = tf.orthogonal_initializer(gain=2.0, seed=3, dtype=dtype)
            value = self.evaluate(initialize(shape))
            self.assertEqual((value.shape, value.dtype), (tuple(shape), dtype.as_numpy_dtype))
            flat = value.reshape(-1, shape[-1])
            product = flat.T @ flat if flat.shape[0] >= flat.shape[1] else flat @ flat.T
            self.assertAllClose(product, 4 * np.eye(min(flat.shape)), atol=1e-5)
        v = tf.get_variable("v", [3, 3], initializer=tf.initializers.orthogonal())
        self.assertEqual(v.dtype, tf.float32)
        with self.assertRaisesRegex(ValueError, "two-dimensional"):
            tf.orthogonal_initializer()([3])

    def test_functions_of_elements_know_their_zeros(self):
        x = tf.constant([0.0, 2.0, 0.0])
        y = tf.constant([-1.0, 1.0, 3.0])
        product = tf.math.xlog1py(x, y)
        found = self.evaluate([product, tf.gradients(product, y)[0], tf.math.reciprocal_no_nan(x)])
        self.assertAllClose(found[0], [0.0, 2 * np.log(2), 0.0])
        self.assertAllClose(found[1], [0.0, 1.0, 0.0])
        self.assertAllClose(found[2], [0.0, 0.5, 0.0])

    def test_slices_are_gathered_in_batches_and_tensors_pass_as_they_are(self):
        params = tf.constant([[1, 2, 3], [4, 5, 6]])
        gathered = tf.batch_gather(params, [[2, 0], [1, 1]])
        same = tf.identity_n([params, gathered])
        self.assertAllEqual(self.evaluate(same[1]), [[3, 1], [5, 5]])
        value = tf.SparseTensorValue([[0]], [1.0], [2])
        self.assertIsInstance(tf.convert_to_tensor_or_sparse_tensor(value), tf.SparseTensor)
        self.assertIsInstance(tf.convert_to_tensor_or_sparse_tensor([1]), tf.Tensor)
        with self.assertRaisesRegex(RuntimeError, "Sparse dtype"):
            tf.convert_to_tensor_or_sparse_tensor(value, tf.int32)

    def test_there_is_neither_eager_execution_nor_a_gpu(self):
        tf.disable_control_flow_v2()
        tf.disable_v2_tensorshape()
        tf.disable_tensor_equality()
        for is_there in (
            tf.control_flow_v2_enabled, tf.executing_eagerly_outside_functions,
            tf.test.is_built_with_rocm, tf.test.is_built_with_xla,
            tf.test.is_built_with_gpu_support,
        ):  # fmt: skip
            self.assertFalse(is_there())
        self.assertEqual(tf.compat.dimension_value(tf.Dimension(3)), 3)
        self.assertEqual(tf.get_logger().name, "troupe")


if __name__ == "__main__":
    unittest.main()
