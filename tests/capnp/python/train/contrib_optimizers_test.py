"""The optimizers of `tf.contrib.opt`, against their rules written with NumPy."""

import os
import types
import unittest

import numpy as np

import troupe as tf

opt = tf.contrib.opt
START = np.array([[1.0, -2.0], [3.0, 0.5], [-1.0, 2.0]])
GRADIENTS = [np.array([[0.5, -1.0], [0.0, 2.0], [1.0, 0.25]]) * sign for sign in (1, -1, 0.5)]
ROWS = [([0, 2], np.array([[1.0, -1.0], [0.5, 2.0]])), ([2, 2], np.array([[1.0, 1.0], [2.0, 0.0]]))]


def adam(update, steps, rate=0.1, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """The variable after `update(m, v, g, beta1, beta2)`, which gives the moments and the mean."""
    w, m, v = START.copy(), np.zeros((3, 2)), np.zeros((3, 2))
    for t, gradient in enumerate(steps, 1):
        m, v, mean = update(m, v, gradient, beta1, beta2)
        correction = np.sqrt(1 - beta2**t) / (1 - beta1**t)
        w = w - rate * correction * mean / (np.sqrt(v) + epsilon)
    return w


class OptimizersTestCase(tf.test.TestCase):
    def trained(self, make, gradients=GRADIENTS, after=None, **options):
        """The variable after a step for each gradient: an array, or rows and their values."""
        with tf.Graph().as_default():
            w = tf.get_variable("w", initializer=START)
            if isinstance(gradients[0], tuple):
                rows = tf.placeholder(tf.int32, [None])
                values = tf.placeholder(tf.float64, [None, 2])
                fed = [dict(zip((rows, values), each)) for each in gradients]
                gradient = tf.IndexedSlices(values, rows, tf.constant([3, 2]))
            else:
                gradient = tf.placeholder(tf.float64, [3, 2])
                fed = [{gradient: each} for each in gradients]
            optimizer = make(w) if isinstance(make, types.FunctionType) else make
            step = optimizer.apply_gradients([(gradient, w)], **options)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for each in fed:
                    session.run(step, each)
                return session.run(w if after is None else after(optimizer, w))


class AdamVariantsTest(OptimizersTestCase):
    def test_lazy_adam_changes_the_moments_of_only_the_rows(self):
        w, m, v = START.copy(), np.zeros((3, 2)), np.zeros((3, 2))
        for t, (rows, values) in enumerate(ROWS, 1):
            for row in set(rows):
                g = sum(value for at, value in zip(rows, values) if at == row)
                m[row] = 0.9 * m[row] + 0.1 * g
                v[row] = 0.999 * v[row] + 0.001 * g * g
                correction = np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
                w[row] -= 0.1 * correction * m[row] / (np.sqrt(v[row]) + 1e-8)
        self.assertAllClose(self.trained(opt.LazyAdamOptimizer(0.1), ROWS), w)
        moments = lambda made, var: [made.get_slot(var, "m"), made.get_slot(var, "v")]
        self.assertAllClose(self.trained(opt.LazyAdamOptimizer(0.1), ROWS, moments), [m, v])

    def test_lazy_adam_is_adam_for_tensors(self):
        wanted = self.trained(tf.train.AdamOptimizer(0.1))
        self.assertAllClose(self.trained(opt.LazyAdamOptimizer(0.1)), wanted)

    def test_nadam_counts_the_gradient_once_more(self):
        def update(m, v, g, beta1, beta2):
            m = beta1 * m + (1 - beta1) * g
            return m, beta2 * v + (1 - beta2) * g * g, beta1 * m + (1 - beta1) * g

        self.assertAllClose(self.trained(opt.NadamOptimizer(0.1)), adam(update, GRADIENTS))

        def update_rows(m, v, given, beta1, beta2):
            g = np.zeros((3, 2))
            np.add.at(g, given[0], given[1])
            m, v, mean = update(m, v, g, beta1, beta2)
            mean[[row for row in range(3) if row not in given[0]]] = 0
            return m, v, mean

        with np.errstate(invalid="ignore"):
            self.assertAllClose(
                self.trained(opt.NadamOptimizer(0.1), ROWS), adam(update_rows, ROWS)
            )

    def test_adamax_divides_by_the_greatest_gradient(self):
        w, m, v = START.copy(), np.zeros((3, 2)), np.zeros((3, 2))
        for t, g in enumerate(GRADIENTS, 1):
            m, v = 0.9 * m + 0.1 * g, np.maximum(0.7 * v, abs(g))
            w -= 0.1 / (1 - 0.9**t) * m / (v + 1e-8)
        self.assertAllClose(self.trained(opt.AdaMaxOptimizer(0.1, beta2=0.7)), w)

    def test_adamax_changes_only_the_rows_that_have_gradients(self):
        w, m, v = START.copy(), np.zeros((3, 2)), np.zeros((3, 2))
        for t, (rows, values) in enumerate(ROWS, 1):
            for row in set(rows):
                g = sum(value for at, value in zip(rows, values) if at == row)
                m[row], v[row] = 0.9 * m[row] + 0.1 * g, np.maximum(0.7 * v[row], abs(g))
                w[row] -= 0.1 / (1 - 0.9**t) * m[row] / (v[row] + 1e-8)
        self.assertAllClose(self.trained(opt.AdaMaxOptimizer(0.1, beta2=0.7), ROWS), w)


class SignTest(OptimizersTestCase):
    def wanted(self, factor, decays=(1, 1, 1)):
        w, m = START.copy(), np.zeros((3, 2))
        for g, decay in zip(GRADIENTS, decays):
            m = 0.9 * m + 0.1 * g
            w -= 0.1 * factor(decay * np.sign(g) * np.sign(m)) * g
        return w

    def test_add_sign_adds_the_sign(self):
        self.assertAllClose(
            self.trained(opt.AddSignOptimizer(alpha=2.0)), self.wanted(lambda sign: 2.0 + sign)
        )

    def test_power_sign_is_a_power_of_the_sign(self):
        self.assertAllClose(
            self.trained(opt.PowerSignOptimizer(base=3.0)), self.wanted(lambda sign: 3.0**sign),
            rtol=1e-5,
        )  # fmt: skip

    def test_the_sign_decays_by_the_global_step(self):
        for make, factor in (
            (opt.AddSignOptimizer, lambda sign: 1.0 + sign), (opt.PowerSignOptimizer, np.exp),
        ):  # fmt: skip
            with tf.Graph().as_default():
                step = tf.train.create_global_step()
                w = tf.get_variable("w", initializer=START)
                gradient = tf.placeholder(tf.float64, [3, 2])
                made = make(sign_decay_fn=lambda at: 1.0 / (1.0 + tf.to_float(at)))
                train = made.apply_gradients([(gradient, w)], step)
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    for each in GRADIENTS:
                        session.run(train, {gradient: each})
                    wanted = self.wanted(factor, (1, 1 / 2, 1 / 3))
                    self.assertAllClose(session.run(w), wanted, rtol=1e-5)


class WeightDecayTest(OptimizersTestCase):
    def test_weights_decay_before_the_update(self):
        w, a = START.copy(), np.zeros((3, 2))
        for g in GRADIENTS:
            a = 0.5 * a + g
            w = w - 0.02 * w - 0.1 * a
        self.assertAllClose(self.trained(opt.MomentumWOptimizer(0.02, 0.1, 0.5)), w)
        self.assertAllClose(self.trained(opt.MomentumWOptimizer(lambda: 0.02, 0.1, 0.5)), w)

    def test_adam_is_that_of_weights_that_decayed(self):
        wanted = START.copy()
        with tf.Graph().as_default():
            w = tf.get_variable("w", initializer=START)
            gradient = tf.placeholder(tf.float64, [3, 2])
            step = tf.train.AdamOptimizer(0.1).apply_gradients([(gradient, w)])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for each in GRADIENTS:
                    w.load(wanted * 0.98, session)
                    session.run(step, {gradient: each})
                    wanted = session.run(w)
        self.assertAllClose(self.trained(opt.AdamWOptimizer(0.02, 0.1)), wanted)

    def test_rows_of_adam_decay_too(self):
        wanted = self.trained(tf.train.AdamOptimizer(0.1), ROWS[:1])
        wanted[[0, 2]] -= 0.02 * START[[0, 2]]
        self.assertAllClose(self.trained(opt.AdamWOptimizer(0.02, 0.1), ROWS[:1]), wanted)

    def test_rows_decay_once_where_they_have_gradients(self):
        w = START.copy()
        for rows, values in ROWS:
            w[sorted(set(rows))] *= 0.98
            np.add.at(w, rows, -0.1 * values)
        extended = opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
        self.assertTrue(issubclass(extended, opt.DecoupledWeightDecayExtension))
        made = extended(weight_decay=0.02, learning_rate=0.1)
        self.assertAllClose(self.trained(made, ROWS), w)

    def test_only_the_variables_of_the_list_decay(self):
        for is_minimized in (True, False):
            with tf.Graph().as_default():
                one, other = tf.Variable(1.0), tf.Variable(1.0)
                made = opt.MomentumWOptimizer(0.5, 0.25, 0.0)
                if is_minimized:
                    step = made.minimize(one + other, decay_var_list=[other])
                else:
                    pairs = made.compute_gradients(one + other)
                    step = made.apply_gradients(pairs, decay_var_list=[other])
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    session.run(step)
                    self.assertAllClose(session.run([one, other]), [0.75, 0.25])

    def test_the_gradient_is_that_of_the_variable_before_it_decays(self):
        w = tf.Variable(2.0)
        step = opt.MomentumWOptimizer(0.5, 0.1, 0.0).minimize(w * w)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllClose(session.run(w), 2.0 - 1.0 - 0.4)


class LarsTest(OptimizersTestCase):
    def test_the_rate_is_scaled_by_norms(self):
        w, a = START.copy(), np.zeros((3, 2))
        for g in GRADIENTS:
            size, slope = np.linalg.norm(w), np.linalg.norm(g)
            rate = 2.0 * 0.01 * size / (slope + 0.1 * size + 0.5)
            a = 0.9 * a + rate * (g + 0.1 * w)
            w = w - a
        make = lambda w: opt.LARSOptimizer(2.0, 0.9, 0.1, 0.01, 0.5)
        self.assertAllClose(self.trained(make), w)

    def test_variables_of_the_list_have_momentum_alone(self):
        skipped = self.trained(opt.LARSOptimizer(0.1, 0.9, skip_list=["bias", "w"]))
        plain = self.trained(tf.train.MomentumOptimizer(0.1, 0.9))
        self.assertAllClose(skipped, plain)

    def test_a_gradient_of_zeros_does_not_scale(self):
        w = START - 0.1 * 0.2 * START
        found = self.trained(opt.LARSOptimizer(0.1, 0.9, 0.2), [np.zeros((3, 2))])
        self.assertAllClose(found, w)
        with self.assertRaisesRegex(ValueError, "momentum"):
            opt.LARSOptimizer(0.1, -1.0)
        with self.assertRaisesRegex(ValueError, "weight_decay"):
            opt.LARSOptimizer(0.1, weight_decay=-1.0)


class WrappersTest(OptimizersTestCase):
    def test_averages_follow_the_variable(self):
        w = average = START
        for g in GRADIENTS:
            w = w - 0.1 * g
            average = 0.75 * average + 0.25 * w
        with tf.Graph().as_default():
            var = tf.get_variable("w", initializer=START)
            gradient = tf.placeholder(tf.float64, [3, 2])
            made = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 0.75)
            with self.assertRaisesRegex(RuntimeError, "before"):
                made.swapping_saver()
            step = made.apply_gradients([(gradient, var)])
            saver = made.swapping_saver()
            with self.assertRaisesRegex(ValueError, "must be saved"):
                made.swapping_saver([var])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for each in GRADIENTS:
                    session.run(step, {gradient: each})
                path = saver.save(session, os.path.join(self.get_temp_dir(), "model"))
                self.assertAllClose(session.run(var), w)
        with tf.Graph().as_default(), tf.Session() as session:
            var = tf.get_variable("w", [3, 2], tf.float64)
            tf.train.Saver().restore(session, path)
            self.assertAllClose(session.run(var), average)

    def test_what_is_too_long_is_scaled_down(self):
        def clipped(w, axes):
            norms = np.sqrt((w * w).sum(tuple(axes), keepdims=True))
            return w * np.minimum(1.0, 1.5 / norms)

        descent = tf.train.GradientDescentOptimizer(0.1)
        for axes in ([1], [0], [0, 1]):
            w = START
            for g in GRADIENTS:
                w = clipped(w - 0.1 * g, axes)
            make = lambda var: opt.VariableClippingOptimizer(descent, {var: axes}, 1.5)
            self.assertAllClose(self.trained(make), w)

    def test_of_rows_only_those_with_gradients_are_scaled(self):
        descent = tf.train.GradientDescentOptimizer(0.1)
        w = START.copy()
        w[2] -= 0.1 * np.array([3.0, 1.0])
        w[2] *= 1.5 / np.linalg.norm(w[2])
        make = lambda var: opt.VariableClippingOptimizer(descent, {var: [1]}, 1.5)
        self.assertAllClose(self.trained(make, ROWS[1:]), w)

    def test_gradients_of_zeros_leave_slots_as_they_are(self):
        steps = [GRADIENTS[0], np.zeros((3, 2)), GRADIENTS[2]]
        make = lambda w: opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.1, 0.5))
        plain = self.trained(tf.train.MomentumOptimizer(0.1, 0.5), [steps[0], steps[2]])
        self.assertAllClose(self.trained(make, steps), plain)
        newer = tf.contrib.optimizer_v2.MomentumOptimizer
        make = lambda w: opt.MultitaskOptimizerWrapper(newer(0.1, 0.5))
        self.assertAllClose(self.trained(make, steps), plain)
        rows = [ROWS[0], ([1], np.zeros((1, 2))), ROWS[1]]
        make = lambda w: opt.MultitaskOptimizerWrapper(tf.train.AdagradOptimizer(0.1))
        plain = self.trained(tf.train.AdagradOptimizer(0.1), ROWS)
        self.assertAllClose(self.trained(make, rows), plain)
        with self.assertRaises(TypeError):
            opt.MultitaskOptimizerWrapper("adam")

    def test_gradients_are_scaled_by_their_common_norm(self):
        pairs = [(tf.constant([3.0, 4.0]), "a"), (None, "b"), (tf.constant([12.0]), "c")]
        clipped, norm = opt.clip_gradients_by_global_norm(pairs, 6.5)
        self.assertEqual([variable for _, variable in clipped], ["a", "b", "c"])
        self.assertIsNone(clipped[1][0])
        self.assertAllClose(self.evaluate(norm), 13.0)
        self.assertAllClose(self.evaluate(clipped[0][0]), [1.5, 2.0])
        self.assertAllClose(self.evaluate(clipped[2][0]), [6.0])


if __name__ == "__main__":
    unittest.main()
