"""Ops that graphs of TensorFlow have, and the module does not make."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf


def op(name):
    return getattr(tf.raw_ops, name)


def run(value, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(value, feeds)


class OlderOpsTest(tf.test.TestCase):
    def test_placeholders_are_fed(self):
        x = op("PlaceholderV2")(dtype=tf.float32, shape=[2])
        self.assertAllEqual(run(x * 2.0, {x: [1, 2]}), [2, 4])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be fed"):
            run(x * 2.0)
        unused = op("FakeParam")(dtype=tf.float32, shape=[3, None])
        self.assertEqual(run(unused).shape, (3, 0))

    def test_a_reference_can_be_assigned_through_another(self):
        v = tf.Variable([1.0, 2.0], use_resource=False)
        same = op("RefIdentity")(input=v._ref())
        with tf.Session() as session:
            session.run(v.initializer)
            session.run(tf.raw_ops.Assign(ref=same, value=[3.0, 4.0]))
            self.assertAllEqual(session.run(v), [3, 4])
            (gradient,) = tf.gradients(tf.square(same), v)
            self.assertAllEqual(session.run(gradient), [6, 8])

    def test_a_constant_is_the_content_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "numbers")
            np.float32([[1, 2, 3], [4, 5, 6]]).tofile(path)

            def constant(shape, path=path, dtype=tf.float32):
                name = op("ImmutableConst")
                return run(name(dtype=dtype, shape=shape, memory_region_name=path))

            self.assertAllEqual(constant([2, 3]), [[1, 2, 3], [4, 5, 6]])
            for wrong in ({"shape": [7]}, {"shape": [1], "dtype": tf.string}):
                with self.assertRaises(tf.errors.OpError):
                    constant(**wrong)
            with self.assertRaises(tf.errors.NotFoundError):
                constant([1], path + "2")

    def test_a_crop_is_a_part_of_the_image(self):
        image = np.arange(5 * 4 * 2).reshape(5, 4, 2).astype(np.float32)
        crop = op("RandomCrop")(image=image, size=np.int64([2, 3]), seed=5, seed2=6)
        found = run(crop)
        at, to = divmod(int(found[0, 0, 0]) // 2, 4)
        self.assertAllEqual(found, image[at : at + 2, to : to + 3])
        self.assertAllEqual(
            run(op("RandomCrop")(image=image, size=np.int64([5, 4]))), image
        )
        with self.assertRaises(tf.errors.FailedPreconditionError):
            run(op("RandomCrop")(image=image, size=np.int64([6, 4])))

    def test_state_of_generators(self):
        self.assertEqual(run(op("NonDeterministicInts")(shape=[3], dtype=tf.int64)).shape, (3,))
        state = tf.Variable([1, 0, 0], dtype=tf.int64, use_resource=True)
        drawn = op("StatefulRandomBinomial")(
            resource=state.handle, algorithm=np.int64(1), shape=[4], counts=9.0, probs=1.0,
            dtype=tf.int32,
        )  # fmt: skip
        self.assertAllEqual(run(drawn), [9] * 4)

    def test_products_of_matrices_that_have_many_zeros(self):
        a, b = np.float32([[0, 1], [2, 0]]), np.float32([[3, 0], [0, 4]])
        product = tf.sparse_matmul(a, b, transpose_a=True, a_is_sparse=True)
        self.assertEqual(product.op.type, "SparseMatMul")
        self.assertAllEqual(run(product), a.T @ b)
        for transposed in ((False, False), (False, True), (True, False), (True, True)):
            x, y = (tf.constant(np.random.rand(3, 3).astype(np.float32)) for _ in range(2))
            products = (
                tf.sparse_matmul(x, y, *transposed), tf.matmul(x, y, *transposed)
            )  # fmt: skip
            found, expected = run([tf.gradients(tf.sin(each), [x, y]) for each in products])
            self.assertAllClose(found, expected)

    def test_gradients_of_scaled_images_are_the_weights_of_their_pixels(self):
        def scaled(images):
            return op("ScaleAndTranslate")(
                images=images, size=[3, 4], scale=[0.6, 1.5], translation=[0.2, -0.5]
            )

        ones = np.eye(12, dtype=np.float32).reshape(12, 3, 4, 1)  # an image for each pixel
        upstream = np.random.RandomState(3).rand(1, 3, 4, 1).astype(np.float32)
        x = tf.constant(np.random.RandomState(4).rand(1, 3, 4, 1).astype(np.float32))
        (found,) = run(tf.gradients(scaled(x), x, upstream))
        expected = (run(scaled(ones)) * upstream).sum(axis=(1, 2, 3))
        self.assertAllClose(found.reshape(12), expected)

    def test_all_images_are_padded_and_multiplied_with_filters(self):
        images = np.random.RandomState(3).rand(3, 5, 6, 2).astype(np.float32)
        kernel = np.random.RandomState(4).rand(3, 2, 2, 4).astype(np.float32)
        paddings = np.int32([[0, 0], [1, 2], [2, 0], [0, 0]])
        options = {"filter": kernel, "strides": [1, 1, 2, 1], "padding": "VALID"}
        padded = tf.pad(images, paddings, mode="SYMMETRIC")
        expected = run(tf.nn.conv2d(padded, **options))
        inputs = {"input": images, "paddings": paddings, "mode": "SYMMETRIC", **options}
        self.assertAllClose(run(op("FusedPadConv2D")(**inputs)), expected)
        inputs["size"] = [5, 6]
        self.assertAllClose(run(op("FusedResizeAndPadConv2D")(**inputs)), expected)

    def test_images_at_places_between_their_pixels(self):
        data = tf.constant(np.float32([1, 2, 3, 4]).reshape(1, 2, 2, 1))
        warp = tf.constant(np.float32([[[0.5, 0.0], [1.0, 0.5], [-0.5, 0.0], [9.0, 9.0]]]))
        places = tf.contrib.resampler.resampler(data, warp)
        self.assertEqual(places.op.type, "Resampler")
        self.assertAllClose(run(places)[0, :, 0], [1.5, 3.0, 0.5, 0.0])
        of_data, of_warp = run(tf.gradients(places, [data, warp]))
        self.assertAllClose(of_data.reshape(4), [1.0, 1.0, 0.0, 0.5])
        self.assertAllClose(of_warp[0, :2], [[1, 2], [-3, 2]])


if __name__ == "__main__":
    unittest.main()
