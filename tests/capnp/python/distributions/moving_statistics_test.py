"""Moving statistics, and logarithms of weighted sums of exponentials."""

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions


class MovingTest(tf.test.TestCase):
    def test_a_mean_and_a_variance_move_to_a_value(self):
        value = tf.placeholder(tf.float64, [2])
        mean = tf.Variable(np.array([1.0, 2.0]))
        variance = tf.Variable(np.array([0.5, 1.0]))
        moved = tfd.assign_moving_mean_variance(mean, variance, value, 0.9)
        before, spread = np.array([1.0, 2.0]), np.array([0.5, 1.0])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for each in ([3.0, -1.0], [0.0, 0.0]):
                found = session.run(moved, {value: each})
                spread = 0.9 * (spread + 0.1 * (np.array(each) - before) ** 2)
                before = 0.9 * before + 0.1 * np.array(each)
                self.assertAllClose(found, [before, spread])
                self.assertAllClose(session.run([mean, variance]), [before, spread])

    def test_variables_are_made_in_the_collections(self):
        moved = tfd.moving_mean_variance(tf.constant([4.0]), 0.5, collections=["mine"], name="m")
        names = sorted(each.op.name for each in tf.get_collection("mine"))
        self.assertEqual(names, ["m/moving_mean", "m/moving_variance"])
        self.assertEqual(tf.trainable_variables(), [])
        with self.session() as session:
            session.run(tf.variables_initializer(tf.get_collection("mine")))
            self.assertAllClose(session.run(moved), ([2.0], [4.0]))

    def test_logarithms_of_means_move_without_overflow(self):
        logarithm = tf.Variable([1000.0, -5.0])
        moved = tfd.assign_log_moving_mean_exp(logarithm, [1001.0, -1000.0], 0.25)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            found = session.run(moved)
        expected = [1000 + np.log(0.25 + 0.75 * np.e), -5 + np.log(0.25)]
        self.assertAllClose(found, expected)

    def test_statistics_of_integers_are_errors(self):
        variable, floats = tf.Variable([1]), tf.Variable([1.0])
        with self.assertRaises(TypeError):
            tfd.assign_moving_mean_variance(variable, variable, [1], 0.5)
        with self.assertRaises(TypeError):
            tfd.assign_moving_mean_variance(floats, tf.Variable(np.zeros(1)), [1.0], 0.5)
        with self.assertRaises(TypeError):
            tfd.assign_log_moving_mean_exp(variable, [1], 0.5)
        with self.assertRaises(TypeError):
            tfd.moving_mean_variance(tf.constant([1]), 0.5)


class WeightedSumsTest(tf.test.TestCase):
    def test_sums_with_weights_have_a_sign(self):
        logx = np.array([[1000.0, 999.0], [-5.0, 0.0]])
        w = np.array([[-1.0, 1.0], [2.0, 3.0]])
        found = tfd.reduce_weighted_logsumexp(logx, w, axis=1, return_sign=True)
        whole = tfd.reduce_weighted_logsumexp(logx, w)
        kept = tfd.reduce_weighted_logsumexp(logx, axis=[1], keep_dims=True)
        with self.session() as session:
            (logarithm, sign), total, plain = session.run([found, whole, kept])
        expected = [1000 + np.log(1 - np.exp(-1)), np.log(3 + 2 * np.exp(-5))]
        self.assertAllClose(logarithm, expected)
        self.assertAllClose(sign, [-1.0, 1.0])
        self.assertAllClose(total, expected[0])
        self.assertAllClose(plain, [[1000 + np.log1p(np.exp(-1))], [np.log1p(np.exp(-5))]])

    def test_sums_without_weight_are_minus_infinite(self):
        logx = tf.constant([1.0, 2.0])
        found = tfd.reduce_weighted_logsumexp(logx, [0.0, 0.0])
        with self.session() as session:
            self.assertEqual(session.run(found), -np.inf)

    def test_gradients_are_the_shares_of_the_sum(self):
        logx = tf.constant([1.0, 2.0])
        found = tfd.reduce_weighted_logsumexp(logx, [3.0, -1.0])
        with self.session() as session:
            slopes = session.run(tf.gradients(found, logx)[0])
        parts = np.array([3 * np.e, -np.exp(2.0)])
        self.assertAllClose(slopes, parts / parts.sum(), rtol=1e-5)


if __name__ == "__main__":
    tf.test.main()
