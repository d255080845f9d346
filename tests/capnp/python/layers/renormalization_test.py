"""Batch renormalization, virtual batches and adjustments, against formulas over several steps."""

import numpy as np

import troupe as tf

EPSILON = 1e-3


def batches(count, *shape):
    random = np.random.RandomState(7)
    channels = np.arange(shape[-1]) + 1
    return [(random.randn(*shape) * channels + channels).astype(np.float32) for _ in range(count)]


class RenormalizationTest(tf.test.TestCase):
    def test_training_is_corrected_by_averages_from_before_the_step(self):
        x = tf.placeholder(tf.float32, [8, 3])
        bounds = {"rmin": 0.5, "rmax": 1.5, "dmax": 0.3}
        outputs = tf.layers.batch_normalization(
            x,
            momentum=0.9,
            training=True,
            renorm=True,
            renorm_clipping=bounds,
            renorm_momentum=0.7,
        )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        # gamma, beta, then the averages.
        averages = tf.global_variables()[2:]
        self.assertEqual(len(updates), 2)
        mean, stddev, renorm_mean, renorm_stddev = np.zeros(3), np.ones(3), np.zeros(3), np.ones(3)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for batch in batches(6, 8, 3):
                found, _ = session.run([outputs, updates], {x: batch})
                batch_mean, batch_stddev = batch.mean(0), np.sqrt(batch.var(0) + EPSILON)
                r = np.clip(batch_stddev / renorm_stddev, 0.5, 1.5)
                d = np.clip((batch_mean - renorm_mean) / renorm_stddev, -0.3, 0.3)
                expected = (batch - batch_mean) / batch_stddev * r + d
                self.assertAllClose(found, expected, rtol=1e-4, atol=1e-5)
                mean += (batch_mean - mean) * 0.1
                stddev += (batch_stddev - stddev) * 0.1
                renorm_mean += (batch_mean - renorm_mean) * 0.3
                renorm_stddev += (batch_stddev - renorm_stddev) * 0.3
                variance = stddev**2 - EPSILON
                kept = [mean, variance, stddev, renorm_mean, renorm_stddev]
                self.assertAllClose(session.run(averages), kept, rtol=1e-4, atol=1e-5)

    def test_unclipped_training_normalizes_by_the_averages(self):
        (batch,) = batches(1, 4, 2)
        layer = tf.layers.BatchNormalization(
            renorm=True,
            moving_mean_initializer=tf.constant_initializer(2.0),
            moving_variance_initializer=tf.constant_initializer(9.0),
        )
        outputs = layer(batch, training=True)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(outputs), (batch - 2) / 3, rtol=1e-4)
            self.assertAllClose(session.run(layer.renorm_stddev), [3, 3])

    def test_corrections_have_no_gradient(self):
        (batch,) = batches(1, 4, 2)
        x, weights = tf.constant(batch), np.float32([[1, 2], [0, 1], [3, 0], [1, 1]])
        gradients = []
        for renorm in (False, True):
            layer = tf.layers.BatchNormalization(renorm=renorm)
            outputs = layer(x, training=True) * weights
            gradients += tf.gradients(outputs, x)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            plain, corrected = session.run(gradients)
            # r is the deviation of the batch, as that of the averages is 1.
            self.assertAllClose(corrected, plain * np.sqrt(batch.var(0) + EPSILON), rtol=1e-4)

    def test_a_step_that_does_not_train_changes_no_average(self):
        (batch,) = batches(1, 4, 2)
        training = tf.placeholder(tf.bool, [])
        outputs = tf.layers.batch_normalization(
            batch,
            training=training,
            renorm=True,
            adjustment=lambda shape: (tf.fill(shape[-1:], 2.0), tf.fill(shape[-1:], 5.0)),
        )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        averages = tf.global_variables()[2:]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(averages)
            found, _ = session.run([outputs, updates], {training: False})
            self.assertAllClose(found, batch / np.sqrt(1 + EPSILON))
            self.assertAllEqual(session.run(averages), before)
            session.run(updates, {training: True})
            for old, new in zip(before, session.run(averages)):
                self.assertNotAllClose(old, new)

    def test_half_precision_keeps_averages_in_float32(self):
        x = tf.constant(batches(1, 4, 2)[0], tf.float16)
        outputs = tf.layers.batch_normalization(x, training=True, renorm=True)
        self.assertEqual(outputs.dtype, tf.float16)
        self.assertEqual({v.dtype.base_dtype for v in tf.global_variables()}, {tf.float32})


class VirtualBatchesTest(tf.test.TestCase):
    def test_virtual_batches_are_normalized_each_by_itself(self):
        (batch,) = batches(1, 6, 5, 2)
        unknown = tf.placeholder_with_default(batch, [None, None, 2])
        for x in (tf.constant(batch), unknown):
            with self.subTest(shape=x.shape):
                layer = tf.layers.BatchNormalization(virtual_batch_size=3)
                outputs = layer(x, training=True)
                self.assertEqual(outputs.shape.as_list(), x.shape.as_list())
                split = batch.reshape(3, 2, 5, 2)
                mean, variance = split.mean((0, 2)), split.var((0, 2))
                expected = (split - mean[:, None]) / np.sqrt(variance + EPSILON)[:, None]
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    found, _ = session.run([outputs, layer.updates])
                    self.assertAllClose(found, expected.reshape(batch.shape), rtol=1e-4, atol=1e-5)
                    moved = session.run(layer.moving_mean)
                    self.assertAllClose(moved, 0.01 * mean.mean(0).reshape(1, 1, 1, 2))

    def test_whether_a_step_trains_may_have_an_unknown_shape(self):
        (batch,) = batches(1, 4, 3, 5)
        training = tf.placeholder(tf.bool)
        x = tf.constant(batch)
        virtual = tf.layers.batch_normalization(x, 1, training=training, virtual_batch_size=2)
        plain = tf.layers.batch_normalization(x, 1, training=training)
        split = batch.reshape(2, 2, 3, 5)
        mean, variance = (f(split, (0, 3), keepdims=True) for f in (np.mean, np.var))
        expected = ((split - mean) / np.sqrt(variance + EPSILON)).reshape(batch.shape)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = session.run(virtual, {training: True})
            self.assertAllClose(found, expected, rtol=1e-4, atol=1e-5)
            for outputs in (virtual, plain):
                found = session.run(outputs, {training: False})
                self.assertAllClose(found, batch / np.sqrt(1 + EPSILON))

    def test_a_size_that_does_not_divide_the_batch_fails(self):
        x = tf.placeholder(tf.float32, [None, 2])
        outputs = tf.layers.batch_normalization(x, training=True, virtual_batch_size=3)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(outputs, {x: np.ones([4, 2])})


class OptionsTest(tf.test.TestCase):
    def test_options_that_do_not_fit_are_refused(self):
        x = tf.ones([4, 2])
        for options, says in (
            ({"renorm": True, "renorm_clipping": {"rmid": 1.0}}, "'rmid': 1.0} contains keys not"),
            ({"virtual_batch_size": 0}, "must be a positive integer"),
            ({"virtual_batch_size": 2, "axis": 0}, "axis 0 is that of the batch"),
            ({"virtual_batch_size": 2, "adjustment": abs}, "adjustment cannot be specified"),
        ):
            with self.assertRaisesRegex(ValueError, says):
                tf.layers.batch_normalization(x, **options)


if __name__ == "__main__":
    tf.test.main()
