"""Scales of losses change with the gradients, and let optimizers skip steps."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

experimental = tf.train.experimental
managers = tf.contrib.mixed_precision


class LossScaleTest(tf.test.TestCase):
    def scales_after(self, scale, are_finite):
        """The number after each step, whose gradient is finite or not."""
        gradient = tf.placeholder(tf.float32, [2])
        update, _ = scale.update([gradient, None])
        found = []
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for is_finite in are_finite:
                session.run(update, {gradient: [1.0, 2.0 if is_finite else np.inf]})
                found.append(session.run(scale()))
        return found

    def test_a_dynamic_one_grows_after_its_period_and_shrinks_at_once(self):
        scale = experimental.DynamicLossScale(8, increment_period=2, multiplier=2)
        found = self.scales_after(scale, [True, True, True, False, True, True])
        self.assertEqual(found, [8, 16, 16, 8, 8, 16])

    def test_a_dynamic_one_stays_finite_and_at_least_1(self):
        largest = float(np.finfo(np.float32).max)
        scale = experimental.DynamicLossScale(largest / 2, increment_period=1, multiplier=2)
        self.assertAllClose(self.scales_after(scale, [True, True]), [largest, largest])
        tf.reset_default_graph()
        scale = experimental.DynamicLossScale(4, multiplier=4)
        self.assertEqual(self.scales_after(scale, [False, False]), [1, 1])

    def test_rows_of_gradients_count(self):
        scale = experimental.DynamicLossScale(8)
        rows = tf.IndexedSlices(tf.constant([np.nan]), tf.constant([3]))
        _, is_finite = scale.update({"rows": rows, "dense": tf.constant(1.0)})
        self.assertFalse(self.evaluate(is_finite))

    def test_a_fixed_one_always_lets_gradients_be_applied(self):
        scale = experimental.FixedLossScale(3)
        _, is_applied = scale.update([tf.constant(np.nan)])
        self.assertIs(is_applied, True)
        self.assertEqual(self.evaluate(scale()), 3.0)
        for wrong, text in (("3", "int or float"), (0.5, "at least 1")):
            with self.assertRaisesRegex(ValueError, text):
                experimental.FixedLossScale(wrong)

    def test_one_is_made_of_its_configuration(self):
        scale = experimental.DynamicLossScale(8, 3, 4)
        made = experimental.DynamicLossScale.from_config(scale.get_config())
        self.assertEqual(made.get_config(), scale.get_config())
        self.assertEqual((made.initial_loss_scale, made.increment_period), (8, 3))
        self.assertEqual(made.multiplier, 4)
        fixed = experimental.FixedLossScale(3)
        self.assertEqual(repr(fixed), repr(experimental.FixedLossScale(**fixed.get_config())))

    def test_checkpoints_have_its_variables(self):
        scale = experimental.DynamicLossScale(8, increment_period=1)
        update, _ = scale.update([tf.constant(1.0)])
        checkpoint = tf.train.Checkpoint(scale=scale)
        with tempfile.TemporaryDirectory() as folder, self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(update)
            path = checkpoint.save(os.path.join(folder, "c"), session=session)
            keys = dict(tf.train.list_variables(path))
            session.run(update)
            self.assertEqual(session.run(scale()), 32)
            checkpoint.restore(path).assert_consumed().run_restore_ops(session)
            self.assertEqual(session.run(scale()), 16)
        for name in ("current_loss_scale", "good_steps"):
            self.assertIn(f"scale/{name}/.ATTRIBUTES/VARIABLE_VALUE", keys)


class OptimizersTest(tf.test.TestCase):
    def trained(self, optimizer, gradients):
        """The variable and the global step after each step, whose gradient is given."""
        w = tf.Variable([4.0])
        step = tf.train.create_global_step()
        gradient = tf.placeholder(tf.float32, [])
        train = optimizer.minimize(w * gradient, step, [w])
        found = []
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for value in gradients:
                session.run(train, {gradient: value})
                found.append((float(session.run(w)[0]), int(session.run(step))))
        return found

    def test_a_step_that_is_not_finite_changes_nothing_but_the_scale(self):
        def of_experimental():
            sgd, scale = tf.train.GradientDescentOptimizer(1.0), experimental.DynamicLossScale(4)
            return experimental.MixedPrecisionLossScaleOptimizer(sgd, scale)

        def of_contrib():
            sgd = tf.train.GradientDescentOptimizer(1.0)
            manager = managers.ExponentialUpdateLossScaleManager(4, 100, 1, decr_ratio=0.5)
            return managers.LossScaleOptimizer(sgd, manager)

        for make in (of_experimental, of_contrib):
            tf.reset_default_graph()
            found = self.trained(make(), [1.0, np.inf, 0.5])
            self.assertEqual(found, [(3.0, 1), (3.0, 1), (2.5, 2)])

    def test_gradients_are_computed_of_the_scaled_loss(self):
        seen = []

        @tf.custom_gradient
        def watched(x):
            def gradient(dy):
                return tf.py_func(lambda g: (seen.append(float(g)), g)[1], [dy], tf.float32)

            return tf.identity(x), gradient

        w = tf.Variable(4.0)
        sgd = tf.train.GradientDescentOptimizer(1.0)
        optimizer = experimental.MixedPrecisionLossScaleOptimizer(sgd, 16.0)
        train = optimizer.minimize(lambda: watched(w.read_value()))
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertEqual(session.run(w), 3.0)
        self.assertEqual(seen, [16.0])

    def test_a_loss_and_gradients_of_float16_are_scaled_in_float16(self):
        w = tf.Variable(1.0, dtype=tf.float16)
        sgd = tf.keras.optimizers.SGD(1.0)
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd, 8)
        train = optimizer.minimize(lambda: w * 0.5, [w])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            self.assertEqual(session.run(w), 0.5)

    def test_the_optimizer_of_keras_has_what_its_inner_one_has(self):
        sgd = tf.keras.optimizers.SGD(0.5, momentum=0.5)
        optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(sgd, "dynamic")
        w = tf.Variable(1.0)
        optimizer.minimize(lambda: w * 2.0, [w])
        self.assertIs(optimizer.iterations, sgd.iterations)
        self.assertEqual(optimizer.get_slot_names(), ["momentum"])
        optimizer.lr = 0.25
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            scaled = optimizer.get_scaled_loss(tf.constant(2.0))
            self.assertEqual(session.run(scaled), 2.0**16)
            rows = tf.IndexedSlices(tf.constant([2.0**15]), tf.constant([0]))
            unscaled, nothing = optimizer.get_unscaled_gradients([rows, None])
            self.assertEqual(session.run(unscaled.values), [1.0])
            self.assertIsNone(nothing)
        with self.assertRaisesRegex(ValueError, "clipnorm"):
            clips = tf.keras.optimizers.SGD(0.5, clipnorm=1.0)
            tf.keras.mixed_precision.experimental.LossScaleOptimizer(clips, 8)

    def managed(self, manager, are_finite):
        """The scale after each step, whose gradients are finite or not."""
        is_finite = tf.placeholder(tf.bool, [])
        update, found = manager.update_loss_scale(is_finite), []
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for finite in are_finite:
                session.run(update, {is_finite: finite})
                found.append(session.run(manager.get_loss_scale()))
        return found

    def test_a_manager_shrinks_after_so_many_steps_that_need_not_follow_each_other(self):
        manager = managers.ExponentialUpdateLossScaleManager(8, 3, 2, 2, 0.5)
        found = self.managed(manager, [False, True, False, True, True, True])
        self.assertEqual(found, [8, 8, 4, 4, 4, 8])

    def test_a_manager_grows_after_finite_steps_that_follow_each_other(self):
        manager = managers.ExponentialUpdateLossScaleManager(8, 3, 5)
        found = self.managed(manager, [True, True, False, True, True, True])
        self.assertEqual(found, [8, 8, 8, 8, 8, 16])

    def test_a_scale_that_a_manager_keeps_is_at_least_1(self):
        with self.assertRaisesRegex(ValueError, "at least 1"):
            managers.FixedLossScaleManager(0.5)
        manager = managers.FixedLossScaleManager(3)
        self.assertEqual(self.evaluate(manager.get_loss_scale()), 3.0)


if __name__ == "__main__":
    unittest.main()
