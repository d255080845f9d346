"""Attention: alignments and contexts against NumPy, and the cell that has them."""

import unittest

import numpy as np

import troupe as tf

seq2seq = tf.contrib.seq2seq


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


class AttentionTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        random = np.random.RandomState(0)
        self.memory = random.randn(2, 4, 3).astype(np.float32)
        self.query = random.randn(2, 5).astype(np.float32)
        self.lengths = [2, 4]
        self.values = self.memory * (np.arange(4)[:, None] < np.array(self.lengths)[:, None, None])

    def aligned(self, mechanism):
        """The alignments of the query, and the variables by the ends of their names."""
        alignments, state = mechanism(tf.constant(self.query), None)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for variable in tf.trainable_variables():
                filler = np.linspace(-1, 1, int(np.prod(variable.shape.as_list())))
                variable.load(filler.reshape(variable.shape.as_list()), session)
            found, after = session.run([alignments, state])
            variables = session.run({each.op.name: each for each in tf.trainable_variables()})
        self.assertAllEqual(found, after)
        return found, variables

    def masked(self, scores):
        return np.where(np.arange(4) < np.array(self.lengths)[:, None], scores, -np.inf)

    def test_luong_scores_are_products_with_the_keys(self):
        for scale in (False, True):
            with tf.Graph().as_default():
                found, variables = self.aligned(
                    seq2seq.LuongAttention(5, self.memory, self.lengths, scale=scale)
                )
            keys = self.values @ variables["memory_layer/kernel"]
            scores = np.einsum("bu,btu->bt", self.query, keys)
            if scale:
                scores = scores * variables["luong_attention/attention_g"]
            self.assertAllClose(found, softmax(self.masked(scores)), atol=1e-5)
            self.assertEqual(found[0, 2], 0)

    def test_bahdanau_scores_are_weighted_sums_of_tanh(self):
        scope = "bahdanau_attention/"
        for normalize in (False, True):
            with tf.Graph().as_default():
                found, variables = self.aligned(
                    seq2seq.BahdanauAttention(3, self.memory, self.lengths, normalize=normalize)
                )
            keys = self.values @ variables["memory_layer/kernel"]
            query = self.query @ variables[f"{scope}query_layer/kernel"]
            v, inner = variables[f"{scope}attention_v"], keys + query[:, None]
            if normalize:
                v = variables[f"{scope}attention_g"] * v / np.sqrt((v * v).sum())
                inner = inner + variables[f"{scope}attention_b"]
            scores = (v * np.tanh(inner)).sum(-1)
            self.assertAllClose(found, softmax(self.masked(scores)), atol=1e-5)

    def test_another_function_makes_the_alignments(self):
        found, _ = self.aligned(
            seq2seq.LuongAttention(5, self.memory, probability_fn=seq2seq.hardmax)
        )
        self.assertAllEqual(found.sum(-1), [1, 1])
        self.assertAllEqual(np.sort(found, -1)[:, :-1], np.zeros([2, 3]))

    def test_an_empty_memory_is_an_error_of_the_step(self):
        lengths = tf.placeholder(tf.int32, [2])
        mechanism = seq2seq.LuongAttention(5, self.memory, lengths)
        alignments, _ = mechanism(tf.constant(self.query), None)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "greater than zero"):
                session.run(alignments, {lengths: [0, 1]})

    def wrapped_step(self, **options):
        """A step of a wrapped cell from zeros: (values of output and state, variables)."""
        cell = tf.nn.rnn_cell.GRUCell(5)
        mechanism = seq2seq.LuongAttention(5, self.memory, self.lengths)
        wrapper = seq2seq.AttentionWrapper(cell, mechanism, **options)
        state = wrapper.zero_state(2, tf.float32)
        output, after = wrapper(tf.ones([2, 2]), state)
        history = after.alignment_history
        after = after._replace(alignment_history=history.stack() if history != () else ())
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            return session.run([output, after]), wrapper, state

    def test_the_output_of_a_wrapped_cell_is_what_it_attends_to(self):
        (output, state), wrapper, start = self.wrapped_step(alignment_history=True)
        self.assertIsInstance(state, seq2seq.AttentionWrapperState)
        context = np.einsum("bt,btv->bv", state.alignments, self.values)
        self.assertAllClose(output, context, atol=1e-5)
        self.assertAllClose(state.attention, output)
        self.assertAllClose(state.alignment_history, [state.alignments])
        self.assertEqual(state.time, 1)
        self.assertEqual(wrapper.output_size, 3)
        self.assertEqual(wrapper.state_size.attention, 3)

    def test_a_layer_makes_the_attention_and_the_output_may_be_that_of_the_cell(self):
        (output, state), wrapper, _ = self.wrapped_step(attention_layer_size=6)
        self.assertEqual(output.shape, (2, 6))
        with tf.Graph().as_default():
            (output, state), wrapper, _ = self.wrapped_step(
                attention_layer=tf.layers.Dense(7), output_attention=False
            )
        self.assertAllClose(output, state.cell_state)
        self.assertEqual((wrapper.output_size, state.attention.shape), (5, (2, 7)))

    def test_a_class_of_a_program_has_what_the_wrapper_is_made_of_by_its_names(self):
        mechanism = seq2seq.LuongAttention(5, tf.constant(self.memory))

        class Twice(seq2seq.AttentionWrapper):
            def call(self, inputs, state):
                cell_inputs = self._cell_input_fn(inputs, state.attention)
                output, cell_state = self._cell(cell_inputs, state.cell_state)
                (each,), (layer,) = self._attention_mechanisms, self._attention_layers
                found = self._attention_fn(each, output, state.attention_state, layer)
                attention, alignments, attention_state = found
                after = state.clone(
                    cell_state=cell_state, time=state.time + 1, attention=attention,
                    alignments=self._item_or_tuple([alignments]),
                    attention_state=self._item_or_tuple([attention_state]),
                )  # fmt: skip
                return 2.0 * attention, after

        cell, results = tf.nn.rnn_cell.GRUCell(5, kernel_initializer=tf.ones_initializer()), []
        for kind, name in ((seq2seq.AttentionWrapper, "once"), (Twice, "twice")):
            with tf.variable_scope(name, initializer=tf.ones_initializer()):
                wrapper = kind(cell, mechanism, attention_layer_size=3)
                results.append(wrapper(tf.ones([2, 3]), wrapper.zero_state(2, tf.float32))[0])
        self.assertEqual(wrapper._attention_layer_size, 3)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            once, twice = session.run(results)
        self.assertAllClose(2.0 * once, twice)

    def test_several_mechanisms_have_their_attentions_side_by_side(self):
        cell = tf.nn.rnn_cell.GRUCell(5)
        mechanisms = [
            seq2seq.LuongAttention(5, self.memory),
            seq2seq.BahdanauAttention(2, self.memory[:, :2]),
        ]
        wrapper = seq2seq.AttentionWrapper(cell, mechanisms, attention_layer_size=[4, 3])
        output, state = wrapper(tf.ones([2, 2]), wrapper.zero_state(2, tf.float32))
        self.assertEqual(output.shape.as_list(), [2, 7])
        self.assertEqual([each.shape.as_list() for each in state.alignments], [[2, 4], [2, 2]])

    def test_a_state_is_cloned_with_that_of_an_encoder(self):
        _, _, state = self.wrapped_step()
        other = state.clone(cell_state=tf.ones([2, 5]))
        self.assertIsInstance(other, seq2seq.AttentionWrapperState)
        self.assertAllClose(self.evaluate(other.cell_state), np.ones([2, 5]))
        with self.assertRaisesRegex(ValueError, "same as the one to clone"):
            state.clone(cell_state=tf.ones([3, 5]))

    def test_a_decoder_with_attention_learns_to_reverse_sequences(self):
        random = np.random.RandomState(1)
        words = random.randint(1, 5, size=[16, 4])
        wanted = words[:, ::-1].copy()
        inputs = np.concatenate([np.zeros([16, 1], np.int64), wanted[:, :-1]], 1)
        table = tf.get_variable("table", [5, 8], initializer=tf.random_normal_initializer(seed=1))
        with tf.variable_scope("encoder", initializer=tf.glorot_uniform_initializer(seed=2)):
            memory, state = tf.nn.dynamic_rnn(
                tf.nn.rnn_cell.GRUCell(16), tf.gather(table, words), dtype=tf.float32
            )
        with tf.variable_scope("d", initializer=tf.glorot_uniform_initializer(seed=3)):
            wrapper = seq2seq.AttentionWrapper(
                tf.nn.rnn_cell.GRUCell(16), seq2seq.LuongAttention(16, memory),
                attention_layer_size=16,
            )  # fmt: skip
        start = wrapper.zero_state(16, tf.float32).clone(cell_state=state)
        layer = tf.layers.Dense(5, kernel_initializer=tf.glorot_uniform_initializer(seed=4))

        def decode(helper, **options):
            decoder = seq2seq.BasicDecoder(wrapper, helper, start, layer)
            with tf.variable_scope("d", reuse=tf.AUTO_REUSE):
                return seq2seq.dynamic_decode(decoder, scope="decoder", **options)[0]

        training = seq2seq.TrainingHelper(tf.gather(table, inputs), [4] * 16)
        logits = decode(training).rnn_output
        loss = seq2seq.sequence_loss(logits, wanted, tf.ones([16, 4]))
        train = tf.train.AdamOptimizer(0.02).minimize(loss)
        greedy = seq2seq.GreedyEmbeddingHelper(table, [0] * 16, -1)
        chosen = decode(greedy, maximum_iterations=4).sample_id
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(120):
                session.run(train)
            self.assertGreater((session.run(chosen) == wanted).mean(), 0.9)

    def test_wrong_layers_and_mechanisms_are_refused(self):
        cell, mechanism = tf.nn.rnn_cell.GRUCell(5), seq2seq.LuongAttention(5, self.memory)
        with self.assertRaisesRegex(TypeError, "AttentionMechanism"):
            seq2seq.AttentionWrapper(cell, cell)
        with self.assertRaisesRegex(ValueError, "Only one"):
            seq2seq.AttentionWrapper(
                cell, mechanism, attention_layer_size=2, attention_layer=tf.layers.Dense(2)
            )
        with self.assertRaisesRegex(ValueError, "exactly one"):
            seq2seq.AttentionWrapper(cell, [mechanism], attention_layer_size=[2, 3])
        with self.assertRaisesRegex(ValueError, "inner dimensions"):
            mechanism(tf.ones([2, 4]), None)
        with self.assertRaisesRegex(ValueError, "fully defined inner dims"):
            seq2seq.LuongAttention(5, tf.placeholder(tf.float32, [2, 4, None]))
        with self.assertRaisesRegex(Exception, "Non-matching batch sizes"):
            wrapper = seq2seq.AttentionWrapper(cell, mechanism)
            self.evaluate(wrapper.zero_state(3, tf.float32).cell_state)


if __name__ == "__main__":
    unittest.main()
