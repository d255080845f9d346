"""Recurrent networks over sequences: values, lengths, structures, gradients, training."""

import unittest

import numpy as np

import troupe as tf

cells = tf.nn.rnn_cell

BATCH, TIME, DEPTH, UNITS = 4, 6, 2, 3
LENGTHS = [6, 0, 3, 1]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_over(x, kernel, bias, lengths, backwards=False):
    """(outputs, c, h) of a memory cell over [batch, time, depth], row by row."""
    outputs = np.zeros([*x.shape[:2], kernel.shape[1] // 4])
    c, h = np.zeros([2, x.shape[0], kernel.shape[1] // 4])
    for row, length in enumerate(lengths):
        times = range(length)
        for time in reversed(times) if backwards else times:
            i, j, f, o = np.split(np.hstack([x[row, time], h[row]]) @ kernel + bias, 4)
            c[row] = c[row] * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
            h[row] = outputs[row, time] = np.tanh(c[row]) * sigmoid(o)
    return outputs, c, h


class NetworksTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.x = np.random.default_rng(5).normal(size=(BATCH, TIME, DEPTH))

    def run_step(self, fetches, feed_dict=None):
        """(the values, {name: value} of all variables)."""
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = session.run({v.op.name: v for v in tf.global_variables()})
            return session.run(fetches, feed_dict), values

    def check_lstm(self, result, values, scope, lengths=(TIME,) * BATCH, backwards=False):
        kernel, bias = values[f"{scope}/lstm_cell/kernel"], values[f"{scope}/lstm_cell/bias"]
        outputs, c, h = lstm_over(self.x, kernel, bias, lengths, backwards)
        self.assertAllClose(result[0], outputs)
        self.assertAllClose(result[1].c, c)
        self.assertAllClose(result[1].h, h)

    def test_a_loop_runs_the_cell_over_all_time_steps(self):
        network = tf.nn.dynamic_rnn(cells.LSTMCell(UNITS), tf.constant(self.x), dtype=tf.float64)
        self.assertEqual(network[0].shape.as_list(), [BATCH, TIME, UNITS])
        self.check_lstm(*self.run_step(network), "rnn")
        self.assertEqual(len(tf.trainable_variables()), 2)

    def test_after_its_length_a_sequence_has_zeros_and_its_last_state(self):
        lengths = tf.placeholder(tf.int64, [None])
        x = tf.placeholder(tf.float64, [None, None, DEPTH])
        network = tf.nn.dynamic_rnn(
            cells.LSTMCell(UNITS), x, lengths, dtype=tf.float64, scope="deep", swap_memory=True,
            parallel_iterations=1,
        )  # fmt: skip
        self.assertEqual(network[0].shape.as_list(), [None, None, UNITS])
        result, values = self.run_step(network, {x: self.x, lengths: LENGTHS})
        self.check_lstm(result, values, "deep", LENGTHS)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Expected shape for Tensor"):
            self.run_step(network, {x: self.x, lengths: [1]})

    def test_the_time_may_be_the_first_axis(self):
        x = tf.constant(self.x.transpose(1, 0, 2))
        outputs, state = tf.nn.dynamic_rnn(
            cells.LSTMCell(UNITS), x, LENGTHS, dtype=tf.float64, time_major=True
        )
        (outputs, state), values = self.run_step([outputs, state])
        self.check_lstm((outputs.transpose(1, 0, 2), state), values, "rnn", LENGTHS)

    def test_sequences_of_length_zero_give_zeros(self):
        x = tf.placeholder(tf.float64, [None, None, DEPTH])
        network = tf.nn.dynamic_rnn(cells.LSTMCell(UNITS), x, [0] * BATCH, dtype=tf.float64)
        self.check_lstm(*self.run_step(network, {x: self.x}), "rnn", [0] * BATCH)

    def test_the_state_begins_as_it_is_given(self):
        start = np.ones([BATCH, UNITS])
        outputs, state = tf.nn.dynamic_rnn(
            cells.GRUCell(UNITS, kernel_initializer=tf.zeros_initializer()),
            tf.constant(self.x), [1] * BATCH, tf.constant(start),
        )  # fmt: skip
        (outputs, state), _ = self.run_step([outputs, state])
        self.assertAllClose(state, sigmoid(1) * start)  # u * h + (1 - u) * tanh(0)
        self.assertAllClose(outputs[:, 0], state)

    def test_nested_inputs_outputs_and_states(self):
        class Pair(cells.RNNCell):
            state_size = {"sum": tf.TensorShape([2, 1]), "count": (1, [2])}
            output_size = (tf.TensorShape([2, 1]), {"b": 1})

            def call(self, inputs, state):
                total = state["sum"] + inputs["a"]
                one, (two,) = state["count"]
                after = {"sum": total, "count": (one + 1, [two + inputs["b"]])}
                return (total, {"b": one}), after

        inputs = {"a": tf.ones([3, 4, 2, 1]), "b": tf.ones([3, 4, 2])}
        network = tf.nn.dynamic_rnn(Pair(), inputs, [4, 2, 0], dtype=tf.float32)
        ((total, rest), state), _ = self.run_step(network)
        self.assertEqual((total.shape, rest["b"].shape), ((3, 4, 2, 1), (3, 4, 1)))
        self.assertAllEqual(state["sum"][:, 0, 0], [4, 2, 0])
        self.assertAllEqual(state["count"][0][:, 0], [4, 2, 0])
        self.assertAllEqual(state["count"][1][0][:, 1], [4, 2, 0])
        self.assertAllEqual(rest["b"][1, :, 0], [0, 1, 0, 0])

    def test_a_list_of_inputs_gives_the_same_as_a_loop(self):
        x = tf.constant(self.x)
        for lengths in (None, LENGTHS):
            tf.reset_default_graph()
            x = tf.constant(self.x)
            outputs, state = tf.nn.static_rnn(
                cells.LSTMCell(UNITS), tf.unstack(x, axis=1), dtype=tf.float64,
                sequence_length=lengths,
            )  # fmt: skip
            self.assertEqual(len(outputs), TIME)
            result, values = self.run_step([tf.stack(outputs, 1), state])
            self.check_lstm(result, values, "rnn", lengths or [TIME] * BATCH)
            self.assertEqual(len(values), 2)

    def test_no_cell_is_called_when_all_sequences_have_ended(self):
        calls = []

        class Counting(cells.RNNCell):
            state_size = output_size = 1

            def call(self, inputs, state):
                counted = tf.py_func(lambda: calls.append(1) or np.float32(1), [], tf.float32)
                return inputs + tf.reshape(counted, []), state + 1

        x = [tf.zeros([2, 1])] * 5
        outputs, state = tf.nn.static_rnn(Counting(), x, dtype=tf.float32, sequence_length=[2, 1])
        (outputs, state), _ = self.run_step([outputs, state])
        self.assertEqual(len(calls), 2)
        self.assertAllEqual(np.hstack(outputs), [[1, 1, 0, 0, 0], [1, 0, 0, 0, 0]])
        self.assertAllEqual(state, [[2], [1]])

    def test_two_directions(self):
        for lengths in (None, LENGTHS):
            tf.reset_default_graph()
            outputs, states = tf.nn.bidirectional_dynamic_rnn(
                cells.LSTMCell(UNITS), cells.LSTMCell(UNITS), tf.constant(self.x), lengths,
                dtype=tf.float64,
            )  # fmt: skip
            result, values = self.run_step([*zip(outputs, states)])
            lengths = lengths or [TIME] * BATCH
            self.check_lstm(result[0], values, "bidirectional_rnn/fw", lengths)
            self.check_lstm(result[1], values, "bidirectional_rnn/bw", lengths, backwards=True)

    def test_two_directions_over_a_list(self):
        for lengths in (None, LENGTHS):
            tf.reset_default_graph()
            x = tf.unstack(tf.constant(self.x), axis=1)
            outputs, *states = tf.nn.static_bidirectional_rnn(
                cells.LSTMCell(UNITS), cells.LSTMCell(UNITS), x, dtype=tf.float64,
                sequence_length=lengths,
            )  # fmt: skip
            (both, states), values = self.run_step([tf.stack(outputs, 1), states])
            lengths = lengths or [TIME] * BATCH
            forward, backward = both[..., :UNITS], both[..., UNITS:]
            self.check_lstm((forward, states[0]), values, "bidirectional_rnn/fw", lengths)
            self.check_lstm((backward, states[1]), values, "bidirectional_rnn/bw", lengths, True)

    def test_what_follows_a_network_knows_its_shapes(self):
        x = tf.placeholder(tf.float32, [None, TIME, DEPTH])
        lengths = tf.placeholder(tf.int32, [None])
        cells_of = lambda: (cells.LSTMCell(2), cells.LSTMCell(3))  # noqa: E731
        outputs, (state, _) = tf.nn.bidirectional_dynamic_rnn(
            *cells_of(), x, lengths, dtype=tf.float32
        )
        self.assertEqual(tf.concat(outputs, 2).shape.as_list(), [None, TIME, 5])
        self.assertEqual(tf.layers.dense(outputs[0][:, -1], 4).shape.as_list(), [None, 4])
        self.assertEqual(tf.tanh(state.c).shape.as_list(), [None, 2])
        outputs, state, _ = tf.nn.static_bidirectional_rnn(
            *cells_of(), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=lengths,
            scope="static",
        )  # fmt: skip
        self.assertEqual(tf.tanh(outputs[1]).shape.as_list(), [None, 5])
        self.assertEqual(tf.tanh(state.h).shape.as_list(), [None, 2])

    def test_a_state_is_saved_for_the_next_step(self):
        class Saver:
            def __init__(self):
                self.kept = {name: tf.get_variable(name, initializer=np.zeros([BATCH, UNITS]),
                                                   trainable=False) for name in "ch"}  # fmt: skip

            def state(self, name):
                return self.kept[name].read_value()

            def save_state(self, name, value):
                return self.kept[name].assign(value).op

        x = tf.unstack(tf.placeholder_with_default(self.x[:, :3], [BATCH, 3, DEPTH]), axis=1)
        cell = cells.LSTMCell(UNITS)
        outputs, state = tf.nn.static_state_saving_rnn(cell, x, Saver(), ("c", "h"))
        last = tf.nn.static_rnn(
            cell, tf.unstack(tf.constant(self.x[:, [0, 1, 2] * 2]), axis=1), dtype=tf.float64
        )[1]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(outputs[-1])
            twice, expected = session.run(state), session.run(last)
        self.assertAllClose(twice, expected)
        with self.assertRaisesRegex(ValueError, "same type as cell.state_size"):
            tf.nn.static_state_saving_rnn(cell, x, None, "c")

    def test_a_function_decides_on_inputs_and_ends(self):
        cell, x = cells.LSTMCell(UNITS), tf.constant(self.x)
        rows = tf.TensorArray(tf.float64, TIME).unstack(tf.transpose(x, [1, 0, 2]))
        lengths = [max(1, length) for length in LENGTHS]

        def loop_fn(time, output, state, loop_state):
            state = cell.zero_state(BATCH, tf.float64) if output is None else state
            finished = time >= lengths
            after = tf.cond(
                tf.reduce_all(finished), lambda: tf.zeros([BATCH, DEPTH], tf.float64),
                lambda: rows.read(time),
            )  # fmt: skip
            return finished, after, state, output, time * 10

        array, state, last = tf.nn.raw_rnn(cell, loop_fn)
        outputs = tf.transpose(array.stack(), [1, 0, 2])
        (outputs, state, last), values = self.run_step([outputs, state, last])
        self.check_lstm((outputs, state), values, "rnn", lengths)
        self.assertEqual(last, 10 * TIME)

    def test_what_a_function_emits_may_be_anything_of_one_row(self):
        cell = cells.GRUCell(1)

        def loop_fn(time, output, state, loop_state):
            if output is None:
                emitted, state = (tf.zeros([2], tf.int32), tf.zeros([])), tf.zeros([3, 1])
            else:
                row = tf.fill([3, 2], time)
                emitted = (row, tf.cast(row[:, 0], tf.float32))
            return time >= [1, 2, 4], tf.zeros([3, 1]), state, emitted, None

        (pairs, times), _, loop_state = tf.nn.raw_rnn(cell, loop_fn)
        self.assertIsNone(loop_state)
        (pairs, times), _ = self.run_step([pairs.stack(), times.stack()])
        self.assertAllEqual(times.T, [[1, 0, 0, 0], [1, 2, 0, 0], [1, 2, 3, 4]])
        self.assertAllEqual(pairs[..., 1], times)

    def test_gradients_are_differences_of_values(self):
        makers = {
            "basic": lambda: cells.BasicRNNCell(UNITS),
            "gru": lambda: cells.GRUCell(UNITS),
            "lstm": lambda: cells.LSTMCell(UNITS, True, num_proj=2, cell_clip=10.0),
            "stack": lambda: cells.MultiRNNCell([cells.LSTMCell(2), cells.GRUCell(UNITS)]),
        }
        for name, make in makers.items():
            for run in (tf.nn.dynamic_rnn, tf.nn.static_rnn):
                tf.reset_default_graph()
                with self.subTest(f"{name} {run.__name__}"):
                    self.check_gradients(make(), run)

    def check_gradients(self, cell, run):
        x = tf.placeholder(tf.float64, [BATCH, TIME, DEPTH])
        is_list = run is tf.nn.static_rnn
        outputs, _ = run(
            cell, tf.unstack(x, axis=1) if is_list else x, dtype=tf.float64, sequence_length=LENGTHS
        )
        outputs = tf.stack(outputs, 1) if is_list else outputs
        weights = np.random.default_rng(1).normal(size=outputs.shape.as_list())
        loss = tf.reduce_sum(outputs * weights)
        variables = tf.trainable_variables()
        gradients = tf.gradients(loss, [x, *variables])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            analytic = session.run(gradients, {x: self.x})
            step = np.zeros_like(self.x)
            for place in ((0, 5, 1), (2, 2, 0), (2, 3, 0), (3, 0, 1)):
                step[:] = 0
                step[place] = 1e-5
                up, down = (session.run(loss, {x: self.x + sign * step}) for sign in (1, -1))
                self.assertAllClose(analytic[0][place], (up - down) / 2e-5, 1e-6, 1e-8)
            for variable, found in zip(variables, analytic[1:]):
                value = session.run(variable)
                for place in ((0,) * value.ndim, tuple(size - 1 for size in value.shape)):
                    losses = []
                    for sign in (1, -1):
                        moved = value.copy()
                        moved[place] += sign * 1e-5
                        variable.load(moved, session)
                        losses.append(session.run(loss, {x: self.x}))
                    variable.load(value, session)
                    expected = (losses[0] - losses[1]) / 2e-5
                    self.assertAllClose(found[place], expected, 1e-6, 1e-8)

    def test_a_scope_that_is_reused_has_the_same_variables(self):
        x = tf.constant(self.x)
        first, _ = tf.nn.dynamic_rnn(cells.LSTMCell(UNITS), x, dtype=tf.float64)
        with self.assertRaisesRegex(ValueError, "already exists"):
            tf.nn.dynamic_rnn(cells.LSTMCell(UNITS), x, dtype=tf.float64)
        with tf.variable_scope("", reuse=True):
            second, _ = tf.nn.dynamic_rnn(cells.LSTMCell(UNITS), x, dtype=tf.float64)
        (one, other), values = self.run_step([first, second])
        self.assertAllEqual(one, other)
        self.assertEqual(set(values), {"rnn/lstm_cell/kernel", "rnn/lstm_cell/bias"})

    def test_a_step_reads_the_variables_of_a_network_once(self):
        tf.nn.dynamic_rnn(cells.LSTMCell(UNITS), tf.constant(self.x), dtype=tf.float64)
        reads = [op for op in tf.get_default_graph().get_operations()
                 if op.type == "ReadVariableOp"]  # fmt: skip
        self.assertEqual(len(reads), 2)
        self.assertFalse([op.name for op in reads if "while" in op.name])

    def test_a_small_network_learns_to_remember_the_first_input(self):
        random = np.random.default_rng(0)
        bits = random.integers(0, 2, size=(64, 8, 1)).astype(np.float32)
        x = tf.placeholder(tf.float32, [None, None, 1])
        tf.set_random_seed(1)
        _, state = tf.nn.dynamic_rnn(cells.LSTMCell(8), x, dtype=tf.float32)
        logits = tf.layers.dense(state.h, 1)
        labels = x[:, 0]
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
        step = tf.train.AdamOptimizer(0.05).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(loss, {x: bits})
            for _ in range(150):
                session.run(step, {x: bits})
            after = session.run(loss, {x: bits})
        self.assertLess(after, before / 20)

    def test_a_network_is_trained_by_a_worker_with_variables_elsewhere(self):
        workers, servers = tf.test.create_local_cluster(1, 1)
        with tf.device("/job:ps/task:0"):
            x = tf.get_variable("x", initializer=tf.constant(self.x), trainable=False)
        setter = tf.train.replica_device_setter(cluster={"ps": ["a"], "worker": ["b"]})
        with tf.device(setter):
            outputs, state = tf.nn.dynamic_rnn(cells.LSTMCell(UNITS), x, LENGTHS, dtype=tf.float64)
            loss = tf.reduce_mean(tf.square(outputs - 0.5))
            step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        variables = tf.trainable_variables()
        self.assertEqual({v.device for v in variables}, {"/job:ps/task:0"})
        self.assertIn("/job:worker", state.c.device)
        with tf.Session(workers[0].target) as session:
            session.run(tf.global_variables_initializer())
            values = session.run({v.op.name: v for v in variables})
            self.check_lstm(session.run([outputs, state]), values, "rnn", LENGTHS)
            losses = [session.run([loss, step])[0] for _ in range(60)]
        self.assertLess(losses[-1], 0.95 * losses[0])
        for server in workers + servers:
            server.stop()

    def test_wrong_arguments_are_refused(self):
        cell, x = cells.GRUCell(2), tf.constant(self.x)
        with self.assertRaisesRegex(TypeError, "'cell'.*is not an RNNCell"):
            tf.nn.dynamic_rnn("cell", x)
        with self.assertRaisesRegex(ValueError, "you must give a dtype"):
            tf.nn.dynamic_rnn(cell, x)
        with self.assertRaisesRegex(ValueError, "vector of length batch_size"):
            tf.nn.dynamic_rnn(cell, x, [[1]], dtype=tf.float64)
        with self.assertRaisesRegex(ValueError, "accessible via shape inference"):
            tf.nn.dynamic_rnn(cell, tf.placeholder(tf.float64, [2, 3, None]), dtype=tf.float64)
        with self.assertRaisesRegex(ValueError, "Time steps is not the same"):
            tf.nn.dynamic_rnn(cell, (x, x[:, 1:]), dtype=tf.float64)
        with self.assertRaisesRegex(TypeError, "inputs must be a sequence"):
            tf.nn.static_rnn(cell, x, dtype=tf.float64)
        with self.assertRaisesRegex(ValueError, "inputs must not be empty"):
            tf.nn.static_rnn(cell, [], dtype=tf.float64)
        with self.assertRaisesRegex(ValueError, "dtype must be specified"):
            tf.nn.static_rnn(cell, [x[:, 0]])
        with self.assertRaisesRegex(TypeError, "loop_fn must be a callable"):
            tf.nn.raw_rnn(cell, None)

    def test_names_are_where_programs_look_for_them(self):
        from troupe.contrib import rnn
        from troupe.nn.rnn_cell import LSTMCell
        from troupe.python.ops import rnn as ops_rnn, rnn_cell, rnn_cell_impl

        self.assertTrue(LSTMCell is rnn.LSTMCell is rnn_cell.LSTMCell is tf.contrib.rnn.LSTMCell)
        self.assertIs(ops_rnn.dynamic_rnn, tf.nn.dynamic_rnn)
        self.assertIs(rnn_cell_impl.LayerRNNCell, rnn.LayerRNNCell)
        rnn_cell_impl.assert_like_rnncell("cell", LSTMCell(1))


if __name__ == "__main__":
    unittest.main()
