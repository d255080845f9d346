"""Bijectors that have layers, or functions with variables."""

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions
tfb = tfd.bijectors


def log_det(session, y, x):
    """The logarithms of the determinants of dy / dx for the rows of a batch, by gradients."""
    columns = [tf.gradients(y[:, i], x)[0] for i in range(y.shape[1].value)]
    return np.linalg.slogdet(session.run(tf.stack(columns, 1)))[1]


class FlowsTest(tf.test.TestCase):
    def flows(self):
        template = tfb.masked_autoregressive_default_template([12, 12], activation=tf.tanh)
        unrolled = tfb.masked_autoregressive_default_template([12], activation=tf.tanh)
        return {
            "masked": tfb.MaskedAutoregressiveFlow(template),
            "unrolled": tfb.MaskedAutoregressiveFlow(unrolled, unroll_loop=True),
            "real_nvp": tfb.RealNVP(1, tfb.real_nvp_default_template([8], activation=tf.tanh)),
        }

    def test_inverses_give_what_the_functions_got(self):
        x = np.random.RandomState(1).normal(size=[5, 3]).astype(np.float32)
        for name, flow in self.flows().items():
            y = flow.forward(tf.constant(x))
            back = flow.inverse(tf.identity(y))
            with self.subTest(name), self.session() as session:
                session.run(tf.global_variables_initializer())
                found, there = session.run([back, y])
                self.assertAllClose(found, x, rtol=1e-4, atol=1e-5)
                self.assertGreater(np.abs(there - x).max(), 1e-3)

    def test_log_determinants_are_those_of_gradients(self):
        y = tf.constant(np.random.RandomState(1).normal(size=[5, 3]).astype(np.float32))
        for name, flow in self.flows().items():
            x = flow.inverse(y)
            inverse = flow.inverse_log_det_jacobian(y, event_ndims=1)
            forward = flow.forward_log_det_jacobian(tf.identity(x), event_ndims=1)
            with self.subTest(name), self.session() as session:
                session.run(tf.global_variables_initializer())
                expected = log_det(session, x, y)
                self.assertAllClose(session.run(inverse), expected, rtol=1e-4, atol=1e-5)
                self.assertAllClose(session.run(forward), -expected, rtol=1e-4, atol=1e-5)

    def test_shifts_alone_keep_volumes(self):
        template = tfb.masked_autoregressive_default_template([6], shift_only=True)
        flow = tfb.MaskedAutoregressiveFlow(template, is_constant_jacobian=True)
        couple = tfb.RealNVP(2, tfb.real_nvp_default_template([4], shift_only=True))
        y = tf.constant(np.ones([2, 3], np.float32))
        for each in (flow, couple):
            found = each.inverse_log_det_jacobian(y, event_ndims=1)
            with self.session() as session:
                session.run(tf.global_variables_initializer())
                self.assertAllClose(session.run(found), 0.0)

    def test_a_unit_of_a_masked_layer_depends_on_earlier_blocks_only(self):
        x = tf.constant(np.random.RandomState(1).normal(size=[1, 3]).astype(np.float32))
        for exclusive in (False, True):
            with tf.variable_scope(f"exclusive_{exclusive}"):
                y = tfb.masked_dense(x, 6, num_blocks=3, exclusive=exclusive)
            slopes = tf.concat([tf.gradients(y[:, i], x)[0] for i in range(6)], 0)
            with self.session() as session:
                session.run(tf.global_variables_initializer())
                found = session.run(slopes) != 0
            expected = np.repeat(np.tri(3, k=-int(exclusive)), 2, axis=0).astype(bool)
            self.assertAllEqual(found, expected)

    def test_masks_stay_in_training(self):
        x = tf.constant(np.random.RandomState(1).normal(size=[4, 3]).astype(np.float32))
        y = tfb.masked_dense(x, 3, num_blocks=3, exclusive=True)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
        (kernel,) = [each for each in tf.trainable_variables() if "kernel" in each.name]
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertAllEqual(np.tril(session.run(kernel)), np.zeros([3, 3]))

    def test_clipped_scales_keep_their_gradients_by_default(self):
        x = tf.constant([[1.0, 2.0]])
        for is_clipped, is_zero in ((False, False), (True, True)):
            with tf.variable_scope(f"clipped_{is_clipped}"):
                template = tfb.masked_autoregressive_default_template(
                    [4], log_scale_min_clip=-1e-6, log_scale_max_clip=1e-6,
                    log_scale_clip_gradient=is_clipped,
                )  # fmt: skip
                _, log_scale = template(x)
            (slope,) = tf.gradients(log_scale[:, 1], template.trainable_variables[-2])
            with self.session() as session:
                session.run(tf.global_variables_initializer())
                found, scale = session.run([slope, log_scale])
            self.assertLessEqual(np.abs(scale).max(), 1.1e-6)
            self.assertEqual(not found.any(), is_zero)

    def test_sizes_of_vectors_have_to_be_known(self):
        x = tf.placeholder(tf.float32, [4, None])
        for flow in self.flows().values():
            with self.assertRaises((NotImplementedError, ValueError)):
                flow.forward(x)
        with self.assertRaisesRegex(ValueError, "smaller"):
            tfb.RealNVP(3, tfb.real_nvp_default_template([4])).forward(tf.zeros([2, 3]))
        with self.assertRaisesRegex(ValueError, "positive"):
            tfb.RealNVP(0, tfb.real_nvp_default_template([4]))

    def test_a_flow_learns_a_distribution(self):
        random = np.random.RandomState(1)
        first = random.normal(size=[256]).astype(np.float32)
        data = np.stack([first, first**2 + 0.5 * random.normal(size=[256])], 1).astype(np.float32)
        template = tfb.masked_autoregressive_default_template([16])
        made = tfd.TransformedDistribution(
            tfd.Normal(0.0, 1.0), tfb.MaskedAutoregressiveFlow(template), event_shape=[2]
        )
        loss = -tf.reduce_mean(made.log_prob(data))
        train = tf.train.AdamOptimizer(0.02).minimize(loss)
        samples = made.sample(2000, seed=1)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(loss)
            for _ in range(300):
                session.run(train)
            after, drawn = session.run([loss, samples])
        # The entropy of what the data is drawn of is 2.14.
        self.assertLess(after, min(before - 0.5, 2.4))
        self.assertAllClose(drawn.mean(0), [0.0, 1.0], atol=0.3)


class BatchNormalizationTest(tf.test.TestCase):
    def test_batches_are_normalized_in_the_inverse(self):
        y = np.random.RandomState(1).normal(3.0, 2.0, size=[50, 4]).astype(np.float32)
        made = tfb.BatchNormalization()
        x = made.inverse(tf.constant(y))
        found = made.inverse_log_det_jacobian(tf.constant(y), event_ndims=1)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            normalized, log_dets = session.run([x, found])
        self.assertAllClose(normalized.mean(0), np.zeros(4), atol=1e-4)
        self.assertAllClose(normalized.var(0), np.ones(4), rtol=1e-2)
        self.assertAllClose(log_dets, -0.5 * np.log(y.var(0) + 1e-3).sum(), rtol=1e-4)

    def test_moving_averages_have_an_inverse(self):
        y = np.random.RandomState(1).normal(3.0, 2.0, size=[5, 4, 3]).astype(np.float32)
        for axis in (-1, [1, 2], [0, 1]):
            layer = tf.layers.BatchNormalization(
                axis=axis, beta_initializer=tf.constant_initializer(0.5),
                gamma_initializer=tf.constant_initializer(2.0),
                moving_mean_initializer=tf.constant_initializer(1.0),
                moving_variance_initializer=tf.constant_initializer(3.0),
            )  # fmt: skip
            made = tfb.BatchNormalization(layer, training=False)
            x = made.inverse(tf.constant(y))
            ndims = made.forward_min_event_ndims
            self.assertEqual(ndims, 1 if axis == -1 else 2)
            count = {"-1": 3, "[1, 2]": 12, "[0, 1]": 20}[str(axis)]
            found = [made.forward(tf.identity(x)), made.inverse_log_det_jacobian(y, ndims),
                     made.forward_log_det_jacobian(tf.identity(x), ndims)]  # fmt: skip
            with self.session() as session:
                session.run(tf.global_variables_initializer())
                there, (back, inverse, forward) = session.run([x, found])
            self.assertAllClose(there, (y - 1) / np.sqrt(3.001) * 2 + 0.5, rtol=1e-4, atol=1e-4)
            self.assertAllClose(back, y, rtol=1e-4, atol=1e-4)
            self.assertAllClose(inverse, count * np.log(2 / np.sqrt(3.001)), rtol=1e-4)
            self.assertAllClose(forward, -inverse)

    def test_layers_that_correct_batches_are_errors(self):
        for wrong in (
            tf.layers.BatchNormalization(renorm=True),
            tf.layers.BatchNormalization(virtual_batch_size=2),
            tf.layers.Dense(3),
        ):
            with self.assertRaises(ValueError):
                tfb.BatchNormalization(wrong)
        with self.assertRaisesRegex(ValueError, "known"):
            tfb.BatchNormalization().forward(tf.placeholder(tf.float32, [None, 3]))


if __name__ == "__main__":
    tf.test.main()
