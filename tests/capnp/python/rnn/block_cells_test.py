"""Cells and networks of one op: they are those that they replace, with the same variables."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

cells = tf.nn.rnn_cell
fused = tf.contrib.rnn

UNITS, DEPTH, BATCH, TIMES = 3, 2, 4, 5


class BlockCase(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.begin()

    def begin(self):
        tf.reset_default_graph()
        self.random = np.random.default_rng(11)
        self.x = tf.constant(self.random.normal(size=(TIMES, BATCH, DEPTH)))
        self.lengths = tf.constant([3, 0, 5, 1])

    def give_values(self, session, one, other):
        """Random values for the variables of one network, the same for those of the other."""
        self.assertEqual(len(one), len(other))
        names = {self.last_parts(v): v for v in other}
        for variable in one:
            value = self.random.normal(size=variable.shape.as_list())
            variable.load(value, session)
            names[self.last_parts(variable)].load(value, session)

    @staticmethod
    def last_parts(variable):
        parts = variable.op.name.split("/")
        return "/".join(parts[-2:] if parts[-2] in ("gates", "candidate") else parts[-1:])

    def assert_same(self, make_one, make_other):
        """Two networks that are made in scopes: outputs, states, and derivatives of their sums."""
        results, weights = [], []
        for scope, make in (("one", make_one), ("other", make_other)):
            with tf.variable_scope(scope):
                outputs, state = make()
            weights.append(tf.trainable_variables(scope + "/"))
            weights[-1].sort(key=self.last_parts)
            scale = tf.range(tf.cast(tf.size(outputs), tf.float64), dtype=tf.float64)
            total = tf.reduce_sum(tf.reshape(outputs, [-1]) * scale)
            total += sum(tf.reduce_sum(part**2) for part in tf.nest.flatten(state))
            slopes = tf.gradients(total, [self.x, *weights[-1]])
            results.append([outputs, state, slopes])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.give_values(session, *weights)
            one, other = session.run(results)
        for expected, got in zip(tf.nest.flatten(one), tf.nest.flatten(other)):
            self.assertAllClose(expected, got)

    def run_cell(self, cell, lengths=None):
        return tf.nn.dynamic_rnn(cell, self.x, lengths, dtype=tf.float64, time_major=True)


class BlockCellTest(BlockCase):
    def check_memory_cell(self, bias=1.0, clip=None, peep=False):
        self.assert_same(
            lambda: self.run_cell(
                cells.LSTMCell(UNITS, peep, clip, forget_bias=bias), self.lengths
            ),
            lambda: self.run_cell(fused.LSTMBlockCell(UNITS, bias, clip, peep), self.lengths),
        )

    def test_a_memory_cell_in_a_network_is_the_one_of_many_ops(self):
        for options in ({}, {"bias": 0.25}, {"peep": True}, {"peep": True, "clip": 50.0}):
            self.begin()
            self.check_memory_cell(**options)

    def test_without_options_it_is_the_basic_one(self):
        self.assert_same(
            lambda: self.run_cell(cells.BasicLSTMCell(UNITS)),
            lambda: self.run_cell(fused.LSTMBlockCell(UNITS)),
        )

    def test_a_clipped_memory(self):
        x, state = tf.constant([[9.0]]), cells.LSTMStateTuple(*[tf.constant([[4.0]])] * 2)
        cell = fused.LSTMBlockCell(1, forget_bias=100.0, cell_clip=0.5)
        _, after = cell(x, state)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(after.c), [[0.5]])

    def test_a_gated_unit_in_a_network_is_the_one_of_many_ops(self):
        self.assert_same(
            lambda: self.run_cell(cells.GRUCell(UNITS), self.lengths),
            lambda: self.run_cell(fused.GRUBlockCellV2(UNITS), self.lengths),
        )

    def test_variables_have_the_names_and_first_values_of_tensorflow(self):
        x, gates = tf.zeros([1, DEPTH]), "gates/kernel gates/bias candidate/kernel candidate/bias"
        for cell, expected in (
            (fused.LSTMBlockCell(UNITS), "lstm_cell: kernel bias"),
            (
                fused.LSTMBlockCell(UNITS, use_peephole=True, name="deep"),
                "deep: kernel bias w_i_diag w_f_diag w_o_diag",
            ),
            (fused.GRUBlockCell(UNITS), "gru_cell: w_ru b_ru w_c b_c"),
            (fused.GRUBlockCellV2(UNITS, name="v2"), "v2: " + gates),
        ):
            cell(x, cell.zero_state(1, tf.float32))
            scope, names = expected.split(": ")
            got = [variable.op.name for variable in cell.trainable_variables]
            self.assertEqual(got, [f"{scope}/{name}" for name in names.split()])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = {v.op.name: session.run(v) for v in tf.global_variables()}
        self.assertEqual(values["gru_cell/w_ru"].shape, (DEPTH + UNITS, 2 * UNITS))
        self.assertAllEqual(values["gru_cell/b_ru"], np.ones(2 * UNITS))
        self.assertAllEqual(values["gru_cell/b_c"], np.zeros(UNITS))
        self.assertAllEqual(values["lstm_cell/bias"], np.zeros(4 * UNITS))

    def test_wrong_sizes_are_refused(self):
        with self.assertRaisesRegex(ValueError, "Exactly one of num_units or cell_size"):
            fused.GRUBlockCell()
        with self.assertRaisesRegex(ValueError, "Exactly one of num_units or cell_size"):
            fused.GRUBlockCell(2, 2)
        self.assertEqual(fused.GRUBlockCell(cell_size=2, name="older").state_size, 2)
        x = tf.zeros([1, 2])
        with self.assertRaisesRegex(ValueError, "cell_size 3 vs 2"):
            fused.GRUBlockCell(3)(x, tf.zeros([1, 2]))
        with self.assertRaisesRegex(ValueError, "tuple with length 2"):
            fused.LSTMBlockCell(3)(x, [tf.zeros([1, 3])])
        with self.assertRaisesRegex(ValueError, "to be known"):
            cell = fused.LSTMBlockCell(3)
            cell(tf.placeholder(tf.float32, [1, None]), cell.zero_state(1, tf.float32))


class FusedCellTest(BlockCase):
    def run_fused(self, lengths=None, x=None, **options):
        cell = fused.LSTMBlockFusedCell(UNITS, **options)
        return cell(self.x if x is None else x, dtype=tf.float64, sequence_length=lengths)

    def check_fused_cell(self, has_lengths, peep):
        self.begin()
        lengths = self.lengths if has_lengths else None
        self.assert_same(
            lambda: self.run_cell(cells.LSTMCell(UNITS, peep), lengths),
            lambda: self.run_fused(lengths, use_peephole=peep),
        )

    def test_a_network_of_one_op_is_the_one_of_a_loop(self):
        for has_lengths in (False, True):
            self.check_fused_cell(has_lengths, peep=False)
            self.check_fused_cell(has_lengths, peep=True)

    def test_sizes_may_be_known_in_the_step_only(self):
        x = tf.placeholder(tf.float64, [None, None, DEPTH])
        lengths = tf.placeholder(tf.int64, [None])
        with tf.variable_scope("one"):
            outputs, state = self.run_fused(lengths, x)
        with tf.variable_scope("one", reuse=True):
            expected, last = self.run_fused(self.lengths)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            given = session.run([self.x, self.lengths])
            got = session.run([outputs, *state], dict(zip((x, lengths), given)))
            for one, other in zip(got, session.run([expected, *last])):
                self.assertAllClose(one, other)

    def test_a_state_of_the_program_comes_first(self):
        memory, output = (tf.constant(self.random.normal(size=(BATCH, UNITS))) for _ in "ch")
        cell = fused.LSTMBlockFusedCell(UNITS)
        _, state = cell(self.x, initial_state=(memory, output), sequence_length=self.lengths)
        first = cell(self.x[:2], initial_state=(memory, output))
        second, _ = cell(self.x[2:], initial_state=first[1])
        whole, _ = cell(self.x, initial_state=(memory, output))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            got = session.run([state, memory, output])
            self.assertAllEqual(got[0].c[1], got[1][1])  # the sequence of length 0
            self.assertAllEqual(got[0].h[1], got[2][1])
            halves = session.run([first[0], second])
            self.assertAllClose(np.concatenate(halves), session.run(whole))

    def test_checkpoints_of_the_cell_of_many_ops_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            with tf.Graph().as_default(), tf.Session() as session:
                x = tf.ones([TIMES, BATCH, DEPTH])
                expected, _ = tf.nn.dynamic_rnn(
                    cells.LSTMCell(UNITS, use_peepholes=True), x, dtype=tf.float32, time_major=True
                )
                session.run(tf.global_variables_initializer())
                tf.train.Saver().save(session, path)
                values = session.run(expected)
            with tf.Graph().as_default(), tf.Session() as session:
                with tf.variable_scope("rnn"):
                    cell = fused.LSTMBlockFusedCell(UNITS, use_peephole=True, name="lstm_cell")
                    outputs, _ = cell(tf.ones([TIMES, BATCH, DEPTH]), dtype=tf.float32)
                tf.train.Saver().restore(session, path)
                self.assertAllClose(session.run(outputs), values)

    def test_networks_read_sequences_backwards(self):
        def reversed_loop():
            x = tf.reverse_sequence(self.x, self.lengths, seq_axis=0, batch_axis=1)
            outputs, state = tf.nn.dynamic_rnn(
                cells.LSTMCell(UNITS), x, self.lengths, dtype=tf.float64, time_major=True
            )
            return tf.reverse_sequence(outputs, self.lengths, seq_axis=0, batch_axis=1), state

        def backwards(network):
            reverse = fused.TimeReversedFusedRNN(network)
            return reverse(self.x, dtype=tf.float64, sequence_length=self.lengths)

        self.assert_same(reversed_loop, lambda: backwards(fused.LSTMBlockFusedCell(UNITS)))

    def check_adaptor(self, is_loop, is_list):
        def adapted():
            network = fused.FusedRNNCellAdaptor(cells.LSTMCell(UNITS), use_dynamic_rnn=is_loop)
            x = tf.unstack(self.x) if is_list else self.x
            outputs, state = network(x, dtype=tf.float64, sequence_length=self.lengths)
            return (tf.stack(outputs) if is_list else outputs), state

        self.begin()
        self.assert_same(lambda: self.run_cell(cells.LSTMCell(UNITS), self.lengths), adapted)

    def test_a_cell_is_a_network_by_an_adaptor(self):
        for is_loop in (False, True):
            self.check_adaptor(is_loop, is_list=False)
            self.check_adaptor(is_loop, is_list=True)

    def test_a_class_of_the_program_may_compute_a_list(self):
        class Doubles(fused.LSTMBlockWrapper):
            @property
            def num_units(self):
                return DEPTH

            def _call_cell(self, inputs, memory, output, dtype, lengths):
                return inputs + memory, inputs * 2

        each = [tf.ones([BATCH, DEPTH])] * 3
        outputs, state = Doubles()(each, dtype=tf.float32, sequence_length=[1, 2, 3, 0])
        self.assertEqual(len(outputs), 3)
        self.assertAllEqual(self.evaluate(outputs[1])[:, 0], [0, 2, 2, 0])
        self.assertAllEqual(self.evaluate(state.c)[:, 0], [1, 1, 1, 0])

    def test_what_is_missing_is_said(self):
        with self.assertRaisesRegex(ValueError, "Either initial_state or dtype"):
            fused.LSTMBlockFusedCell(2)(self.x)
        with self.assertRaisesRegex(ValueError, "tuple with length 2"):
            fused.LSTMBlockFusedCell(2)(self.x, initial_state=[self.x[0]])
        with self.assertRaisesRegex(ValueError, "inputs_shape"):
            fused.LSTMBlockFusedCell(2)(tf.placeholder(tf.float32, [1, 2, None]), dtype=tf.float32)
        with self.assertRaisesRegex(ValueError, "ndim"):
            fused.LSTMBlockFusedCell(2)(self.x[0], dtype=tf.float64)


if __name__ == "__main__":
    unittest.main()
