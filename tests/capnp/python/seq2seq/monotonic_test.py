"""Attention that never goes back, against a simulation step by step in NumPy."""

import unittest

import numpy as np

import troupe as tf

seq2seq = tf.contrib.seq2seq


def alignments_of(ends, before):
    """The probability that a search ends at each step, by all places where it may begin."""
    found = np.zeros_like(before)
    for row, (probabilities, starts) in enumerate(zip(ends, before)):
        for start, weight in enumerate(starts):
            for step in range(start, len(starts)):
                found[row, step] += weight * probabilities[step]
                weight *= 1 - probabilities[step]
    return found


class MonotonicTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        random = np.random.RandomState(0)
        self.ends = random.uniform(0.1, 0.9, [3, 6]).astype(np.float32)
        weights = random.uniform(0, 1, [3, 6])
        self.before = (weights / weights.sum(1, keepdims=True)).astype(np.float32)
        self.memory = random.randn(2, 4, 3).astype(np.float32)
        self.query = random.randn(2, 5).astype(np.float32)

    def test_searches_go_on_where_the_one_before_ended(self):
        wanted = alignments_of(self.ends, self.before)
        for mode in ("recursive", "parallel"):
            found = seq2seq.monotonic_attention(self.ends, self.before, mode)
            self.assertEqual(found.shape.as_list(), [3, 6])
            self.assertAllClose(self.evaluate(found), wanted, atol=1e-5)

    def test_hard_searches_end_at_the_first_step_that_is_chosen(self):
        ends = np.array([[1, 0, 0, 1, 1], [0, 0, 0, 0, 0]], np.float32)
        before = np.array([[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]], np.float32)
        found = self.evaluate(seq2seq.monotonic_attention(ends, before, "hard"))
        self.assertAllEqual(found, [[0, 0, 0, 1, 0], [0, 0, 0, 0, 0]])
        with self.assertRaisesRegex(ValueError, "mode must be"):
            seq2seq.monotonic_attention(ends, before, "soft")

    def test_products_by_logarithms_are_those_of_the_numbers_and_have_gradients_at_zero(self):
        given = tf.constant([[0.5, 0.0, 0.25, 1.0]])
        for options in ({}, {"exclusive": True}, {"reverse": True}):
            self.assertAllClose(
                self.evaluate(seq2seq.safe_cumprod(given, axis=1, **options)),
                self.evaluate(tf.cumprod(given, axis=1, **options)),
            )
        (gradient,) = tf.gradients(seq2seq.safe_cumprod(given, axis=1), given)
        self.assertTrue(np.isfinite(self.evaluate(gradient)).all())

    def aligned(self, mechanism):
        """The alignments of two queries one after the other, and the variables."""
        first = mechanism.initial_state(2, tf.float32)
        one, state = mechanism(tf.constant(self.query), first)
        with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
            two, _ = mechanism._probability_fn(tf.zeros([2, 4]), state), None
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for variable in tf.trainable_variables():
                filler = np.linspace(-1, 1, max(int(np.prod(variable.shape.as_list())), 2))
                size = int(np.prod(variable.shape.as_list()))
                variable.load(filler[-size:].reshape(variable.shape.as_list()), session)
            found = session.run([first, one, two])
            return found, session.run({each.op.name: each for each in tf.trainable_variables()})

    def check(self, found, scores):
        first, one, two = found
        self.assertAllEqual(first, [[1, 0, 0, 0]] * 2)
        ends = 1 / (1 + np.exp(-scores))
        self.assertAllClose(one, alignments_of(ends, first), atol=1e-5)
        self.assertAllClose(two, alignments_of(np.full([2, 4], 0.5), one), atol=1e-5)

    def test_scores_are_those_of_the_other_mechanisms_with_a_bias(self):
        with tf.Graph().as_default():
            found, variables = self.aligned(
                seq2seq.LuongMonotonicAttention(5, self.memory, scale=True, score_bias_init=-2.0)
            )
        scope = "luong_monotonic_attention/"
        keys = self.memory @ variables["memory_layer/kernel"]
        scores = np.einsum("bu,btu->bt", self.query, keys) * variables[f"{scope}attention_g"]
        self.check(found, scores + variables[f"{scope}attention_score_bias"])
        with tf.Graph().as_default():
            found, variables = self.aligned(
                seq2seq.BahdanauMonotonicAttention(3, self.memory, mode="recursive")
            )
        scope = "bahdanau_monotonic_attention/"
        keys = self.memory @ variables["memory_layer/kernel"]
        query = self.query @ variables[f"{scope}query_layer/kernel"]
        v = variables[f"{scope}attention_v"]
        scores = (v * np.tanh(keys + query[:, None])).sum(-1)
        self.check(found, scores + variables[f"{scope}attention_score_bias"])

    def test_the_bias_begins_where_it_is_said_and_hard_scores_are_0_or_1(self):
        mechanism = seq2seq.LuongMonotonicAttention(
            5, self.memory, [2, 4], score_bias_init=-4.0, mode="hard"
        )
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(5), mechanism)
        outputs, state = tf.nn.dynamic_rnn(
            cell, tf.constant(np.random.RandomState(3).randn(2, 3, 5), tf.float32),
            dtype=tf.float32,
        )  # fmt: skip
        bias = next(v for v in tf.global_variables() if "score_bias" in v.name)
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            self.assertEqual(self.evaluate(bias), -4.0)
            self.assertAllInSet(self.evaluate(state.alignments), [0.0, 1.0])

    def test_noise_changes_the_alignments(self):
        mechanism = seq2seq.LuongMonotonicAttention(
            5, self.memory, sigmoid_noise=3.0, sigmoid_noise_seed=1
        )
        state = mechanism.initial_state(2, tf.float32)
        alignments, _ = mechanism(tf.constant(self.query), state)
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            self.assertNotAllClose(self.evaluate(alignments), self.evaluate(alignments))


if __name__ == "__main__":
    unittest.main()
