"""Variants of functions of `tf.nn`, and sparsemax: what they compute, and what they refuse."""

import unittest

import numpy as np

import troupe as tf

ROWS, CLASSES, DIM = 4, 6, 3


def sparsemax(row):
    """The projection onto the simplex, by bisection of its shift."""
    low, high = row.max() - 1, row.max()
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(row - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(row - low, 0)


class NnVariantsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        self.random = np.random.default_rng(8)

    def test_alpha_dropout_keeps_the_mean_and_the_variance(self):
        x = self.random.normal(size=[400, 500])
        dropped = tf.contrib.nn.alpha_dropout(x, 0.8, seed=3)
        self.assertEqual(dropped.shape, (400, 500))
        with tf.Session() as session:
            got = session.run(dropped)
        self.assertAllClose([got.mean(), got.std()], [0, 1], atol=0.01)
        # Kept ones are moved alike, and all others have one value.
        values, counts = np.unique(got.round(9), return_counts=True)
        self.assertAllClose(counts.max() / got.size, 0.2, atol=0.01)
        kept = got.round(9) != values[counts.argmax()]
        slope = np.polyfit(x[kept], got[kept], 1)
        self.assertAllClose(np.polyval(slope, x[kept]), got[kept])

    def test_alpha_dropout_draws_for_the_shape_of_the_noise(self):
        x = np.ones([20, 30])
        with tf.Session() as session:
            got = session.run(tf.contrib.nn.alpha_dropout(x, 0.5, noise_shape=[20, 1]))
        self.assertAllEqual(got, np.repeat(got[:, :1], 30, 1))
        self.assertEqual(len(np.unique(got)), 2)

    def test_alpha_dropout_that_keeps_all_is_no_op_and_other_rates_are_refused(self):
        x = tf.constant([1.0])
        self.assertIs(tf.contrib.nn.alpha_dropout(x, 1.0), x)
        self.assertIs(tf.contrib.nn.alpha_dropout(x, tf.constant(1.0)), x)
        for rate in (0, 1.5):
            with self.assertRaisesRegex(ValueError, r"range \(0, 1\]"):
                tf.contrib.nn.alpha_dropout(x, rate)
        with self.assertRaisesRegex(ValueError, "rank 0"):
            tf.contrib.nn.alpha_dropout(x, tf.constant([0.5]))

    def test_scaled_softplus_and_its_gradients(self):
        x = self.random.normal(size=[3, 5]) * 4
        alpha = np.array([[0.5], [1.0], [3.0]])
        given = tf.constant(x), tf.constant(alpha)
        free = tf.contrib.nn.scaled_softplus(*given)
        clipped = tf.contrib.nn.scaled_softplus(*given, clip=2.0)
        expected = alpha * np.log1p(np.exp(x / alpha))
        with tf.Session() as session:
            got, bounded = session.run([free, clipped])
            faults = [
                tf.test.compute_gradient_error(each, each.shape, y, [3, 5])
                for each in given
                for y in (free, clipped)
            ]
        self.assertAllClose(expected, got)
        self.assertAllClose(np.minimum(expected, 2), bounded)
        self.assertLess(max(faults), 1e-5)

    def test_losses_with_the_logits_first_are_those_of_nn(self):
        logits = self.random.normal(size=[ROWS, CLASSES])
        labels = self.random.dirichlet(np.ones(CLASSES), ROWS)
        classes = self.random.integers(CLASSES, size=ROWS)
        nn = tf.contrib.nn
        pairs = [
            (nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels),
             tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)),
            (nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, classes),
             tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)),
            (nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, labels),
             tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)),
        ]  # fmt: skip
        with tf.Session() as session:
            for one, other in session.run(pairs):
                self.assertAllEqual(one, other)

    def test_the_nth_element_from_both_ends(self):
        x = self.random.normal(size=[2, 3, 7])
        with tf.Session() as session:
            least, greatest = session.run(
                [tf.contrib.nn.nth_element(x, 2), tf.contrib.nn.nth_element(x, 2, reverse=True)]
            )
        self.assertAllEqual(least, np.sort(x)[..., 2])
        self.assertAllEqual(greatest, np.sort(x)[..., -3])


class SampledLossesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        random = np.random.default_rng(9)
        self.weights, self.biases = random.normal(size=[CLASSES, DIM]), random.normal(size=CLASSES)
        self.inputs = random.normal(size=[ROWS, DIM])
        self.labels = np.array([[0], [5], [2], [0]])
        self.logits = self.inputs @ self.weights.T + self.biases

    def expected(self, sampled, counts, true_counts):
        """The loss of each row, without hits of its own class."""
        losses = []
        for row, (label,) in enumerate(self.labels):
            true = self.logits[row, label] - np.log(true_counts[row])
            others = [
                self.logits[row, each] - np.log(count)
                for each, count in zip(sampled, counts)
                if each != label
            ]
            losses.append(np.log(np.exp([true, *others]).sum()) - true)
        return losses

    def test_with_one_true_class_the_loss_is_over_it_and_the_sample(self):
        sampled, counts, true_counts = [1, 5, 3], [0.5, 0.25, 2.0], [0.1, 0.2, 0.3, 0.4]
        loss = tf.contrib.nn.sampled_sparse_softmax_loss(
            self.weights, self.biases, self.labels, self.inputs, 3, CLASSES,
            (sampled, tf.constant([[each] for each in true_counts], tf.float64),
             tf.constant(counts, tf.float64)),
        )  # fmt: skip
        with tf.Session() as session:
            got = session.run(loss)
        self.assertAllClose(self.expected(sampled, counts, true_counts), got)

    def test_of_a_sample_those_stay_that_are_the_most_probable_of_all_rows(self):
        sampled, counts = np.array([1, 5, 3, 4]), np.array([0.5, 0.25, 2.0, 1.0])
        true_counts, temperature = [0.1, 0.2, 0.3, 0.4], 0.7
        loss = tf.contrib.nn.rank_sampled_softmax_loss(
            self.weights, self.biases, self.labels, self.inputs, 4, 2, CLASSES, 1,
            (sampled, tf.constant([[each] for each in true_counts], tf.float64), counts),
            temperature, True, "div",
        )  # fmt: skip
        with tf.Session() as session:
            got = session.run(loss)
        ranks = np.log(np.exp(self.logits[:, sampled] / temperature).sum(0))
        best = np.argsort(-ranks)[:2]
        self.assertAllClose(self.expected(sampled[best], counts[best], true_counts), got)

    def test_without_a_sample_classes_are_drawn(self):
        loss = tf.contrib.nn.rank_sampled_softmax_loss(
            self.weights, self.biases, self.labels, self.inputs, 5, 2, CLASSES, 1, None, 1.0,
            True, "mod",
        )  # fmt: skip
        with tf.Session() as session:
            self.assertTrue(np.isfinite(session.run(loss)).all())

    def test_samples_that_do_not_fit_are_refused(self):
        def lose(sampled, resampled, strategy="div"):
            tf.contrib.nn.rank_sampled_softmax_loss(
                self.weights, self.biases, self.labels, self.inputs, sampled, resampled, CLASSES,
                1, None, 1.0, True, strategy,
            )  # fmt: skip

        with self.assertRaisesRegex(ValueError, r"num_sampled \(7\) cannot be greater"):
            lose(7, 2)
        with self.assertRaisesRegex(ValueError, r"num_resampled \(3\) must be less"):
            lose(3, 3)
        with self.assertRaisesRegex(ValueError, r"unsupported partition_strategy \(all\)"):
            lose(3, 2, "all")


class SparsemaxTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        self.z = np.random.default_rng(10).normal(size=[ROWS, CLASSES]) * 2

    def test_it_is_the_projection_onto_the_simplex(self):
        with tf.Session() as session:
            got = session.run(tf.contrib.sparsemax.sparsemax(self.z))
        self.assertAllClose(np.apply_along_axis(sparsemax, 1, self.z), got)
        self.assertAllClose(np.ones(ROWS), got.sum(1))

    def test_rows_without_a_projection_are_not_numbers(self):
        inf, nan = np.inf, np.nan
        z = [[0.0, 1.0], [inf, 0.0], [nan, 0.0], [-inf, -inf], [-inf, 5.0]]
        with tf.Session() as session:
            got = session.run(tf.contrib.sparsemax.sparsemax(z))
        self.assertAllEqual(got, [[0, 1], [nan, nan], [nan, nan], [nan, nan], [0, 1]])

    def test_the_derivative_of_the_loss_is_what_sparsemax_is_off(self):
        labels = np.random.default_rng(11).dirichlet(np.ones(CLASSES), ROWS)
        z = tf.constant(self.z)
        p = tf.contrib.sparsemax.sparsemax(z)
        loss = tf.contrib.sparsemax.sparsemax_loss(z, p, labels)
        (slope,) = tf.gradients(loss, z)
        perfect = tf.contrib.sparsemax.sparsemax_loss(z, p, p)
        with tf.Session() as session:
            got, projected, losses, least = session.run([slope, p, loss, perfect])
        self.assertAllClose(projected - labels, got)
        self.assertGreater(losses.min(), 0)
        self.assertEqual(losses.shape, (ROWS,))
        self.assertTrue((least <= losses).all())

    def test_a_class_that_cannot_be_has_no_loss(self):
        z = tf.constant([[-np.inf, 1.0, 0.5]])
        p = tf.contrib.sparsemax.sparsemax(z)
        with tf.Session() as session:
            (got,) = session.run(tf.contrib.sparsemax.sparsemax_loss(z, p, [[0.0, 1.0, 0.0]]))
            (expected,) = session.run(
                tf.contrib.sparsemax.sparsemax_loss(z[:, 1:], p[:, 1:], [[1.0, 0.0]])
            )
        self.assertAllClose(expected, got)


class ForwardGradientsTest(tf.test.TestCase):
    def test_changes_are_those_in_the_direction(self):
        x, z = tf.constant([1.0, 2.0]), tf.constant(3.0)
        y = tf.square(x) * z
        (change,) = tf.contrib.nn.fwd_gradients([y], [x, z], [[10.0, 1.0], 0.5])
        # 2 x z dx + x^2 dz
        self.assertAllClose(self.evaluate(change), [60.0 + 0.5, 12.0 + 2.0])

    def test_without_a_direction_all_elements_are_moved_by_one(self):
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        (change,) = tf.contrib.nn.fwd_gradients([tf.reduce_sum(x * x, 1)], [x])
        self.assertAllClose(self.evaluate(change), [6.0, 14.0])

    def test_gradients_of_rows_are_not_computed(self):
        x = tf.constant([1.0, 2.0, 3.0])
        y = tf.gather(x, [2, 0])
        (change,) = tf.contrib.nn.fwd_gradients([y], [x], [[5.0, 6.0, 7.0]], assert_unused=True)
        self.assertAllClose(self.evaluate(change), [7.0, 5.0])


if __name__ == "__main__":
    unittest.main()
