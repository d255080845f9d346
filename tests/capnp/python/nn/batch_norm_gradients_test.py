"""Second derivatives of fused batch normalization, against those of the composed one."""

import unittest

import numpy as np

import troupe as tf

EPSILON = 0.01


def composed(images, scale, offset, statistics, axis):
    """Batch normalization of the moments of the batch, or of given ones."""
    rank = images.shape.rank
    shape = [-1 if each == axis else 1 for each in range(rank)]
    axes = [each for each in range(rank) if each != axis]
    if statistics is None:
        # The variance of tf.nn.moments has no exact second derivatives.
        mean = tf.reduce_mean(images, axes, keepdims=True)
        variance = tf.reduce_mean(tf.square(images - mean), axes, keepdims=True)
    else:
        mean, variance = (tf.reshape(value, shape) for value in statistics)
    normal = (images - mean) * tf.rsqrt(variance + EPSILON)
    return normal * tf.reshape(scale, shape) + tf.reshape(offset, shape)


class BatchNormGradientsTest(tf.test.TestCase):
    def second_gradients(self, outputs, inputs, weights, chosen):
        """Of a sum of the first gradients, with weights, and of its parts."""
        first = tf.gradients(outputs * tf.tanh(outputs), inputs)
        loss = tf.add_n([
            tf.reduce_sum(tf.square(first[index]) * weight)
            for index, weight in enumerate(weights) if index in chosen
        ])  # fmt: skip
        return [tf.zeros([]) if each is None else each for each in tf.gradients(loss, inputs)]

    def check(self, layout, is_training, dtype, chosen, tolerance):
        random = np.random.RandomState(0)
        channels = 3
        sizes = [2, 4, 5, channels] if layout == "NHWC" else [2, channels, 4, 5]
        vector = [channels]
        images, scale, offset = inputs = [
            tf.constant(random.normal(1.0, 2.0, shape), dtype) for shape in (sizes, vector, vector)
        ]
        weights = [random.rand(*shape) for shape in (sizes, vector, vector)]
        statistics = None
        if not is_training:
            statistics = [tf.constant(random.rand(channels) + 0.5, dtype) for _ in range(2)]
        mean, variance = statistics or (None, None)
        fused, _, _ = tf.nn.fused_batch_norm(
            images, scale, offset, mean, variance, EPSILON, layout, is_training
        )
        plain = composed(images, scale, offset, statistics, 3 if layout == "NHWC" else 1)
        found = self.second_gradients(fused, inputs, weights, chosen)
        expected = self.second_gradients(plain, inputs, weights, chosen)
        with tf.Session() as session:
            for one, other in zip(*session.run([found, expected])):
                self.assertAllClose(one, other, tolerance, tolerance)

    def test_second_derivatives_are_those_of_the_composed_one(self):
        for layout in ("NHWC", "NCHW"):
            for is_training in (True, False):
                for chosen in ([0], [1], [2], [0, 1, 2]):
                    with self.subTest(layout=layout, is_training=is_training, chosen=chosen):
                        self.check(layout, is_training, tf.float32, chosen, 2e-3)

    def test_a_penalty_of_gradients_trains_a_normalized_layer(self):
        images = tf.placeholder(tf.float16, [4, 3, 3, 2])
        scale, offset = tf.ones([2]), tf.zeros([2])
        normal, _, _ = tf.nn.fused_batch_norm(images, scale, offset, epsilon=EPSILON)
        (first,) = tf.gradients(tf.nn.relu(normal), images)
        (second,) = tf.gradients(tf.reduce_sum(tf.square(first)), images)
        self.assertEqual((second.dtype, second.shape.as_list()), (tf.float16, [4, 3, 3, 2]))
        with tf.Session() as session:
            values = session.run(second, {images: np.random.RandomState(0).rand(4, 3, 3, 2)})
        self.assertTrue(np.all(np.isfinite(values)))


if __name__ == "__main__":
    unittest.main()
