"""Derivatives, and optimizers that follow them."""

import unittest

import numpy as np

import troupe as tf


class GradientsTest(tf.test.TestCase):
    def test_derivatives_are_with_respect_to_tensors_and_variables(self):
        x, v = tf.constant(3.0), tf.Variable(2.0)
        by_x, by_v = tf.gradients(x * x * v, [x, v])
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertAllClose(session.run([by_x, by_v]), [12, 9])

    def test_what_the_ys_do_not_depend_on_has_none(self):
        x, y = tf.constant(3.0), tf.constant(1.0)
        found = tf.gradients(x * 2.0, [x, y])
        self.assertIsNotNone(found[0])
        self.assertIsNone(found[1])

    def test_gradients_arrive_at_the_ys_as_given(self):
        x = tf.constant([1.0, 2.0])
        (found,) = tf.gradients([x * 3.0], [x], grad_ys=[[1.0, 10.0]])
        with tf.Session() as session:
            self.assertAllClose(session.run(found), [3, 30])

    def test_stopped_gradients_go_no_further(self):
        x = tf.constant(3.0)
        (found,) = tf.gradients(x * tf.stop_gradient(x), [x])
        with tf.Session() as session:
            self.assertEqual(session.run(found), 3)

    def test_clipping_scales_down_what_is_too_large(self):
        with tf.Session() as session:
            (clipped,), norm = tf.clip_by_global_norm([tf.constant([3.0, 4.0])], 1.0)
            self.assertAllClose(session.run([clipped, norm])[0], [0.6, 0.8])
            self.assertAllClose(
                session.run(tf.clip_by_value([-2.0, 0.5, 2.0], -1, 1)), [-1, 0.5, 1]
            )
            self.assertAllClose(session.run(tf.clip_by_norm([3.0, 4.0], 10.0)), [3, 4])


class OptimizerTest(tf.test.TestCase):
    def trained(self, optimizer, steps=3, **options):
        w = tf.get_variable("w", initializer=[1.0, -2.0])
        step = optimizer.minimize(tf.reduce_sum(w * w), **options)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                session.run(step)
            return session.run(w)

    def test_gradient_descent_follows_the_gradient(self):
        expected = np.array([1.0, -2.0]) * 0.8**3
        self.assertAllClose(self.trained(tf.train.GradientDescentOptimizer(0.1)), expected)

    def test_momentum_follows_what_it_has_gathered(self):
        w, a = np.array([1.0, -2.0]), np.zeros(2)
        for _ in range(3):
            a = 0.9 * a + 2 * w
            w = w - 0.1 * a
        self.assertAllClose(self.trained(tf.train.MomentumOptimizer(0.1, 0.9)), w, rtol=1e-5)

    def test_adam_moves_by_the_rate_at_first(self):
        self.assertAllClose(self.trained(tf.train.AdamOptimizer(0.1), steps=1), [0.9, -1.9], 1e-5)

    def test_a_rate_may_be_a_tensor_that_follows_the_global_step(self):
        step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.1, step, decay_steps=1, decay_rate=0.5)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        expected = np.array([1.0, -2.0]) * 0.8 * 0.9
        self.assertAllClose(self.trained(optimizer, 2, global_step=step), expected, rtol=1e-5)

    def test_the_global_step_counts_steps(self):
        step = tf.train.get_or_create_global_step()
        self.assertIs(tf.train.get_or_create_global_step(), step)
        w = tf.Variable(1.0)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([train])
            session.run(train)
            self.assertEqual(tf.train.global_step(session, step), 2)

    def test_gradients_may_be_changed_before_they_are_applied(self):
        w = tf.Variable(1.0)
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(w * w, [w])
        step = optimizer.apply_gradients([(g * 0.25, v) for g, v in pairs])
        with tf.Session() as session:
            session.run(w.initializer)
            session.run(step)
            self.assertEqual(session.run(w), 0.5)

    def test_what_an_optimizer_remembers_are_variables_beside_theirs(self):
        with tf.device("/job:ps/task:1"):
            w = tf.get_variable("w", [2])
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w * w))
        names = {v.name: v.device for v in tf.global_variables()}
        self.assertEqual(names, {"w:0": "/job:ps/task:1", "w/Momentum:0": "/job:ps/task:1"})
        self.assertEqual(tf.trainable_variables(), [w])

    def test_a_loss_that_depends_on_no_variable_is_refused(self):
        tf.Variable(1.0)
        with self.assertRaisesRegex(ValueError, "No gradients provided"):
            tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


if __name__ == "__main__":
    unittest.main()
