"""Wrappers of `tf.contrib.rnn`, against formulas of NumPy."""

import unittest

import numpy as np

import troupe as tf

rnn = tf.contrib.rnn

UNITS, DEPTH, BATCH = 4, 4, 3


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class WrappersTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(3)
        self.x, self.h = self.draw(BATCH, DEPTH), self.draw(BATCH, UNITS)

    def draw(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def run_cell(self, cell, inputs, state):
        """(output, next state, {name: value}), with drawn weights."""
        given = tf.contrib.framework.nest.map_structure(tf.constant, (inputs, state))
        result = cell(*given)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for variable in tf.global_variables():
                variable.load(self.draw(*variable.shape.as_list()), session)
            names = {each.op.name: each for each in tf.global_variables()}
            (output, after), values = session.run([result, names])
        return output, after, values

    def basic(self, x, h, v, scope):
        name = f"{scope}basic_rnn_cell/"
        return np.tanh(np.hstack([x, h]) @ v[f"{name}kernel"] + v[f"{name}bias"])

    def test_inputs_are_embedded(self):
        cell = rnn.EmbeddingWrapper(rnn.BasicRNNCell(UNITS), 7, 5)
        output, after, v = self.run_cell(cell, [[3], [0], [6]], self.h)
        rows = v["embedding_wrapper/embedding"][[3, 0, 6]]
        wanted = self.basic(rows, self.h, v, "embedding_wrapper/")
        self.assertAllClose(output, wanted, rtol=1e-4)
        self.assertAllEqual(output, after)
        self.assertEqual(len(cell.weights), 3)
        with self.assertRaisesRegex(ValueError, "must be > 0"):
            rnn.EmbeddingWrapper(rnn.BasicRNNCell(UNITS), 0, 5)

    def test_embeddings_begin_with_a_variance_of_one(self):
        cell = rnn.EmbeddingWrapper(rnn.BasicRNNCell(UNITS), 100, 50)
        cell(tf.constant([1]), tf.zeros([1, UNITS]))
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            self.assertAllClose(self.evaluate(cell.weights[0]).var(), 1.0, atol=0.05)

    def test_inputs_and_outputs_are_projected(self):
        cell = rnn.InputProjectionWrapper(rnn.BasicRNNCell(UNITS), 6, tf.nn.relu)
        output, _, v = self.run_cell(cell, self.x, self.h)
        scope = "input_projection_wrapper/"
        x = np.maximum(self.x @ v[f"{scope}kernel"] + v[f"{scope}bias"], 0)
        self.assertAllClose(output, self.basic(x, self.h, v, scope), rtol=1e-4)
        tf.reset_default_graph()
        cell = rnn.OutputProjectionWrapper(rnn.BasicRNNCell(UNITS), 2)
        self.assertEqual((cell.output_size, cell.state_size), (2, UNITS))
        output, after, v = self.run_cell(cell, self.x, self.h)
        scope = "output_projection_wrapper/"
        h = self.basic(self.x, self.h, v, scope)
        self.assertAllClose(after, h, rtol=1e-4)
        self.assertAllClose(output, h @ v[f"{scope}kernel"] + v[f"{scope}bias"], rtol=1e-4)

    def test_a_gate_mixes_inputs_with_outputs(self):
        for couples in (True, False):
            tf.reset_default_graph()
            cell = rnn.HighwayWrapper(rnn.BasicRNNCell(UNITS), couples)
            output, after, v = self.run_cell(cell, self.x, self.h)
            h = self.basic(self.x, self.h, v, "")
            carry = sigmoid(self.x @ v["carry_w"] + v["carry_b"])
            share = 1 - carry
            if not couples:
                share = sigmoid(self.x @ v["transform_w"] + v["transform_b"])
            self.assertAllClose(output, self.x * carry + h * share, rtol=1e-4, atol=1e-5)
            self.assertAllClose(after, h, rtol=1e-4)

    def test_gates_begin_with_the_bias_that_is_given(self):
        cell = rnn.HighwayWrapper(rnn.BasicRNNCell(UNITS), False, carry_bias_init=2.0)
        cell(tf.constant(self.x), tf.constant(self.h))
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            values = {each.op.name: self.evaluate(each) for each in tf.global_variables()}
            self.assertAllEqual(values["carry_b"], [2.0] * UNITS)
            self.assertAllEqual(values["transform_b"], [-2.0] * UNITS)

    def test_a_cell_attends_to_its_last_outputs(self):
        length, size, vector, scope = 3, 5, 2, "attention_cell_wrapper/"
        attended, history = self.draw(BATCH, size), self.draw(BATCH, length * size)
        for is_tuple in (True, False):
            tf.reset_default_graph()
            cell = rnn.AttentionCellWrapper(
                rnn.BasicRNNCell(UNITS), length, size, vector, state_is_tuple=is_tuple
            )
            state = (self.h, attended, history)
            output, after, v = self.run_cell(cell, self.x, state if is_tuple else np.hstack(state))
            x = np.hstack([self.x, attended]) @ v[f"{scope}kernel"] + v[f"{scope}bias"]
            h = self.basic(x, self.h, v, scope)
            rows = history.reshape(BATCH, length, size)
            inner = f"{scope}attention/"
            y = h @ v[f"{inner}kernel"] + v[f"{inner}bias"]
            features = rows @ v[f"{inner}attn_w"][0, 0]
            scores = (v[f"{inner}attn_v"] * np.tanh(features + y[:, None])).sum(2)
            weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
            new = (weights[..., None] * rows).sum(1)
            inner = f"{scope}attn_output_projection/"
            wanted = np.hstack([h, new]) @ v[f"{inner}kernel"] + v[f"{inner}bias"]
            self.assertAllClose(output, wanted, rtol=1e-3, atol=1e-4)
            kept = np.concatenate([rows[:, 1:], wanted[:, None]], 1).reshape(BATCH, -1)
            after = np.hstack(after) if is_tuple else after
            self.assertAllClose(after, np.hstack([h, new, kept]), rtol=1e-3, atol=1e-4)
        with self.assertRaisesRegex(ValueError, "greater than zero"):
            rnn.AttentionCellWrapper(rnn.BasicRNNCell(UNITS), 0)
        with self.assertRaisesRegex(ValueError, "Cell returns tuple of states"):
            rnn.AttentionCellWrapper(rnn.BasicLSTMCell(UNITS), 2, state_is_tuple=False)

    def test_attention_runs_in_a_network(self):
        cell = rnn.AttentionCellWrapper(rnn.BasicLSTMCell(UNITS), 2)
        outputs, state = tf.nn.dynamic_rnn(
            cell, tf.constant(self.draw(2, 5, DEPTH)), dtype=tf.float32
        )
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            outputs, state = self.evaluate([outputs, state])
            self.assertAllClose(state[2], outputs[:, -2:].reshape(2, -1))

    def test_axes_of_batch_and_time_are_exchanged_and_the_batch_is_known(self):
        turned = rnn.transpose_batch_time(tf.placeholder(tf.float32, [3, None, 2]))
        self.assertEqual(turned.shape.as_list(), [None, 3, 2])
        self.assertEqual(rnn.best_effort_input_batch_size([tf.zeros([3, 4, 2])]), 4)
        unknown = rnn.best_effort_input_batch_size([tf.placeholder_with_default([[1, 2]], None)])
        self.assertEqual(self.evaluate(unknown), 2)


if __name__ == "__main__":
    unittest.main()
