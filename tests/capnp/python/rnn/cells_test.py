"""Cells of recurrent networks: their values by formulas, variables, sizes and errors."""

import inspect
import unittest

import numpy as np

import troupe as tf

cells = tf.nn.rnn_cell

UNITS, DEPTH, BATCH = 3, 2, 4


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, c, h, kernel, bias, forget_bias=1.0):
    i, j, f, o = np.split(np.hstack([x, h]) @ kernel + bias, 4, axis=1)
    c = c * sigmoid(f + forget_bias) + sigmoid(i) * np.tanh(j)
    return c, np.tanh(c) * sigmoid(o)


class CellsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(7)
        self.x = self.random.normal(size=(BATCH, DEPTH))

    def draw(self, *shape):
        return self.random.normal(size=shape)

    def values_of(self, cell, state, fetches=None):
        """(what the cell gives, {last part of the name: value} of its variables)."""
        result = cell(tf.constant(self.x), state)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for variable in cell.weights:  # initial biases would hide that they are added
                variable.load(self.draw(*variable.shape.as_list()), session)
            values = {v.op.name.split("/", 1)[1]: session.run(v) for v in cell.weights}
            return session.run(result if fetches is None else fetches), values

    def test_a_basic_cell_is_an_activated_product(self):
        for activation, function in ((None, np.tanh), ("relu", lambda x: np.maximum(x, 0))):
            h = self.draw(BATCH, UNITS)
            cell = cells.BasicRNNCell(UNITS, activation, name=f"cell_{activation}")
            (output, state), v = self.values_of(cell, tf.constant(h))
            expected = function(np.hstack([self.x, h]) @ v["kernel"] + v["bias"])
            self.assertAllClose(output, expected)
            self.assertAllEqual(output, state)

    def test_a_gated_unit_resets_the_state_before_the_product(self):
        h = self.draw(BATCH, UNITS)
        (output, state), v = self.values_of(cells.GRUCell(UNITS), tf.constant(h))
        gates = sigmoid(np.hstack([self.x, h]) @ v["gates/kernel"] + v["gates/bias"])
        r, u = np.split(gates, 2, axis=1)
        c = np.tanh(np.hstack([self.x, r * h]) @ v["candidate/kernel"] + v["candidate/bias"])
        self.assertAllClose(output, u * h + (1 - u) * c)
        self.assertAllEqual(output, state)

    def test_the_gates_of_a_gated_unit_begin_with_biases_of_one(self):
        cell = cells.GRUCell(UNITS)
        cell(tf.constant(self.x), cell.zero_state(BATCH, tf.float64))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            biases = {v.op.name: session.run(v) for v in cell.weights if "bias" in v.op.name}
        self.assertAllEqual(biases["gru_cell/gates/bias"], np.ones(2 * UNITS))
        self.assertAllEqual(biases["gru_cell/candidate/bias"], np.zeros(UNITS))

    def test_a_basic_memory_cell_forgets_by_its_gate_and_the_bias(self):
        c, h = self.draw(BATCH, UNITS), self.draw(BATCH, UNITS)
        for forget_bias in (1.0, 0.25):
            cell = cells.BasicLSTMCell(UNITS, forget_bias, name=f"cell_{forget_bias}")
            state = cells.LSTMStateTuple(tf.constant(c), tf.constant(h))
            (output, after), v = self.values_of(cell, state)
            memory, expected = lstm(self.x, c, h, v["kernel"], v["bias"], forget_bias)
            self.assertAllClose(output, expected)
            self.assertIsInstance(after, cells.LSTMStateTuple)
            self.assertAllClose(after.c, memory)
            self.assertAllEqual(after.h, output)

    def test_a_memory_cell_without_options_is_the_basic_one(self):
        c, h = self.draw(BATCH, UNITS), self.draw(BATCH, UNITS)
        state = (tf.constant(c), tf.constant(h))
        (output, after), v = self.values_of(cells.LSTMCell(UNITS), state)
        memory, expected = lstm(self.x, c, h, v["kernel"], v["bias"])
        self.assertAllClose([after.c, output], [memory, expected])

    def test_peepholes_clips_and_a_projection(self):
        size = 2
        c, m = 3 * self.draw(BATCH, UNITS), self.draw(BATCH, size)
        cell = cells.LSTMCell(
            UNITS, use_peepholes=True, cell_clip=0.5, num_proj=size, proj_clip=0.1, forget_bias=0.5
        )
        self.assertEqual((cell.output_size, cell.state_size), (size, (UNITS, size)))
        (output, after), v = self.values_of(cell, (tf.constant(c), tf.constant(m)))
        i, j, f, o = np.split(np.hstack([self.x, m]) @ v["kernel"] + v["bias"], 4, axis=1)
        memory = sigmoid(f + 0.5 + v["w_f_diag"] * c) * c
        memory += sigmoid(i + v["w_i_diag"] * c) * np.tanh(j)
        self.assertGreater(np.abs(memory).max(), 0.5)
        memory = np.clip(memory, -0.5, 0.5)
        before = sigmoid(o + v["w_o_diag"] * memory) * np.tanh(memory) @ v["projection/kernel"]
        self.assertGreater(np.abs(before).max(), 0.1)
        self.assertAllClose(after.c, memory)
        self.assertAllClose(output, np.clip(before, -0.1, 0.1))

    def test_a_concatenated_state_is_the_tuple_in_one_tensor(self):
        c, h = self.draw(BATCH, UNITS), self.draw(BATCH, 2)
        for make, parts in (
            (lambda **more: cells.BasicLSTMCell(UNITS, **more), (c, self.draw(BATCH, UNITS))),
            (lambda **more: cells.LSTMCell(UNITS, num_proj=2, **more), (c, h)),
        ):
            tf.reset_default_graph()
            one, other = make(name="same"), make(name="same", state_is_tuple=False, reuse=True)
            self.assertEqual(other.state_size, sum(one.state_size))
            split = one(tf.constant(self.x), tuple(map(tf.constant, parts)))
            joined = other(tf.constant(self.x), tf.constant(np.hstack(parts)))
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                (output, state), (same, both) = session.run([split, joined])
            self.assertAllClose(output, same)
            self.assertAllClose(np.hstack(state), both)

    def test_variables_have_the_names_of_tensorflow(self):
        x, by_default = tf.zeros([1, 2]), "kernel bias"
        for cell, scope, expected in (
            (cells.BasicRNNCell(3), "basic_rnn_cell", by_default),
            (cells.BasicLSTMCell(3), "basic_lstm_cell", by_default),
            (cells.LSTMCell(3), "lstm_cell", by_default),
            (
                cells.GRUCell(3), "gru_cell",
                "gates/kernel gates/bias candidate/kernel candidate/bias",
            ),
            (
                cells.LSTMCell(3, use_peepholes=True, num_proj=2, name="deep"), "deep",
                "kernel bias w_f_diag w_i_diag w_o_diag projection/kernel",
            ),
        ):  # fmt: skip
            cell(x, cell.zero_state(1, tf.float32))
            names = [variable.name for variable in cell.trainable_variables]
            self.assertEqual(names, [f"{scope}/{name}:0" for name in expected.split()])
        stack = cells.MultiRNNCell([cells.GRUCell(3), cells.DropoutWrapper(cells.LSTMCell(2))])
        stack(x, stack.zero_state(1, tf.float32))
        names = [variable.op.name for variable in stack.weights]
        self.assertEqual(names[0], "multi_rnn_cell/cell_0/gru_cell/gates/kernel")
        self.assertEqual(names[-1], "multi_rnn_cell/cell_1/lstm_cell/bias")

    def test_shards_are_parts_of_the_matrices(self):
        cell = cells.LSTMCell(4, num_proj=2, num_unit_shards=2, num_proj_shards=2)
        c, m = self.draw(BATCH, 4), self.draw(BATCH, 2)
        result = cell(tf.constant(self.x), (tf.constant(c), tf.constant(m)))
        names = [v.op.name for v in tf.trainable_variables()]
        self.assertIn("lstm_cell/kernel/part_1", names)
        self.assertIn("lstm_cell/projection/kernel/part_1", names)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = {v.op.name: session.run(v) for v in tf.trainable_variables()}
            output = session.run(result[0])
        parts = [[values[f"lstm_cell/{name}/part_{i}"] for i in (0, 1)]
                 for name in ("kernel", "projection/kernel")]  # fmt: skip
        _, h = lstm(self.x, c, m, np.vstack(parts[0]), 0)
        self.assertAllClose(output, h @ np.vstack(parts[1]))

    def test_a_cell_keeps_its_variables_and_another_one_gets_its_own(self):
        cell, x = cells.LSTMCell(3), tf.zeros([1, 2])
        cell(x, cell.zero_state(1, tf.float32))
        with tf.variable_scope("elsewhere"):
            cell(x, cell.zero_state(1, tf.float32))
        self.assertEqual(len(tf.trainable_variables()), 2)
        other = cells.LSTMCell(3)
        other(x, other.zero_state(1, tf.float32))
        self.assertEqual(other.weights[0].name, "lstm_cell_1/kernel:0")
        with self.assertRaisesRegex(ValueError, "already exists"):
            again = cells.LSTMCell(3, name="lstm_cell")
            with tf.variable_scope("", auxiliary_name_scope=False):
                again(x, again.zero_state(1, tf.float32), scope="lstm_cell")
        shared = cells.LSTMCell(3, name="lstm_cell", reuse=True)
        shared(x, shared.zero_state(1, tf.float32))
        self.assertIs(shared.weights[0], cell.weights[0])

    def test_a_stack_gives_outputs_to_the_next_cell(self):
        first, second = cells.BasicRNNCell(UNITS), cells.BasicLSTMCell(2)
        stack = cells.MultiRNNCell([first, second])
        self.assertEqual((stack.state_size, stack.output_size), ((UNITS, (2, 2)), 2))
        h, c, m = self.draw(BATCH, UNITS), self.draw(BATCH, 2), self.draw(BATCH, 2)
        state = (tf.constant(h), cells.LSTMStateTuple(tf.constant(c), tf.constant(m)))
        (output, after), v = self.values_of(stack, state)
        name = "cell_{}/{}/{}".format
        kernel, bias = v[name(0, "basic_rnn_cell", "kernel")], v[name(0, "basic_rnn_cell", "bias")]
        middle = np.tanh(np.hstack([self.x, h]) @ kernel + bias)
        kernel = v[name(1, "basic_lstm_cell", "kernel")]
        memory, expected = lstm(middle, c, m, kernel, v[name(1, "basic_lstm_cell", "bias")])
        self.assertAllClose(output, expected)
        self.assertAllClose(after[0], middle)
        self.assertAllClose(after[1].c, memory)

    def test_a_stack_may_have_its_state_in_one_tensor(self):
        stack = cells.MultiRNNCell([cells.GRUCell(2), cells.GRUCell(3)], state_is_tuple=False)
        self.assertEqual(stack.state_size, 5)
        state = stack.zero_state(BATCH, tf.float64)
        (output, after), _ = self.values_of(stack, state)
        self.assertAllEqual(after[:, 2:], output)
        with self.assertRaisesRegex(ValueError, "Some cells return tuples of states"):
            cells.MultiRNNCell([cells.LSTMCell(2)], state_is_tuple=False)

    def test_states_of_zeros_have_the_sizes_of_the_cell(self):
        cell = cells.MultiRNNCell([cells.LSTMCell(2), cells.GRUCell(3)])
        (c, _), last = cell.zero_state(4, tf.float32)
        self.assertEqual((c.shape.as_list(), last.shape.as_list()), ([4, 2], [4, 3]))
        size = tf.placeholder(tf.int32, [])
        (c, _), last = cell.zero_state(size, tf.float64)
        self.assertEqual(c.shape.as_list(), [None, 2])
        with tf.Session() as session:
            self.assertAllEqual(session.run(last, {size: 2}), np.zeros([2, 3]))
        with self.assertRaisesRegex(ValueError, "prefix or suffix of None"):
            cell.zero_state(None, tf.float32)

    def test_an_initial_state_is_that_for_the_inputs(self):
        cell = cells.GRUCell(3)
        x = tf.placeholder(tf.float64, [5, 2])
        state = cell.get_initial_state(x)
        self.assertEqual((state.shape.as_list(), state.dtype), ([5, 3], tf.float64))
        with self.assertRaisesRegex(ValueError, "batch size from input tensor is different"):
            cell.get_initial_state(x, batch_size=4)
        with self.assertRaisesRegex(ValueError, "dtype from input tensor is different"):
            cell.get_initial_state(x, dtype=tf.float32)
        with self.assertRaisesRegex(ValueError, "cannot be None"):
            cell.get_initial_state(batch_size=4)

    def test_a_cell_of_a_program_may_make_variables_when_it_is_called(self):
        class Scaled(cells.RNNCell):
            state_size = output_size = 2

            def call(self, inputs, state):
                w = tf.get_variable("w", [2], initializer=tf.constant_initializer(3.0))
                kept = tf.get_variable("kept", [], trainable=False)
                return inputs * w + 0 * kept, state + inputs

        cell = Scaled()
        x = tf.ones([1, 2])
        _, state = cell(x, cell.zero_state(1, tf.float32))
        output, state = cell(x, state)
        self.assertEqual([v.name for v in cell.trainable_weights], ["scaled/w:0"])
        self.assertEqual([v.name for v in cell.non_trainable_weights], ["scaled/kept:0"])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(output), [[3, 3]])
            self.assertAllEqual(session.run(state), [[2, 2]])

    def test_what_does_not_fit_is_refused(self):
        with self.assertRaisesRegex(ValueError, "only supports floating point inputs"):
            cells.GRUCell(3, dtype=tf.int32)
        with self.assertRaisesRegex(ValueError, "only supports floating point inputs"):
            cells.GRUCell(3)(tf.constant([[1]]), tf.constant([[1]]))
        with self.assertRaisesRegex(ValueError, "Unknown activation function:nothing"):
            cells.BasicRNNCell(3, "nothing")
        with self.assertRaisesRegex(ValueError, r"inputs.shape\[-1\] to be known"):
            cells.GRUCell(3)(tf.placeholder(tf.float32, [2, None]), tf.zeros([2, 3]))
        with self.assertRaisesRegex(ValueError, "at least one cell"):
            cells.MultiRNNCell([])
        with self.assertRaisesRegex(TypeError, "is not an RNNCell.*is not callable"):
            cells.ResidualWrapper("text")
        state = cells.LSTMStateTuple(tf.constant(1.0), tf.constant(1))
        with self.assertRaisesRegex(TypeError, "Inconsistent internal state"):
            self.assertIsNone(state.dtype)

    def test_signatures_are_those_of_tensorflow(self):
        common = "reuse=None, name=None, dtype=None, **kwargs"
        for cell, expected in (
            (cells.BasicRNNCell, f"num_units, activation=None, {common}"),
            (
                cells.GRUCell,
                "num_units, activation=None, reuse=None, kernel_initializer=None, "
                "bias_initializer=None, name=None, dtype=None, **kwargs",
            ),
            (
                cells.BasicLSTMCell,
                f"num_units, forget_bias=1.0, state_is_tuple=True, activation=None, {common}",
            ),
            (
                cells.LSTMCell,
                "num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, "
                "proj_clip=None, num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, "
                f"state_is_tuple=True, activation=None, {common}",
            ),
            (cells.MultiRNNCell, "cells, state_is_tuple=True"),
            (
                cells.DropoutWrapper,
                "cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, "
                "variational_recurrent=False, input_size=None, dtype=None, seed=None, "
                "dropout_state_filter_visitor=None, **kwargs",
            ),
            (cells.ResidualWrapper, "cell, residual_fn=None, **kwargs"),
            (cells.DeviceWrapper, "cell, device, **kwargs"),
        ):
            parameters = inspect.signature(cell).parameters.values()
            plain = [str(each.replace(annotation=each.empty)) for each in parameters]
            self.assertEqual(", ".join(plain), expected, cell.__name__)


if __name__ == "__main__":
    unittest.main()
