"""Models of sequences over lists of time steps."""

import unittest

import numpy as np

import troupe as tf
import troupe.as_tensorflow

seq2seq = tf.contrib.legacy_seq2seq


def names_under(scope):
    return sorted(v.op.name[len(scope) + 1 :] for v in tf.global_variables(scope))


def gates(cell):
    kinds = ("bias", "kernel")
    return [f"{cell}/{gate}/{kind}" for gate in ("candidate", "gates") for kind in kinds]


class LegacyModelsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.set_random_seed(1)
        self.sources = [tf.constant([1, 2]), tf.constant([0, 3])]
        self.targets = [tf.constant([step, 1]) for step in range(3)]

    def values(self, *fetches, feed=None):
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feed)

    def test_the_variables_of_the_basic_models_have_the_names_of_tensorflow(self):
        inputs = [tf.ones([2, 2])] * 2
        seq2seq.basic_rnn_seq2seq(inputs, inputs, tf.nn.rnn_cell.GRUCell(2))
        self.assertEqual(
            names_under("basic_rnn_seq2seq"),
            sorted(gates("rnn/gru_cell") + gates("rnn_decoder/gru_cell")),
        )
        seq2seq.tied_rnn_seq2seq(inputs, inputs, tf.nn.rnn_cell.GRUCell(2))
        self.assertEqual(
            names_under("combined_tied_rnn_seq2seq"), gates("tied_rnn_seq2seq/gru_cell")
        )

    def test_the_variables_of_models_of_symbols_have_the_names_of_tensorflow(self):
        cell = tf.nn.rnn_cell.GRUCell(2)
        seq2seq.embedding_rnn_seq2seq(self.sources, self.targets, cell, 4, 5, 2)
        projected = "embedding_rnn_decoder/rnn_decoder/output_projection_wrapper"
        self.assertEqual(
            names_under("embedding_rnn_seq2seq"),
            sorted([
                "embedding_rnn_decoder/embedding", "rnn/embedding_wrapper/embedding",
                f"{projected}/bias", f"{projected}/kernel",
                *gates("rnn/embedding_wrapper/gru_cell"), *gates(f"{projected}/gru_cell"),
            ]),
        )  # fmt: skip

    def test_the_variables_of_the_tied_model_have_the_names_of_tensorflow(self):
        cell = tf.nn.rnn_cell.GRUCell(2)
        outputs, _ = seq2seq.embedding_tied_rnn_seq2seq(
            self.sources, self.targets, cell, 5, 2, num_decoder_symbols=3
        )
        self.assertEqual(outputs[0].shape.as_list(), [2, 3])
        tied = "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/output_projection_wrapper"
        self.assertEqual(
            names_under("embedding_tied_rnn_seq2seq"),
            sorted([
                "embedding", f"{tied}/bias", f"{tied}/kernel", *gates(f"{tied}/gru_cell"),
            ]),
        )  # fmt: skip

    def test_the_variables_of_the_model_with_attention_have_the_names_of_tensorflow(self):
        cell = tf.nn.rnn_cell.GRUCell(2)
        seq2seq.embedding_attention_seq2seq(self.sources, self.targets, cell, 4, 5, 2, num_heads=2)
        decoder = "embedding_attention_decoder/attention_decoder"
        linear = [
            f"{decoder}/{part}{kind}"
            for part in (
                "", "Attention_0/", "Attention_1/", "AttnOutputProjection/",
                "output_projection_wrapper/",
            )
            for kind in ("bias", "kernel")
        ]  # fmt: skip
        self.assertEqual(
            names_under("embedding_attention_seq2seq"),
            sorted([
                "embedding_attention_decoder/embedding", "rnn/embedding_wrapper/embedding",
                *(f"{decoder}/Attn{kind}_{head}" for kind in "VW" for head in (0, 1)), *linear,
                *gates("rnn/embedding_wrapper/gru_cell"),
                *gates(f"{decoder}/output_projection_wrapper/gru_cell"),
            ]),
        )  # fmt: skip

    def test_a_decoder_attends_as_the_paper_says(self):
        random = np.random.RandomState(0)
        states, inputs = random.randn(2, 3, 4).astype(np.float32), np.ones([2, 5], np.float32)
        first = random.randn(2, 4).astype(np.float32)
        outputs, state = seq2seq.attention_decoder(
            [tf.constant(inputs)] * 2, tf.constant(first), tf.constant(states),
            tf.nn.rnn_cell.BasicRNNCell(4), output_size=3,
        )  # fmt: skip
        variables = {v.op.name[len("attention_decoder/") :]: v for v in tf.global_variables()}
        found, last, weights = self.values(outputs, state, variables)

        def linear(parts, scope):
            return np.concatenate(parts, 1) @ weights[f"{scope}kernel"] + weights[f"{scope}bias"]

        before, attended = first, np.zeros([2, 4])
        for output in found:
            given = linear([inputs, attended], "")
            before = np.tanh(linear([given, before], "basic_rnn_cell/"))
            asked = linear([before], "Attention_0/")[:, None]
            features = states @ weights["AttnW_0"][0, 0]
            scores = np.exp((weights["AttnV_0"] * np.tanh(features + asked)).sum(2))
            shares = scores / scores.sum(1, keepdims=True)
            attended = (shares[..., None] * states).sum(1)
            self.assertAllClose(output, linear([before, attended], "AttnOutputProjection/"))
        self.assertAllClose(last, before)

    def test_the_first_step_sees_what_the_initial_state_attends_to(self):
        cell = tf.nn.rnn_cell.BasicRNNCell(2)
        shared = [tf.ones([2, 2])], tf.ones([2, 2]), tf.ones([2, 3, 2]), cell
        outputs = []
        for attends in (True, False):
            with tf.variable_scope("same", reuse=not attends):
                made, _ = seq2seq.attention_decoder(*shared, initial_state_attention=attends)
            outputs += made
        attending, other = self.values(*outputs)
        self.assertNotAllClose(attending, other)

    def test_sizes_that_attention_needs_are_asked_for(self):
        cell, states = tf.nn.rnn_cell.BasicRNNCell(2), tf.ones([2, 3, 2])
        decode = seq2seq.attention_decoder
        with self.assertRaisesRegex(ValueError, "at least 1 input"):
            decode([], tf.ones([2, 2]), states, cell)
        with self.assertRaisesRegex(ValueError, "1 heads"):
            decode([tf.ones([2, 2])], tf.ones([2, 2]), states, cell, num_heads=0)
        unknown = tf.placeholder(tf.float32, [2, 3, None])
        with self.assertRaisesRegex(ValueError, r"Shape\[2\]"):
            decode([tf.ones([2, 2])], tf.ones([2, 2]), unknown, cell)
        unknown = tf.placeholder(tf.float32, [2, None], name="of_unknown_size")
        with self.assertRaisesRegex(ValueError, "of_unknown_size"):
            decode([unknown], tf.ones([2, 2]), states, cell)

    def test_a_step_chooses_whether_previous_outputs_are_fed(self):
        feeds = tf.placeholder(tf.bool, [])
        for build, counts in (
            (seq2seq.embedding_rnn_seq2seq, (5, 5)),
            (seq2seq.embedding_attention_seq2seq, (5, 5)),
            (seq2seq.embedding_tied_rnn_seq2seq, (5,)),
        ):
            name = build.__name__
            with tf.variable_scope(f"of_{name}", reuse=tf.AUTO_REUSE):
                made = {
                    choice: build(
                        self.sources, self.targets, tf.nn.rnn_cell.BasicLSTMCell(2), *counts, 2,
                        feed_previous=feeds if choice is None else choice,
                    )
                    for choice in (True, False, None)
                }  # fmt: skip
            with self.session() as session:
                session.run(tf.global_variables_initializer())
                for choice in (True, False):
                    wanted, found = session.run((made[choice], made[None]), {feeds: choice})
                    self.assertAllClose(wanted[0], found[0])
                    self.assertAllClose(wanted[1].c, found[1].c)

    def test_a_decoder_that_feeds_previous_outputs_sees_the_first_input_alone(self):
        outputs = []
        for targets in (self.targets, self.targets[:1] + [tf.constant([4, 4])] * 2):
            with tf.variable_scope("same", reuse=tf.AUTO_REUSE):
                made, _ = seq2seq.embedding_rnn_seq2seq(
                    self.sources, targets, tf.nn.rnn_cell.GRUCell(2), 4, 5, 2, feed_previous=True
                )
            outputs.append(made)
        one, other = self.values(*outputs)
        self.assertAllClose(one, other)

    def test_embeddings_of_previous_outputs_get_gradients_unless_they_are_not_to(self):
        counts = []
        for updates in (True, False):
            with tf.variable_scope(f"updates_{updates}"):
                outputs, _ = seq2seq.embedding_rnn_decoder(
                    self.targets, tf.ones([2, 5]), tf.nn.rnn_cell.GRUCell(5), 5, 3,
                    feed_previous=True, update_embedding_for_previous=updates,
                )  # fmt: skip
                table = tf.global_variables(f"updates_{updates}/embedding_rnn_decoder/embedding")[0]
                counts.append(tf.size(tf.gradients(outputs[-1], table)[0].indices))
        self.assertEqual(list(self.values(*counts)), [6, 2])

    def test_an_output_projection_turns_outputs_into_the_symbols_that_are_fed(self):
        weights, biases = tf.zeros([2, 5]), tf.constant([0.0, 0, 9, 0, 0])
        outputs, _ = seq2seq.embedding_attention_seq2seq(
            self.sources, self.targets, tf.nn.rnn_cell.GRUCell(2), 4, 5, 2,
            output_projection=(weights, biases), feed_previous=True,
        )  # fmt: skip
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            always = [self.targets[0], tf.constant([2, 2]), tf.constant([2, 2])]
            same, _ = seq2seq.embedding_attention_seq2seq(
                self.sources, always, tf.nn.rnn_cell.GRUCell(2), 4, 5, 2,
                output_projection=(weights, biases),
            )  # fmt: skip
        self.assertEqual(outputs[0].shape.as_list(), [2, 2])
        one, other = self.values(outputs, same)
        self.assertAllClose(one, other)
        with self.assertRaisesRegex(ValueError, "incompatible"):
            seq2seq.embedding_rnn_decoder(
                self.targets, tf.ones([2, 2]), tf.nn.rnn_cell.GRUCell(2), 5, 2,
                output_projection=(tf.zeros([2, 4]), biases),
            )  # fmt: skip
        with self.assertRaisesRegex(ValueError, "incompatible"):
            seq2seq.embedding_attention_decoder(
                self.targets, tf.ones([2, 2]), tf.ones([2, 3, 2]), tf.nn.rnn_cell.GRUCell(2), 5, 2,
                output_projection=(weights, biases[1:]),
            )  # fmt: skip

    def test_programs_of_the_source_get_the_linear_function_and_the_loop_function(self):
        from tensorflow.contrib.legacy_seq2seq.python.ops import seq2seq as source
        from tensorflow.contrib.rnn.python.ops import core_rnn_cell

        self.assertIs(source.rnn_decoder, seq2seq.rnn_decoder)
        self.assertIs(source.Linear, core_rnn_cell._Linear)
        table = tf.constant([[1.0, 2], [3, 4]])
        given = tf.constant([[0.0, 1], [1, 0]])
        with tf.variable_scope("s", initializer=tf.ones_initializer()):
            linear = source.Linear([given, given], 3, True, tf.constant_initializer(2.0))
            outputs = linear([given, given]), source._extract_argmax_and_embed(table)(given, 1)
        self.assertEqual([v.op.name for v in tf.global_variables()], ["s/kernel", "s/bias"])
        product, embedded = self.values(*outputs)
        self.assertAllClose(product, np.full([2, 3], 4.0))
        self.assertAllClose(embedded, [[3, 4], [1, 2]])
        with self.assertRaisesRegex(ValueError, "must be specified"):
            source.Linear([], 3, True)
        with tf.variable_scope("f"):
            ones, twos = tf.ones_initializer(), tf.constant_initializer(2.0)
            of_function = core_rnn_cell._linear(
                [given], 3, bias=True, bias_initializer=twos, kernel_initializer=ones
            )
        self.assertAllClose(*self.values(of_function), np.full([2, 3], 3.0))

    def test_one_encoder_serves_several_decoders(self):
        cells = {"0": tf.nn.rnn_cell.GRUCell(2), "1": tf.nn.rnn_cell.GRUCell(2)}
        arguments = (
            self.sources, {"0": self.targets, "1": self.targets[:2]}, tf.nn.rnn_cell.GRUCell(2),
        )  # fmt: skip
        outputs, states = seq2seq.one2many_rnn_seq2seq(
            *arguments, cells, 4, {"0": 5, "1": 6}, 2, feed_previous=tf.constant(False)
        )
        found = self.values(outputs)[0]
        self.assertEqual({name: np.shape(each) for name, each in found.items()}, {
            "0": (3, 2, 5), "1": (2, 2, 6),
        })  # fmt: skip
        self.assertEqual(sorted(states), ["0", "1"])
        self.assertIn(
            "one2many_rnn_seq2seq/one2many_decoder_1/embedding_rnn_decoder/embedding",
            [v.op.name for v in tf.global_variables()],
        )
        with self.assertRaisesRegex(ValueError, "keys"):
            seq2seq.one2many_rnn_seq2seq(*arguments, {"0": cells["0"]}, 4, {"0": 5}, 2)
        with self.assertRaisesRegex(TypeError, "dec_cell"):
            seq2seq.one2many_rnn_seq2seq(*arguments, {"0": 1, "1": 2}, 4, {"0": 5, "1": 6}, 2)

    def test_buckets_share_variables_and_have_losses_of_their_own(self):
        lengths = []

        def build(sources, targets):
            lengths.append((len(sources), len(targets)))
            cell = tf.nn.rnn_cell.GRUCell(2)
            return seq2seq.embedding_attention_seq2seq(sources, targets, cell, 4, 5, 2)

        weights = [tf.ones([2])] * 3
        outputs, losses = seq2seq.model_with_buckets(
            self.sources, self.targets, self.targets, weights, [(1, 2), (2, 3)], build
        )
        count = len(tf.global_variables())
        self.assertEqual(lengths, [(1, 2), (2, 3)])
        self.assertEqual([len(each) for each in outputs], [2, 3])
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            _, by_example = seq2seq.model_with_buckets(
                self.sources, self.targets, self.targets, weights, [(1, 2), (2, 3)], build,
                per_example_loss=True,
            )  # fmt: skip
        self.assertEqual(len(tf.global_variables()), count)
        means, parts = self.values(losses, by_example)
        self.assertEqual([each.shape for each in parts], [(2,), (2,)])
        self.assertAllClose(means, [each.mean() for each in parts])
        self.assertNotAllClose(means[0], means[1])
        with self.assertRaisesRegex(ValueError, r"weights \(2\).*\(3\)"):
            seq2seq.model_with_buckets(
                self.sources, self.targets, self.targets, weights[:2], [(2, 3)], build
            )

    def test_a_model_learns_to_repeat_a_sequence(self):
        symbols = np.random.RandomState(0).randint(1, 4, size=(3, 8))
        sources = [tf.constant(row) for row in symbols]
        inputs = [tf.zeros([8], tf.int64)] + [tf.constant(row) for row in symbols[:-1]]
        feeds = tf.placeholder_with_default(False, [])
        outputs, _ = seq2seq.embedding_attention_seq2seq(
            sources, inputs, tf.nn.rnn_cell.GRUCell(16), 4, 4, 8, feed_previous=feeds
        )
        loss = seq2seq.sequence_loss(outputs, sources, [tf.ones([8])] * 3)
        train = tf.train.AdamOptimizer(0.02).minimize(loss)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(60):
                session.run(train)
            found = session.run(outputs, {feeds: True})
        self.assertAllEqual(np.argmax(found, 2), symbols)


if __name__ == "__main__":
    unittest.main()
