"""Optimizers of tf.contrib.opt that look at the global step, or at what a loss is for."""

import unittest

import numpy as np

import troupe as tf

opt = tf.contrib.opt


class StepOptimizersTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def trained(self, optimizer, gradients, steps=3, step=None):
        variable = tf.Variable([1.0, 2.0])
        update = optimizer.apply_gradients([(gradients, variable)], global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                session.run(update)
            return session.run(variable)

    def test_the_powers_of_adam_are_those_of_the_global_step(self):
        for rows in (False, True):
            tf.reset_default_graph()
            gradients = tf.constant([0.1, -0.3])
            if rows:
                gradients = tf.IndexedSlices(gradients, tf.constant([0, 1]), tf.constant([2]))
            step = tf.train.create_global_step()
            found = self.trained(opt.AdamGSOptimizer(step, 0.1), gradients, step=step)
            self.assertEqual([v.op.name for v in tf.global_variables() if "power" in v.name], [])
            wanted = self.trained(tf.train.AdamOptimizer(0.1), gradients)
            self.assertAllClose(found, wanted, rtol=1e-5)

    def test_lazy_adam_of_the_global_step_leaves_other_rows(self):
        step = tf.train.create_global_step()
        rows = tf.IndexedSlices(tf.constant([0.5]), tf.constant([1]), tf.constant([2]))
        found = self.trained(opt.LazyAdamGSOptimizer(step, 0.1), rows, step=step)
        wanted = self.trained(opt.LazyAdamOptimizer(0.1), rows)
        self.assertEqual(found[0], 1.0)
        self.assertAllClose(found, wanted, rtol=1e-5)

    def test_adagrad_keeps_its_sums_in_a_scope(self):
        for rows in (False, True):
            with self.subTest(rows=rows):
                tf.reset_default_graph()
                optimizer, variable = opt.RegAdagradOptimizer(3.0), tf.Variable([1.0, 2.0])
                gradient = tf.constant([0.5, 0.5])
                if rows:
                    gradient = tf.IndexedSlices(gradient, tf.constant([0, 1]), tf.constant([2]))
                with optimizer.avoid_updating_slots():
                    kept = optimizer.apply_gradients([(gradient, variable)])
                added = optimizer.apply_gradients([(gradient, variable)])
                sums = optimizer.get_slot(variable, "accumulator")
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    session.run(kept)
                    self.assertAllClose(session.run(sums), [0.1, 0.1])
                    step = 3 * 0.5 / np.sqrt(0.1)
                    self.assertAllClose(session.run(variable), [1 - step, 2 - step], rtol=1e-5)
                    session.run(added)
                    self.assertAllClose(session.run(sums), [0.35, 0.35])

    def test_gradients_are_dropped_after_too_many_steps_of_others(self):
        step, variable = tf.train.create_global_step(), tf.Variable(1.0)
        others = tf.placeholder_with_default(0, [])
        optimizer = opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(0.5), 1)

        @tf.custom_gradient
        def loss_of(value):
            def grad(upstream):
                # The steps of other workers while this one computes.
                with tf.control_dependencies([upstream]):
                    moved = step.assign_add(tf.cast(others, tf.int64))
                with tf.control_dependencies([moved]):
                    return tf.identity(upstream)

            return value * 1.0, grad

        pairs = optimizer.compute_gradients(loss_of(variable), [variable])
        update = optimizer.apply_gradients(pairs, step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(update, {others: 1}), 0.0)
            self.assertEqual(session.run([variable, step]), [0.5, 2])
            self.assertEqual(session.run(update, {others: 2}), 1.0)
            self.assertEqual(session.run([variable, step]), [0.5, 4])
            self.assertEqual(session.run(update), 1.0)
            self.assertEqual(session.run([variable, step]), [0.0, 5])

    def test_stale_gradients_need_a_global_step(self):
        optimizer = opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(0.5), 1)
        with self.assertRaisesRegex(ValueError, "Global step is required"):
            optimizer.compute_gradients(tf.Variable(1.0) * 2.0)
        with self.assertRaisesRegex(ValueError, "global_step are required"):
            optimizer.apply_gradients([])


class SignDecayTest(tf.test.TestCase):
    def check(self, decay, wanted):
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.placeholder(tf.int64, [])
            value = decay(step)
            found = [session.run(value, {step: each}) for each in range(len(wanted))]
        self.assertAllClose(found, wanted, rtol=1e-5, atol=1e-6)

    def test_a_linear_decay_ends_at_zero(self):
        self.check(opt.get_linear_decay_fn(4), [1.0, 0.75, 0.5, 0.25, 0.0, 0.0])
        with self.assertRaisesRegex(ValueError, "global_step is required"):
            opt.get_linear_decay_fn(4)(None)

    def test_a_decay_along_a_cosine_has_periods(self):
        def wave(turns):
            return 0.5 * (1 + np.cos(2 * np.pi * np.array(turns)))

        self.check(opt.get_cosine_decay_fn(4), wave([0, 0.125, 0.25, 0.375, 0.5, 0.5]))
        turns = [0, 0.5, 1.0, 1.5]
        self.check(opt.get_cosine_decay_fn(4, 2), wave(turns))
        self.check(opt.get_cosine_decay_fn(4, 2, zero_after=1.0), [1.0, 0.0, 0.0, 0.0])

    def test_a_decay_begins_anew(self):
        half = 0.5 * (1 + np.cos(np.pi * np.array([0, 0.5])))
        self.check(opt.get_restart_decay_fn(4, 2), [*half, *half, 1.0])
        self.check(opt.get_restart_decay_fn(4, 2, zero_after=1), [*half, 0.0, 0.0])

    def test_a_decay_counts_in_an_update(self):
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.train.create_global_step()
            decay = opt.get_linear_decay_fn(2)
            optimizer = opt.AddSignOptimizer(0.1, sign_decay_fn=decay)
            variable = tf.Variable(1.0)
            update = optimizer.apply_gradients([(tf.constant(1.0), variable)], step)
            session.run(tf.global_variables_initializer())
            found = []
            for _ in range(3):
                session.run(update)
                found.append(session.run(variable))
        self.assertAllClose(found, [0.8, 0.65, 0.55], rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
