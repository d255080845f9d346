"""Losses of `tf.contrib.losses`, whose weights are those of the first axes."""

import numpy as np

import troupe as tf

losses = tf.contrib.losses
GUESS = [[4.0, 8.0, 12.0], [8.0, 1.0, 3.0]]
TRUTH = [[1.0, 9.0, 2.0], [-5.0, -2.0, 6.0]]


class WeightsTest(tf.test.TestCase):
    def test_a_weight_for_each_example_counts_for_its_elements(self):
        loss = losses.absolute_difference(GUESS, TRUTH, weights=[1.2, 3.4])
        self.assertAllClose(self.evaluate(loss), (14 * 1.2 + 19 * 3.4) / 6)

    def test_a_column_of_weights_is_one_for_each_example(self):
        loss = losses.absolute_difference(GUESS, TRUTH, weights=[[1.2], [0.0]])
        self.assertAllClose(self.evaluate(loss), 14 * 1.2 / 3)

    def test_a_weight_in_brackets_counts_the_elements_of_one_example(self):
        loss = losses.absolute_difference(GUESS, TRUTH, weights=[2.0])
        self.assertAllClose(self.evaluate(loss), (14 + 19) * 2.0 / 3)

    def test_weight_zero_makes_the_loss_zero(self):
        loss = losses.mean_squared_error(GUESS, TRUTH, weights=0.0)
        self.assertEqual(self.evaluate(loss), 0.0)

    def test_weights_with_more_axes_than_losses_are_refused(self):
        with self.assertRaisesRegex(ValueError, "more axes"):
            losses.sparse_softmax_cross_entropy(GUESS, [0, 1], weights=np.ones([2, 3]))

    def test_no_weights_are_refused(self):
        with self.assertRaisesRegex(ValueError, "None"):
            losses.log_loss(GUESS, TRUTH, weights=None)


class PairsTest(tf.test.TestCase):
    def expected(self, weights):
        errors = np.array(GUESS) - np.array(TRUTH)
        squares = 2 * (errors**2).sum(1) / 3 - 2 * errors.sum(1) ** 2 / 9
        return (squares * weights).sum()

    def test_pairs_of_an_example_are_those_of_an_element_with_itself_too(self):
        loss = losses.mean_pairwise_squared_error(GUESS, TRUTH)
        self.assertAllClose(self.evaluate(loss), self.expected(1.0))

    def test_a_weight_for_each_example_counts_for_its_pairs(self):
        loss = losses.mean_pairwise_squared_error(GUESS, TRUTH, weights=[1.5, 0.0])
        self.assertAllClose(self.evaluate(loss), self.expected([1.5, 0.0]))


class CollectionTest(tf.test.TestCase):
    def test_losses_are_in_the_collection_that_a_scope_says(self):
        with tf.contrib.framework.arg_scope([losses.add_loss], loss_collection="mine"):
            loss = losses.mean_squared_error(GUESS, TRUTH)
        self.assertEqual(tf.get_collection("mine"), [loss])
        self.assertEqual(losses.get_losses(), [])

    def test_a_scope_without_a_collection_keeps_no_loss(self):
        with tf.contrib.framework.arg_scope([losses.add_loss], loss_collection=None):
            losses.mean_squared_error(GUESS, TRUTH)
        self.assertEqual(losses.get_losses(), [])


if __name__ == "__main__":
    tf.test.main()
