"""Losses, and the functions of networks that are made of several ops, against NumPy."""

import unittest

import numpy as np

import troupe as tf

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
Y = np.array([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], np.float32)
SIGMOID = 1 / (1 + np.exp(-X))
CROSS_ENTROPY = -Y * np.log(SIGMOID) - (1 - Y) * np.log(1 - SIGMOID)


class LossesTest(tf.test.TestCase):
    def check(self, expected, tensor):
        with tf.Session() as session:
            self.assertAllClose(session.run(tensor), expected, rtol=1e-5, atol=1e-6)

    def test_losses_are_means_of_what_their_names_say(self):
        softmax = np.exp(X) / np.exp(X).sum(1, keepdims=True)
        error = np.abs(X - Y)
        huber = np.where(error <= 1, error**2 / 2, error - 0.5)
        self.check(np.mean((X - Y) ** 2), tf.losses.mean_squared_error(Y, X))
        self.check(np.mean(error), tf.losses.absolute_difference(Y, X))
        self.check(np.mean(huber), tf.losses.huber_loss(Y, X))
        self.check(np.mean(CROSS_ENTROPY), tf.losses.log_loss(Y, SIGMOID))
        self.check(np.mean(np.maximum(1 - (2 * Y - 1) * X, 0)), tf.losses.hinge_loss(Y, X))
        self.check(np.mean(CROSS_ENTROPY), tf.losses.sigmoid_cross_entropy(Y, X))
        right = -np.log(softmax[[0, 1], [2, 1]])
        self.check(right.mean(), tf.losses.sparse_softmax_cross_entropy([2, 1], X))
        one_hot = np.eye(3, dtype=np.float32)[[2, 1]]
        self.check(right.mean(), tf.losses.softmax_cross_entropy(one_hot, X))
        smooth = one_hot * 0.9 + 0.1 / 3
        self.check(
            -(smooth * np.log(softmax)).sum(1).mean(),
            tf.losses.softmax_cross_entropy(one_hot, X, label_smoothing=0.1),
        )

    def test_one_row_of_labels_or_of_logits_is_that_of_all(self):
        logs = X - np.log(np.exp(X).sum(1, keepdims=True))
        one = np.array([[0.2, 0.3, 0.5]], np.float32)
        loss = tf.nn.softmax_cross_entropy_with_logits
        self.check(-(one * logs).sum(1), loss(labels=one, logits=X))
        row, all_rows = tf.constant(X[:1]), tf.placeholder_with_default(Y, [None, 3])
        found = loss(labels=all_rows, logits=row)
        self.check(-(Y * logs[:1]).sum(1), found)
        slope = (np.exp(logs[:1]) - Y).sum(0, keepdims=True)
        self.check(slope, tf.gradients(found, row)[0])

    def test_weights_count_as_the_reduction_says(self):
        losses, weights = np.array([1.0, 2.0, 3.0], np.float32), [2.0, 0.0, 1.0]
        kinds = tf.losses.Reduction
        for kind, expected in ((kinds.SUM, 5), (kinds.MEAN, 5 / 3), (kinds.NONE, [2, 0, 3]),
                               (kinds.SUM_OVER_BATCH_SIZE, 5 / 3),
                               (kinds.SUM_BY_NONZERO_WEIGHTS, 5 / 2)):  # fmt: skip
            with self.subTest(kind):
                loss = tf.losses.compute_weighted_loss(losses, weights, reduction=kind)
                self.check(expected, loss)
        self.check(0, tf.losses.compute_weighted_loss(losses, 0.0))
        with self.assertRaisesRegex(ValueError, "Invalid Reduction"):
            tf.losses.compute_weighted_loss(losses, reduction="most")

    def test_the_total_is_of_all_losses_and_regularizers(self):
        with tf.variable_scope("s", regularizer=lambda v: tf.reduce_sum(v) * 0.5):
            tf.get_variable("v", initializer=[1.0, 3.0])
        tf.losses.mean_squared_error([1.0], [3.0])
        tf.losses.mean_squared_error([1.0], [3.0], loss_collection=None)
        tf.losses.add_loss(tf.constant(10.0))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(tf.losses.get_total_loss()), 16)
            self.assertEqual(session.run(tf.losses.get_regularization_loss()), 2)

    def test_shapes_that_do_not_fit_are_refused(self):
        with self.assertRaisesRegex(ValueError, "incompatible"):
            tf.losses.mean_squared_error([[1.0]], X)


class NetworksTest(tf.test.TestCase):
    check = LossesTest.check

    def test_activations(self):
        self.check(np.log1p(np.exp(X)), tf.nn.softplus(X))
        self.check(np.where(X > 0, X, 0.2 * X), tf.nn.leaky_relu(X))
        self.check(np.clip(3 * X, 0, 6), tf.nn.relu6(3 * X))
        self.check(np.where(X > 0, X, np.expm1(X)), tf.nn.elu(X))
        self.check(X * SIGMOID, tf.nn.swish(X))
        self.check(1 / 6, tf.nn.zero_fraction([[0, 1, 2], [3, 4, 5]]))

    def test_cross_entropies_do_not_overflow(self):
        self.check(
            CROSS_ENTROPY, tf.nn.sigmoid_cross_entropy_with_logits(labels=Y, logits=tf.constant(X))
        )
        self.check(
            [1000, 0], tf.nn.sigmoid_cross_entropy_with_logits(labels=[0.0, 1.0], logits=[1e3, 1e3])
        )
        weighted = -2 * Y * np.log(SIGMOID) - (1 - Y) * np.log(1 - SIGMOID)
        self.check(weighted, tf.nn.weighted_cross_entropy_with_logits(Y, X, 2.0))

    def test_gradients_are_true_also_where_logits_are_zero(self):
        x, z = tf.constant([0.0, 0.0, 2.0]), tf.constant([0.0, 1.0, 1.0])
        sigmoid = 1 / (1 + np.exp([0.0, 0.0, -2.0]))

        def slopes(y):
            return tf.gradients(y, [x])[0]

        self.check(sigmoid, slopes(tf.nn.softplus(x)))
        cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
        self.check(sigmoid - [0, 1, 1], slopes(cross_entropy))
        weighted = tf.nn.weighted_cross_entropy_with_logits(z, x, 3.0)
        self.check([0.5, -1.5, 3 * sigmoid[2] - 3], slopes(weighted))
        self.check([1, 1, 1], slopes(tf.nn.elu(x)))
        self.check([0.2, 0.2, 1], slopes(tf.nn.leaky_relu(x)))
        self.check(np.array([-1, -1, 1]) / 3, slopes(tf.losses.huber_loss([3.0, 2.0, 1.0], x)))

    def test_moments_and_normalization(self):
        mean, variance = tf.nn.moments(tf.constant(X), [0])
        self.check(X.mean(0), mean)
        self.check(X.var(0), variance)
        self.assertEqual(tf.nn.moments(X, [1], keep_dims=True)[1].shape, [2, 1])
        chosen = tf.placeholder_with_default([0], [None])  # in each step
        for found in (tf.nn.moments(X, chosen), tf.nn.weighted_moments(X, chosen, 1.0)):
            self.check(X.mean(0), found[0])
            self.check(X.var(0), found[1])
        normal = (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-3)
        self.check(normal * 2 + 1, tf.nn.batch_normalization(X, mean, variance, 1.0, 2.0, 1e-3))
        self.check(normal, tf.nn.batch_normalization(X, mean, variance, None, None, 1e-3))
        length = np.linalg.norm(X, axis=1, keepdims=True)
        self.check(X / length, tf.nn.l2_normalize(X, 1))
        self.check(X.var(1), tf.math.reduce_variance(X, 1))
        self.check(X.std(), tf.math.reduce_std(X))
        self.check(np.log(np.exp(X).sum(1)), tf.reduce_logsumexp(X, 1))
        self.check(X.argmin(1), tf.argmin(X, 1))

    def test_dropout_keeps_the_sum_and_drops_at_its_rate(self):
        ones = tf.ones([1000])
        with tf.Session() as session:
            for dropped in (tf.nn.dropout(ones, 0.25), tf.nn.dropout(ones, rate=0.75)):
                values = session.run(dropped)
                self.assertEqual(set(values), {0, 4})
                self.assertNear(float((values > 0).mean()), 0.25, 0.06)
        self.assertIs(tf.nn.dropout(ones, 1.0), ones)
        kept = tf.nn.dropout(ones, tf.placeholder(tf.float32))
        self.assertEqual(kept.shape.as_list(), ones.shape.as_list())
        for wrong in ({}, {"keep_prob": 0.5, "rate": 0.5}, {"keep_prob": 0.0}):
            with self.assertRaises(ValueError):
                tf.nn.dropout(ones, **wrong)

    def test_losses_have_the_names_of_tensorflows(self):
        names = {
            tf.losses.mean_squared_error([1.0], [2.0]): "mean_squared_error/value",
            tf.losses.mean_squared_error([1.0], [2.0], scope="own"): "own/value",
            tf.losses.sigmoid_cross_entropy([[1]], [[2.0]]): "sigmoid_cross_entropy_loss/value",
            tf.losses.sparse_softmax_cross_entropy([1], [[2.0, 1]]): (
                "sparse_softmax_cross_entropy_loss/value"
            ),
            tf.losses.compute_weighted_loss([1.0]): "weighted_loss/value",
        }
        self.assertEqual([loss.op.name for loss in names], list(names.values()))

    def test_integers_are_predictions_and_no_weights_are_an_error(self):
        self.check(2.5, tf.losses.mean_squared_error([1, 2], [2, 4]))
        with self.assertRaisesRegex(ValueError, "weights"):
            tf.losses.absolute_difference([1], [2], weights=None)

    def test_weights_that_only_a_step_knows_are_checked_in_it(self):
        weights = tf.placeholder(tf.float32)
        loss = tf.losses.absolute_difference([1.0, 2.0], [2.0, 4.0], weights)
        with tf.Session() as session:
            self.assertAllClose(session.run(loss, {weights: [2, 1]}), 2)
            self.assertAllClose(session.run(loss, {weights: 2}), 3)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "broadcast"):
                session.run(loss, {weights: [1, 2, 3]})


if __name__ == "__main__":
    unittest.main()
