"""Moving averages of batch normalization."""

import numpy as np

import troupe as tf

IMAGES = np.random.RandomState(1).rand(5, 2, 2, 3).astype(np.float32)


class MovingMomentsTest(tf.test.TestCase):
    def updated(self, momentum=0.0, **arguments):
        """(mean, variance) after one update."""
        tf.layers.batch_normalization(tf.constant(IMAGES), momentum=momentum, **arguments)
        names = ["batch_normalization/moving_mean:0", "batch_normalization/moving_variance:0"]
        with self.cached_session() as session:
            session.run(tf.global_variables_initializer())
            feeds = {each: True for each in tf.get_collection("flag")}
            session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), feeds)
            return session.run(names)

    def flag(self):
        flag = tf.placeholder(tf.bool)
        tf.add_to_collection("flag", flag)
        return flag

    def test_variances_of_images_are_those_of_the_population_where_a_tensor_says_to_train(self):
        _, variance = self.updated(training=self.flag())
        self.assertAllClose(variance, IMAGES.var((0, 1, 2)) * 20 / 19, rtol=1e-5)

    def test_variances_by_ops_of_elements_are_those_of_the_batch(self):
        _, variance = self.updated(training=self.flag(), fused=False)
        self.assertAllClose(variance, IMAGES.var((0, 1, 2)), rtol=1e-5)

    def test_an_update_by_a_thousandth_is_exact(self):
        # In float32, 1 - 0.999 is off by a part in 80,000.
        mean, _ = self.updated(0.999, training=True)
        np.testing.assert_allclose(mean, IMAGES.mean((0, 1, 2)) / 1000, rtol=1e-6)

    def test_averages_are_not_divided(self):
        partitioner = tf.fixed_size_partitioner(2)
        with tf.variable_scope("scope", partitioner=partitioner):
            tf.contrib.layers.batch_norm(tf.constant(IMAGES))
        names = [variable.name for variable in tf.global_variables()]
        self.assertIn("scope/BatchNorm/moving_mean:0", names)
        self.assertIn("scope/BatchNorm/beta/part_0:0", names)


class ContribMomentsTest(tf.test.TestCase):
    """Those of `tf.contrib.layers.batch_norm`."""

    def after(self, steps, **arguments):
        """(result, mean, variance) after some updates."""
        result = tf.contrib.layers.batch_norm(tf.constant(IMAGES), 0.9, **arguments)
        fetches = [result, "BatchNorm/moving_mean:0", "BatchNorm/moving_variance:0"]
        flags = tf.get_collection("flag")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for trains in steps:
                feeds = {flag: trains for flag in flags}
                session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), feeds)
            return session.run(fetches, {flag: False for flag in flags})

    def test_a_mean_without_bias_is_right_after_one_update(self):
        for fused in (True, False):
            with self.subTest(fused=fused), tf.Graph().as_default():
                _, mean, _ = self.after([True], fused=fused, zero_debias_moving_mean=True)
                self.assertAllClose(mean, IMAGES.mean((0, 1, 2)))

    def test_a_mean_without_bias_stays_where_a_tensor_says_not_to_train(self):
        flag = tf.placeholder(tf.bool)
        tf.add_to_collection("flag", flag)
        steps = [False, True, False]
        _, mean, _ = self.after(steps, is_training=flag, zero_debias_moving_mean=True)
        self.assertAllClose(mean, IMAGES.mean((0, 1, 2)))

    def test_examples_of_weight_zero_do_not_count(self):
        weights = [1.0, 0.0, 1.0, 0.0, 1.0]
        result, mean, variance = self.after([True] * 200, batch_weights=weights)
        chosen = IMAGES[::2]
        self.assertAllClose(mean, chosen.mean((0, 1, 2)), atol=1e-5)
        self.assertAllClose(variance, chosen.var((0, 1, 2)), atol=1e-5)
        self.assertAllClose(result[::2].mean((0, 1, 2)), [0.0] * 3, atol=1e-5)

    def test_another_number_of_weights_is_refused(self):
        with self.assertRaises(ValueError):
            tf.contrib.layers.batch_norm(tf.constant(IMAGES), batch_weights=[1.0, 2.0])

    def test_corrections_are_refused_with_weights(self):
        with self.assertRaisesRegex(ValueError, "renorm is not supported"):
            tf.contrib.layers.batch_norm(IMAGES, renorm=True, batch_weights=[1.0] * 5)


class NamesTest(tf.test.TestCase):
    def test_nodes_of_pooling_are_in_its_scope(self):
        layers = tf.contrib.layers
        images, volumes = tf.constant(IMAGES), tf.ones([1, 2, 2, 2, 1])
        self.assertEqual(layers.max_pool2d(images, 2, scope="pool1").op.name, "pool1/MaxPool")
        self.assertEqual(layers.avg_pool2d(images, 2).op.name, "AvgPool2D/AvgPool")
        self.assertEqual(layers.max_pool3d(volumes, 2).op.name, "MaxPool3D/MaxPool3D")

    def test_pooling_refuses_inputs_of_another_rank(self):
        with self.assertRaisesRegex(ValueError, "ndim=4"):
            tf.contrib.layers.max_pool2d(tf.ones([2, 2]), 2)

    def test_the_node_of_an_encoding_is_one_hot(self):
        made = tf.contrib.layers.one_hot_encoding([0, 1], 2)
        self.assertEqual(made.op.name, "OneHotEncoding/one_hot")


if __name__ == "__main__":
    tf.test.main()
