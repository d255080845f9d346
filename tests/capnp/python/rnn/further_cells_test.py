"""Cells of `tf.contrib.rnn` on grids, with normalized weights, of no chaos, and with a memory."""

import unittest

import numpy as np

import troupe as tf

rnn = tf.contrib.rnn

UNITS, DEPTH, BATCH = 3, 4, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class FurtherCellsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(3)
        self.x = self.draw(BATCH, DEPTH)
        self.c, self.h = self.draw(BATCH, UNITS), self.draw(BATCH, UNITS)

    def draw(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def run_cell(self, cell, state, inputs=None, load=None):
        """(output, next state, {name in the scope of the cell: value}), with drawn weights."""
        with tf.Graph().as_default():
            given = tf.contrib.framework.nest.map_structure(
                tf.constant, (self.x if inputs is None else inputs, state)
            )
            result = cell()(*given)
            variables = {each.op.name.split("/", 1)[1]: each for each in tf.global_variables()}
            with tf.Session() as session:
                for name, each in variables.items():
                    shape = each.shape.as_list()
                    each.load(self.draw(*shape) if load is None else load[name], session)
                values, (output, after) = session.run((variables, result))
        return output, after, values

    def pair(self):
        return rnn.LSTMStateTuple(self.c, self.h)

    def test_without_norms_both_memory_cells_are_that_of_the_core(self):
        options = {"use_peepholes": True, "cell_clip": 0.8, "num_proj": 2, "proj_clip": 0.3}
        state = rnn.LSTMStateTuple(self.c, self.draw(BATCH, 2))
        cells = (
            (lambda: rnn.LayerNormLSTMCell(UNITS, **options), ""),
            (lambda: rnn.WeightNormLSTMCell(UNITS, norm=False, **options), "wn_lstm_cell/"),
        )
        for cell, scope in cells:
            found = self.run_cell(cell, state)
            load = {name[len(scope) :]: value for name, value in found[2].items()}
            wanted = self.run_cell(lambda: rnn.LSTMCell(UNITS, **options), state, load=load)
            self.assertAllClose(found[0], wanted[0], rtol=1e-5)
            self.assertAllClose(found[1].c, wanted[1].c, rtol=1e-5)
            self.assertEqual(np.abs(found[0]).max(), np.float32(0.3))

    def test_columns_of_weights_have_the_lengths_of_variables(self):
        output, after, v = self.run_cell(lambda: rnn.WeightNormLSTMCell(UNITS), self.pair())
        v = {name.split("/", 1)[1]: value for name, value in v.items()}
        self.assertEqual(set(v), {"kernel", "bias", "norm_0", "norm_1"})
        parts = [v["kernel"][:DEPTH], v["kernel"][DEPTH:]]
        for index, part in enumerate(parts):
            parts[index] = part / np.sqrt((part**2).sum(0)) * v[f"norm_{index}"]
        gates = self.x @ parts[0] + self.h @ parts[1] + v["bias"]
        i, j, f, o = np.split(gates, 4, 1)
        memory = self.c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        self.assertAllClose(after.c, memory, rtol=1e-4, atol=1e-5)
        self.assertAllClose(output, sigmoid(o) * np.tanh(memory), rtol=1e-4, atol=1e-5)

    def test_normalized_gates_have_scales_and_an_unused_bias(self):
        def cell():
            return rnn.LayerNormLSTMCell(UNITS, layer_norm=True)

        _, first, v = self.run_cell(cell, self.pair())
        self.assertLen(v, 12)
        v["bias"] = v["bias"] + 5.0
        _, second, _ = self.run_cell(cell, self.pair(), load=v)
        self.assertAllClose(first.c, second.c, rtol=1e-6)
        parts = np.split(np.concatenate([self.x, self.h], 1) @ v["kernel"], 4, 1)

        def norm(x, scope):
            x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)
            return x * v[f"{scope}/gamma"] + v[f"{scope}/beta"]

        i, j, f = (norm(x, s) for x, s in zip(parts, ("input", "transform", "forget")))
        memory = norm(self.c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j), "state")
        self.assertAllClose(first.c, memory, rtol=1e-3, atol=1e-4)

    def test_a_cell_of_one_gate_keeps_a_share_of_its_state(self):
        output, after, v = self.run_cell(lambda: rnn.MinimalRNNCell(UNITS), self.h)
        projected = np.tanh(self.x @ v["kernel"][:DEPTH])
        seen = np.concatenate([projected, self.h], 1) @ v["kernel"][DEPTH:] + v["bias"]
        wanted = sigmoid(seen) * self.h + (1 - sigmoid(seen)) * projected
        self.assertAllClose(output, wanted, rtol=1e-4, atol=1e-5)
        self.assertAllEqual(after, output)

    def test_a_cell_of_no_chaos_has_two_gates(self):
        output, _, v = self.run_cell(lambda: rnn.CFNCell(UNITS), self.h)
        kernel = v["kernel"]
        gates = self.h @ v["recurrent_kernel"] + self.x @ kernel[:, : 2 * UNITS] + v["bias"]
        keep, drop = np.split(sigmoid(gates), 2, 1)
        wanted = keep * np.tanh(self.h)
        wanted += (1 - drop) * np.tanh(self.x @ kernel[:, 2 * UNITS :])
        self.assertAllClose(output, wanted, rtol=1e-4, atol=1e-5)

    def test_keras_names_of_initializers_are_known(self):
        with self.assertRaisesRegex(ValueError, "Unknown initializer: heavy"):
            rnn.CFNCell(UNITS, kernel_initializer="heavy")
        with tf.Graph().as_default(), tf.Session() as session:
            rnn.MinimalRNNCell(UNITS)(tf.constant(self.x), tf.constant(self.h))
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(tf.global_variables()[1]), np.ones(UNITS))

    def test_a_wrapper_for_compilation_computes_what_its_cell_does(self):
        def cell():
            return rnn.CompiledWrapper(rnn.GRUCell(UNITS))

        self.assertEqual(cell().state_size, UNITS)
        found = self.run_cell(cell, self.h)
        wanted = self.run_cell(lambda: rnn.GRUCell(UNITS), self.h, load=found[2])
        self.assertAllClose(found[0], wanted[0], rtol=1e-6)

    def grid(self, kind=None, **given):
        options = {"feature_size": 2, "frequency_skip": 1, "num_frequency_blocks": [3], **given}
        return lambda: (kind or rnn.GridLSTMCell)(UNITS, **options)

    def test_a_grid_has_a_memory_in_time_and_one_in_frequency(self):
        cell = self.grid(use_peepholes=True, cell_clip=0.9)
        built = cell()
        self.assertEqual(built.state_size._fields[2], "state_f01_b00_c")
        self.assertEqual(built.output_size, 6 * UNITS)
        state = built.state_tuple_type(*[self.draw(BATCH, UNITS) for _ in range(6)])
        output, after, v = self.run_cell(cell, state)
        in_freq = before = np.zeros([BATCH, UNITS])
        wanted = []
        for index in range(3):
            in_time, last = state[2 * index : 2 * index + 2]
            seen = np.concatenate([self.x[:, index : index + 2], last, before], 1)
            changed, gates = {}, {}
            for key, name, own in (("f", "freq", in_freq), ("t", "time", in_time)):
                i, j, f, gates[key] = np.split(seen @ v[f"W_{key}_0_0"] + v[f"B_{key}_0"], 4, 1)

                def peep(gate, a, b):
                    first = v[f"W_{gate}_diag_{name}f_0"] * a
                    return first + v[f"W_{gate}_diag_{name}t_0"] * b

                kept = sigmoid(f + 1 + peep("F", in_freq, in_time)) * own
                added = sigmoid(i + peep("I", in_freq, in_time)) * np.tanh(j)
                changed[key] = np.clip(kept + added, -0.9, 0.9)
            outputs = {}
            for key, name in (("f", "freq"), ("t", "time")):
                leave = gates[key] + peep("O", changed["f"], changed["t"])
                if key == "f":
                    leave = gates["f"] + v["W_O_diag_freqf_0"] * changed["f"]
                    leave = leave + v["W_O_diag_freqt_0"] * changed["t"]
                outputs[key] = sigmoid(leave) * np.tanh(changed[key])
            in_freq, before = changed["f"], outputs["f"]
            wanted += [outputs["t"], outputs["f"]]
            self.assertAllClose(after[2 * index], changed["t"], rtol=1e-4, atol=1e-5)
        self.assertAllClose(output, np.concatenate(wanted, 1), rtol=1e-4, atol=1e-5)

    def test_coupled_gates_of_a_grid_have_fewer_variables(self):
        state = np.zeros([BATCH, 6 * UNITS], np.float32)
        shared = self.grid(
            state_is_tuple=False, couple_input_forget_gates=True, use_peepholes=True,
            share_time_frequency_weights=True,
        )  # fmt: skip
        output, after, v = self.run_cell(shared, state)
        self.assertEqual(v["W_f_0_0"].shape, (2 + 2 * UNITS, 3 * UNITS))
        self.assertEqual(len(v), 6)
        self.assertEqual(after.shape, (BATCH, 6 * UNITS))
        # Of equal weights and no states, the first window is the same in time and frequency.
        self.assertAllClose(output[:, :UNITS], output[:, UNITS : 2 * UNITS])

    def test_blocks_of_a_grid_have_their_own_weights(self):
        cell = self.grid(
            num_frequency_blocks=[1, 2], start_freqindex_list=[0, 1], end_freqindex_list=[2, 4]
        )
        state = cell().state_size
        self.assertEqual(state._fields[-1], "state_f01_b01_m")
        zeros = type(state)(*[np.zeros([BATCH, UNITS], np.float32)] * 6)
        _, _, v = self.run_cell(cell, zeros)
        self.assertIn("W_t_1_0", v)

    def test_a_grid_names_the_number_of_windows_that_it_needs(self):
        with self.assertRaisesRegex(ValueError, "requires 3 but gets 2"):
            self.run_cell(self.grid(num_frequency_blocks=[2]), np.zeros([BATCH, 4 * UNITS]))
        with self.assertRaisesRegex(ValueError, "Must specify num_frequency_blocks"):
            rnn.GridLSTMCell(UNITS)

    def test_a_grid_goes_back_over_moved_windows(self):
        cell = self.grid(rnn.BidirectionalGridLSTMCell, backward_slice_offset=1)
        built = cell()
        self.assertEqual(built.state_size._fields[-1], "bwd_state_f02_b00_m")
        zeros = type(built.state_size)(*[np.zeros([BATCH, UNITS], np.float32)] * 12)
        output, after, v = self.run_cell(cell, zeros)
        self.assertEqual(output.shape, (BATCH, 12 * UNITS))
        # The first window of the way back is the last one, moved by one over a zero.
        window = np.stack([self.x[:, 3], np.zeros(BATCH)], 1)
        i, j, _, _ = np.split(window @ v["bwd/W_t_0_0"][:2] + v["bwd/B_t_0"], 4, 1)
        wanted = sigmoid(i) * np.tanh(j)
        self.assertAllClose(after.bwd_state_f00_b00_c, wanted, rtol=1e-4, atol=1e-5)


class TuringCellTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def cell(self, **given):
        return rnn.NTMCell(rnn.LSTMCell(4), 5, 3, 1, 1, **given)

    def run_steps(self, count, inputs):
        cell, found = self.cell(), []
        state = cell.zero_state(inputs.shape[0], tf.float32)
        for _ in range(count):
            output, state = cell(tf.constant(inputs), state)
            found.append((output, state._replace(time=tf.constant(state.time))))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(found)

    def test_heads_weigh_rows_by_shares(self):
        for output, state in self.run_steps(2, np.ones([2, 3], np.float32)):
            self.assertEqual(output.shape, (2, 3))
            self.assertLen(state.w_list, 2)
            for each in state.w_list:
                self.assertAllClose(each.sum(1), np.ones(2), rtol=1e-5)
        self.assertEqual(state.time, 2)

    def test_what_a_head_reads_is_the_weighted_sum_of_the_memory_before(self):
        (_, first), (_, second) = self.run_steps(2, np.ones([2, 3], np.float32))
        wanted = (second.w_list[0][:, :, None] * first.M).sum(1)
        self.assertAllClose(second.read_vector_list[0], wanted, rtol=1e-4, atol=1e-6)
        self.assertNotAllClose(first.M, second.M)

    def test_a_single_example_is_a_batch(self):
        ((_, state),) = self.run_steps(1, np.ones([1, 3], np.float32))
        self.assertEqual(state.w_list[0].shape, (1, 5))

    def test_a_shift_moves_the_weights_of_rows_in_a_circle(self):
        cell = self.cell(dtype=tf.float32)
        weights, shares = tf.constant([[1.0, 0, 0, 0, 0]]), tf.constant([[0.0, 0.75, 0.25]])
        moved = cell._moved(weights, shares)
        with tf.Session() as session:
            self.assertAllClose(session.run(moved), [[0.0, 0.75, 0.0, 0.0, 0.25]])


if __name__ == "__main__":
    unittest.main()
