"""The cells of `tf.contrib.rnn`: their values by formulas of NumPy, their variables, and errors."""

import functools
import unittest

import numpy as np

import troupe as tf

rnn = tf.contrib.rnn

UNITS, DEPTH, BATCH = 4, 6, 3


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def normalized(x, v, scope):
    scale = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)
    return scale * v[f"{scope}/gamma"] + v[f"{scope}/beta"]


class ContribCellsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(5)
        self.x = self.draw(BATCH, DEPTH)
        self.c, self.h = self.draw(BATCH, UNITS), self.draw(BATCH, UNITS)
        self.pair = rnn.LSTMStateTuple(self.c, self.h)

    def draw(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def run_cell(self, cell, state, inputs=None, names=None):
        """(output, next state, {name in the scope of the cell: value}), with drawn weights."""
        inputs = self.x if inputs is None else inputs
        with tf.Graph().as_default():
            built = cell()
            given = tf.contrib.framework.nest.map_structure(tf.constant, (inputs, state))
            result = built(*given)
            variables = tf.global_variables()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for variable in variables:
                    if not variable.op.name.endswith(("period", "phase", "ratio_on")):
                        variable.load(self.draw(*variable.shape.as_list()), session)
                values = session.run({each.op.name: each for each in variables})
                (output, after) = session.run(result)
        scope = {name.split("/")[0] for name in values}
        self.assertEqual(len(scope), 1, scope)
        values = {name.split("/", 1)[1]: value for name, value in values.items()}
        if names is not None:
            self.assertEqual(set(values), set(names.split()))
        return output, after, values

    def check_pair(self, found, memory, output):
        self.assertIsInstance(found[1], tuple)
        self.assertAllClose(found[1][0], memory, rtol=1e-4, atol=1e-5)
        self.assertAllClose(found[1][1], output, rtol=1e-4, atol=1e-5)
        self.assertAllClose(found[0], output, rtol=1e-4, atol=1e-5)

    def test_the_searched_cell_is_the_tree_that_was_found(self):
        for projection in (None, 5):
            h = self.draw(BATCH, projection or UNITS)
            names = "recurrent_kernel kernel bias" + (projection and " projection_weights" or "")
            found = self.run_cell(
                functools.partial(rnn.NASCell, UNITS, num_proj=projection, use_bias=True),
                rnn.LSTMStateTuple(self.c, h), names=names,
            )  # fmt: skip
            v = found[2]
            m = np.split(h @ v["recurrent_kernel"] + v["bias"], 8, axis=1)
            x = np.split(self.x @ v["kernel"], 8, axis=1)
            one = np.tanh(sigmoid(x[0] + m[0]) * relu(x[1] + m[1]))
            two = np.tanh(sigmoid(x[2] + m[2]) + relu(x[3] * m[3]))
            three = np.tanh(np.tanh(x[4] + m[4]) * sigmoid(x[5] + m[5]))
            four = sigmoid(np.tanh(x[6] + m[6]) + sigmoid(x[7] + m[7]))
            c = np.tanh(one + self.c) * two
            output = np.tanh(c * np.tanh(three + four))
            if projection:
                output = output @ v["projection_weights"]
            self.check_pair(found, c, output)

    def test_gates_and_memory_are_normalized_or_the_gates_have_a_bias(self):
        names = "kernel " + " ".join(
            f"{scope}/{name}"
            for scope in ("input", "transform", "forget", "output", "state")
            for name in ("gamma", "beta")
        )
        for norms in (True, False):
            found = self.run_cell(
                functools.partial(
                    rnn.LayerNormBasicLSTMCell, UNITS, forget_bias=0.5, layer_norm=norms
                ),
                self.pair, names=names if norms else "kernel bias",
            )  # fmt: skip
            v = found[2]
            gates = np.hstack([self.x, self.h]) @ v["kernel"]
            parts = np.split(gates if norms else gates + v["bias"], 4, axis=1)
            if norms:
                scopes = ("input", "transform", "forget", "output")
                parts = [normalized(*each) for each in zip(parts, [v] * 4, scopes)]
            i, j, f, o = parts
            c = self.c * sigmoid(f + 0.5) + sigmoid(i) * np.tanh(j)
            c = normalized(c, v, "state") if norms else c
            self.check_pair(found, c, np.tanh(c) * sigmoid(o))

    def test_the_bias_without_norms_begins_as_the_scope_says(self):
        with tf.variable_scope("scope", initializer=tf.constant_initializer(0.5)):
            cell = rnn.LayerNormBasicLSTMCell(UNITS, layer_norm=False)
            cell(tf.constant(self.x), rnn.LSTMStateTuple(*map(tf.constant, self.pair)))
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            self.assertAllEqual(self.evaluate(cell.weights[1]), [0.5] * 4 * UNITS)

    def test_new_values_of_the_memory_are_dropped(self):
        cell = rnn.LayerNormBasicLSTMCell(
            200, layer_norm=False, dropout_keep_prob=0.5, dropout_prob_seed=1
        )
        state = rnn.LSTMStateTuple(tf.zeros([1, 200]), tf.zeros([1, 200]))
        _, after = cell(tf.ones([1, 3]), state)
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            dropped = (self.evaluate(after.c) == 0).mean()
            self.assertBetween(dropped, 0.3, 0.7)

    def test_coupled_gates_take_in_what_they_forget(self):
        cases = ((False, True, True), (True, False, True), (False, True, False))
        for norms, peeps, is_tuple in cases:
            h = self.draw(BATCH, 5)
            state = rnn.LSTMStateTuple(self.c, h) if is_tuple else np.hstack([self.c, h])
            found = self.run_cell(
                functools.partial(
                    rnn.CoupledInputForgetGateLSTMCell, UNITS, use_peepholes=peeps, num_proj=5,
                    proj_clip=0.7, num_unit_shards=2,
                    layer_norm=norms, state_is_tuple=is_tuple,
                ),
                state,
            )  # fmt: skip
            v = found[2]
            self.assertEqual(v["W_0"].shape, (6, 12))  # of 11 rows
            gates = np.hstack([self.x, h]) @ np.vstack([v["W_0"], v["W_1"]])
            j, f, o = np.split(gates if norms else gates + v["B"], 3, axis=1)
            if norms:
                j, f, o = (
                    normalized(each, v, scope)
                    for each, scope in zip((j, f, o), ("transform", "forget", "output"))
                )
            f = sigmoid(f + 1 + (v["W_F_diag"] * self.c if peeps else 0))
            c = f * self.c + (1 - f) * np.tanh(j)
            c = normalized(c, v, "state") if norms else c
            m = sigmoid(o + (v["W_O_diag"] * c if peeps else 0)) * np.tanh(c)
            m = np.clip(m @ v["W_P_0"], -0.7, 0.7)
            after = found[1] if is_tuple else np.split(found[1], [UNITS], axis=1)
            self.check_pair((found[0], tuple(after)), c, m)

    def test_one_gate_is_between_the_state_and_a_new_one(self):
        output, state, v = self.run_cell(lambda: rnn.UGRNNCell(UNITS), self.h, names="kernel bias")
        both = np.hstack([self.x, self.h]) @ v["kernel"] + v["bias"]
        g, c = np.split(both, 2, axis=1)
        g = sigmoid(g + 1)
        self.assertAllClose(output, g * self.h + (1 - g) * np.tanh(c), rtol=1e-4)
        self.assertAllEqual(output, state)

    def test_gates_are_between_states_and_between_inputs_and_outputs(self):
        names = "kernel bias in_projection/kernel in_projection/bias"
        output, state, v = self.run_cell(
            lambda: rnn.IntersectionRNNCell(UNITS, num_in_proj=UNITS), self.h, names=names
        )
        x = self.x @ v["in_projection/kernel"] + v["in_projection/bias"]
        parts = np.hstack([x, self.h]) @ v["kernel"] + v["bias"]
        gh, h, gy, y = np.split(parts, 4, axis=1)
        gh, gy = sigmoid(gh + 1), sigmoid(gy + 1)
        self.assertAllClose(state, gh * self.h + (1 - gh) * np.tanh(h), rtol=1e-4, atol=1e-5)
        self.assertAllClose(output, gy * x + (1 - gy) * relu(y), rtol=1e-4, atol=1e-5)
        with self.assertRaisesRegex(ValueError, "input size == output size"):
            rnn.IntersectionRNNCell(UNITS)(tf.constant(self.x), tf.constant(self.h))

    def test_simple_units_have_gates_of_the_inputs_only(self):
        output, state, v = self.run_cell(lambda: rnn.SRUCell(UNITS), self.h, names="kernel bias")
        new, f, r, x = np.split(self.x @ v["kernel"], 4, axis=1)
        f, r = sigmoid(f + v["bias"][:UNITS]), sigmoid(r + v["bias"][UNITS:])
        c = f * self.h + (1 - f) * new
        self.assertAllClose(state, c, rtol=1e-4, atol=1e-5)
        self.assertAllClose(output, r * np.tanh(c) + (1 - r) * x, rtol=1e-4, atol=1e-5)

    def test_independent_units_see_their_own_state_only(self):
        output, _, v = self.run_cell(
            lambda: rnn.IndRNNCell(UNITS), self.h, names="kernel_w kernel_u bias"
        )
        wanted = np.tanh(self.x @ v["kernel_w"] + self.h * v["kernel_u"] + v["bias"])
        self.assertAllClose(output, wanted, rtol=1e-4, atol=1e-5)

        names = "gates/kernel_w gates/kernel_u gates/bias candidate/kernel candidate/kernel_u"
        output, _, v = self.run_cell(
            lambda: rnn.IndyGRUCell(UNITS), self.h, names=f"{names} candidate/bias"
        )
        own = np.hstack([self.h, self.h]) * v["gates/kernel_u"]
        r, u = np.split(sigmoid(self.x @ v["gates/kernel_w"] + own + v["gates/bias"]), 2, axis=1)
        own = r * self.h * v["candidate/kernel_u"]
        c = np.tanh(self.x @ v["candidate/kernel"] + own + v["candidate/bias"])
        self.assertAllClose(output, u * self.h + (1 - u) * c, rtol=1e-4, atol=1e-5)

        found = self.run_cell(
            lambda: rnn.IndyLSTMCell(UNITS), self.pair, names="kernel_w kernel_u bias"
        )
        v = found[2]
        gates = self.x @ v["kernel_w"] + np.tile(self.h, [1, 4]) * v["kernel_u"] + v["bias"]
        i, j, f, o = np.split(gates, 4, axis=1)
        c = self.c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        self.check_pair(found, c, np.tanh(c) * sigmoid(o))

    def test_first_values_of_vectors_are_uniform_and_of_gates_ones(self):
        cell = rnn.IndyGRUCell(500)
        cell(tf.constant(self.x), tf.zeros([BATCH, 500]))
        with self.session():
            self.evaluate(tf.global_variables_initializer())
            values = self.evaluate({each.op.name.split("/", 1)[1]: each for each in cell.weights})
            self.assertAllInRange(values["gates/kernel_u"], -1, 1)
            self.assertLess(values["gates/kernel_u"].min(), -0.9)
            self.assertAllEqual(values["gates/bias"], np.ones(1000))

    def test_units_change_in_a_part_of_their_period(self):
        time = np.array([[0.3], [5.0], [71.5]], np.float32)
        for peeps in (False, True):
            found = self.run_cell(
                functools.partial(rnn.PhasedLSTMCell, UNITS, peeps, leak=0.01, ratio_on=0.4),
                self.pair, (time, self.x),
            )  # fmt: skip
            v = found[2]
            self.assertAllInRange(v["period"], 1, 1000)
            self.assertTrue((v["phase"] < v["period"]).all())
            self.assertAllClose(v["ratio_on"], np.full(UNITS, 0.4))

            def product(scope, *parts, v=v):
                return np.hstack(parts) @ v[f"{scope}/kernel"] + v[f"{scope}/bias"]

            seen = [self.x, self.h]
            gates = sigmoid(product("mask_gates", *seen, *([self.c] if peeps else [])))
            i, f = np.split(gates, 2, axis=1)
            c = self.c * f + i * np.tanh(product("new_input", *seen))
            o = sigmoid(product("output_gate", *seen, *([c] if peeps else [])))
            since = time - v["phase"]
            # The cell adds what the remainder changes: at 71.5 that rounds as floats of 71.5 do.
            place = ((since % v["period"] - since) + since) / v["period"]
            k = np.select([place < 0.2, place < 0.4], [place / 0.2, 2 - place / 0.2], 0.01 * place)
            h = k * np.tanh(c) * o + (1 - k) * self.h
            self.check_pair(found, k * c + (1 - k) * self.c, h)

    def test_windows_of_frequencies_see_the_output_of_the_one_below(self):
        for peeps in (False, True):
            state = self.draw(BATCH, 2 * UNITS * 3)
            output, after, v = self.run_cell(
                functools.partial(
                    rnn.TimeFreqLSTMCell, UNITS, use_peepholes=peeps, cell_clip=0.8,
                    feature_size=2, frequency_skip=2,
                ),
                state,
            )  # fmt: skip
            below, outputs, states = np.zeros([BATCH, UNITS]), [], []
            for window in range(3):
                c, h = np.split(np.split(state, 3, axis=1)[window], 2, axis=1)
                x = self.x[:, 2 * window : 2 * window + 2]
                gates = np.hstack([x, h, below]) @ v["W_0"] + v["B"]
                i, j, f, o = np.split(gates, 4, axis=1)
                if peeps:
                    f, i = f + v["W_F_diag"] * c, i + v["W_I_diag"] * c
                c = np.clip(sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j), -0.8, 0.8)
                below = sigmoid(o + (v["W_O_diag"] * c if peeps else 0)) * np.tanh(c)
                outputs.append(below)
                states += [c, below]
            self.assertAllClose(output, np.hstack(outputs), rtol=1e-4, atol=1e-5)
            self.assertAllClose(after, np.hstack(states), rtol=1e-4, atol=1e-5)

    def test_products_may_be_convolutions(self):
        x, state = self.draw(2, 5, 3), rnn.LSTMStateTuple(self.draw(2, 5, 2), self.draw(2, 5, 2))
        output, after, v = self.run_cell(
            lambda: rnn.Conv1DLSTMCell(
                input_shape=[5, 3], output_channels=2, kernel_shape=[3], skip_connection=True
            ),
            state, x, names="kernel biases",
        )  # fmt: skip
        padded = np.pad(np.concatenate([x, state.h], 2), [(0, 0), (1, 1), (0, 0)])
        gates = sum(padded[:, at : at + 5] @ v["kernel"][at] for at in range(3)) + v["biases"]
        i, j, f, o = np.split(gates, 4, axis=2)
        c = sigmoid(f + 1) * state.c + sigmoid(i) * np.tanh(j)
        h = np.concatenate([np.tanh(c) * sigmoid(o), x], 2)
        self.assertAllClose(output, h, rtol=1e-4, atol=1e-5)
        self.assertAllClose(after.c, c, rtol=1e-4, atol=1e-5)
        self.assertAllClose(after.h, h, rtol=1e-4, atol=1e-5)

    def test_convolutions_of_two_and_three_axes_run_in_networks(self):
        for cell, shape in ((rnn.Conv2DLSTMCell, [4, 3]), (rnn.Conv3DLSTMCell, [2, 4, 3])):
            with tf.Graph().as_default():
                built = cell(
                    input_shape=[*shape, 2], output_channels=5, kernel_shape=[3] * len(shape)
                )
                inputs = tf.constant(self.draw(2, 3, *shape, 2))
                outputs, _ = tf.nn.dynamic_rnn(built, inputs, dtype=tf.float32)
                with self.session() as session:
                    session.run(tf.global_variables_initializer())
                    self.assertEqual(session.run(outputs).shape, (2, 3, *shape, 5))
        with self.assertRaisesRegex(ValueError, "Invalid input_shape"):
            rnn.Conv2DLSTMCell(input_shape=[3, 2], output_channels=1, kernel_shape=[1])

    def test_groups_see_their_part_of_inputs_and_outputs(self):
        h = self.draw(BATCH, 2)
        found = self.run_cell(
            lambda: rnn.GLSTMCell(UNITS, num_proj=2, number_of_groups=2),
            rnn.LSTMStateTuple(self.c, h),
            names="group0/kernel group1/kernel bias_i bias_j bias_f bias_o projection/kernel",
        )
        v = found[2]
        parts = [
            np.split(np.hstack([x, m]) @ v[f"group{at}/kernel"], 4, axis=1)
            for at, (x, m) in enumerate(zip(np.split(self.x, 2, 1), np.split(h, 2, 1)))
        ]
        i, j, f, o = (
            np.hstack(both) + v[f"bias_{name}"] for both, name in zip(zip(*parts), "ijfo")
        )
        c = sigmoid(f + 1) * self.c + sigmoid(i) * np.tanh(j)
        self.check_pair(found, c, (sigmoid(o) * np.tanh(c)) @ v["projection/kernel"])
        with self.assertRaisesRegex(ValueError, "num_units must be divisible"):
            rnn.GLSTMCell(5, number_of_groups=2)

    def test_initializers_make_the_kernels_and_networks_have_gradients(self):
        ones = tf.constant_initializer(0.5)
        for make in (
            lambda: rnn.UGRNNCell(UNITS, initializer=ones),
            lambda: rnn.IntersectionRNNCell(UNITS, UNITS, initializer=ones),
            lambda: rnn.GLSTMCell(UNITS, initializer=ones, number_of_groups=2),
        ):
            with tf.Graph().as_default():
                inputs = tf.constant(self.draw(2, 3, DEPTH))
                outputs, _ = tf.nn.dynamic_rnn(make(), inputs, dtype=tf.float32)
                variables = tf.trainable_variables()
                gradients = tf.gradients(outputs, variables)
                with self.session() as session:
                    session.run(tf.global_variables_initializer())
                    for variable, gradient in zip(variables, session.run(gradients)):
                        self.assertGreater(np.abs(gradient).max(), 0)
                        if variable.op.name.endswith("kernel"):
                            self.assertAllEqual(
                                session.run(variable), np.full(variable.shape.as_list(), 0.5)
                            )

    def test_cells_with_variables_of_their_scope_use_them_again(self):
        for make in (
            lambda: rnn.LayerNormBasicLSTMCell(UNITS),
            lambda: rnn.CoupledInputForgetGateLSTMCell(UNITS),
            lambda: rnn.PhasedLSTMCell(UNITS),
        ):
            with tf.Graph().as_default():
                cell = make()
                inputs = tf.constant(self.x)
                if isinstance(cell, rnn.PhasedLSTMCell):
                    inputs = (tf.ones([BATCH, 1]), inputs)
                state = cell.zero_state(BATCH, tf.float32)
                _, state = cell(inputs, state)
                count = len(tf.global_variables())
                cell(inputs, state)
                self.assertLen(tf.global_variables(), count)
                self.assertEqual(len(cell.weights), count)


if __name__ == "__main__":
    unittest.main()
