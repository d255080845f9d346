"""Decoders: their helpers, ends, outputs and gradients, against loops of NumPy."""

import unittest

import numpy as np

import troupe as tf

seq2seq = tf.contrib.seq2seq


class CountingCell(tf.nn.rnn_cell.RNNCell):
    """Adds its input to its state; gives one-hot logits of the sum, of five classes."""

    state_size = 1
    output_size = 5

    def call(self, inputs, state):
        total = state + inputs
        return tf.one_hot(tf.cast(total[:, 0], tf.int32) % 5, 5) * 30.0, total


def embedded(ids):
    """A number as an input."""
    return tf.cast(tf.expand_dims(ids, 1), tf.float32)


class DecodersTest(tf.test.TestCase):
    def decode(self, helper, state=None, layer=None, **options):
        start = tf.zeros([helper.batch_size, 1]) if state is None else state
        decoder = seq2seq.BasicDecoder(CountingCell(), helper, start, layer)
        found = seq2seq.dynamic_decode(decoder, **options)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(found)

    def training_helper(self):
        inputs = np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3]], np.float32)[..., None]
        return seq2seq.TrainingHelper(inputs, [3, 1, 2])

    def test_a_training_is_given_its_inputs_up_to_the_length_of_each_sequence(self):
        outputs, state, lengths = self.decode(self.training_helper())
        self.assertAllEqual(lengths, [3, 1, 2])
        self.assertAllEqual(outputs.sample_id, [[1, 2, 3], [2, 4, 1], [3, 1, 4]])
        self.assertAllEqual(np.argmax(outputs.rnn_output, -1), outputs.sample_id)
        self.assertAllClose(state, [[3], [6], [9]])

    def test_finished_sequences_have_zeros_and_keep_their_states_where_that_is_asked_for(self):
        outputs, state, _ = self.decode(self.training_helper(), impute_finished=True)
        self.assertAllEqual(outputs.sample_id, [[1, 2, 3], [2, 0, 0], [3, 1, 0]])
        self.assertAllEqual(outputs.rnn_output[1, 1:], np.zeros([2, 5]))
        self.assertAllClose(state, [[3], [2], [6]])

    def test_outputs_may_have_the_time_first_and_steps_are_bounded(self):
        outputs, _, lengths = self.decode(
            self.training_helper(), output_time_major=True, maximum_iterations=2
        )
        self.assertAllEqual(outputs.sample_id, [[1, 2, 3], [2, 4, 1]])
        self.assertAllEqual(lengths, [2, 1, 2])
        outputs, _, lengths = self.decode(self.training_helper(), maximum_iterations=0)
        self.assertEqual(outputs.rnn_output.shape[:2], (3, 0))
        self.assertAllEqual(lengths, [0, 0, 0])

    def test_a_greedy_decoder_goes_on_with_what_it_chose_until_the_end(self):
        helper = seq2seq.GreedyEmbeddingHelper(embedded, [1, 3], 4)
        outputs, _, lengths = self.decode(helper, maximum_iterations=6)
        # 1, 1 + 1, 2 + 2; and 3, 3 + 3 = 1, 6 + 1 = 2, 7 + 2 = 4.
        self.assertAllEqual(lengths, [3, 4])
        self.assertAllEqual(outputs.sample_id[0, :3], [1, 2, 4])
        self.assertAllEqual(outputs.sample_id[1, :4], [3, 1, 2, 4])

    def test_a_table_embeds_the_choices(self):
        table = tf.constant([[0.0], [1.0], [2.0], [3.0], [4.0]])
        helper = seq2seq.GreedyEmbeddingHelper(table, [1, 3], 4)
        outputs, _, _ = self.decode(helper, maximum_iterations=6)
        self.assertAllEqual(outputs.sample_id[1, :4], [3, 1, 2, 4])

    def test_logits_that_leave_no_choice_are_drawn_as_the_greatest(self):
        helper = seq2seq.SampleEmbeddingHelper(embedded, [1, 3], 4, 0.01, seed=5)
        outputs, _, lengths = self.decode(helper, maximum_iterations=6)
        self.assertAllEqual(lengths, [3, 4])
        self.assertAllEqual(outputs.sample_id[1, :4], [3, 1, 2, 4])

    def test_functions_choose_end_and_give_inputs(self):
        helper = seq2seq.InferenceHelper(
            lambda outputs: tf.argmax(outputs, -1, output_type=tf.int32), [], tf.int32,
            [[1.0], [3.0]], lambda ids: tf.equal(ids, 4), embedded,
        )  # fmt: skip
        outputs, _, _ = self.decode(helper, maximum_iterations=6)
        self.assertAllEqual(outputs.sample_id[1, :4], [3, 1, 2, 4])
        custom = seq2seq.CustomHelper(
            lambda: (tf.constant([False, False]), tf.constant([[1.0], [2.0]])),
            lambda time, outputs, state: tf.fill([2], time),
            lambda time, outputs, state, sample_ids: (
                tf.fill([2], time >= 1), embedded(sample_ids), state + 1.0,
            ),
        )  # fmt: skip
        with self.assertRaisesRegex(ValueError, "before initialize"):
            custom.batch_size  # noqa: B018
        decoder = seq2seq.BasicDecoder(CountingCell(), custom, tf.zeros([2, 1]))
        outputs, state, _ = self.evaluate(seq2seq.dynamic_decode(decoder))
        self.assertAllEqual(outputs.sample_id, [[0, 1], [0, 1]])
        self.assertAllClose(state, [[3], [4]])

    def test_a_layer_makes_the_outputs_and_their_shapes_are_known(self):
        helper = self.training_helper()
        decoder = seq2seq.BasicDecoder(
            CountingCell(), helper, tf.zeros([3, 1]), tf.layers.Dense(2)
        )
        outputs, _, lengths = seq2seq.dynamic_decode(decoder)
        self.assertEqual(outputs.rnn_output.shape.as_list(), [3, None, 2])
        self.assertEqual(lengths.shape.as_list(), [3])
        outputs, _, _ = self.decode(self.training_helper(), layer=tf.layers.Dense(2))
        self.assertEqual(outputs.rnn_output.shape, (3, 3, 2))

    def test_scheduled_inputs_are_the_given_ones_or_all_drawn(self):
        inputs = np.ones([2, 4, 1], np.float32)
        for probability, wanted in ((0.0, [[1, 2, 3, 4]] * 2), (1.0, [[1, 2, 4, 3]] * 2)):
            helper = seq2seq.ScheduledEmbeddingTrainingHelper(
                inputs, [4, 4], embedded, probability, seed=1
            )
            outputs, _, _ = self.decode(helper)
            self.assertAllEqual(np.argmax(outputs.rnn_output, -1), wanted)
            ids = outputs.sample_id if probability else np.full([2, 4], -1)
            self.assertAllEqual(outputs.sample_id, ids)
        for probability, wanted in ((0.0, [[1, 2, 3, 4]] * 2), (1.0, [[1, 3, 2, 0]] * 2)):
            helper = seq2seq.ScheduledOutputTrainingHelper(
                inputs, [4, 4], probability,
                next_inputs_fn=lambda outputs: embedded(tf.argmax(outputs, -1)) + 1.0,
            )  # fmt: skip
            outputs, _, _ = self.decode(helper)
            self.assertAllEqual(np.argmax(outputs.rnn_output, -1), wanted)
            self.assertAllEqual(outputs.sample_id, np.full([2, 4], int(probability)))

    def test_a_training_decoder_gives_what_dynamic_rnn_gives_and_its_gradients(self):
        random = np.random.RandomState(0)
        inputs, lengths = random.randn(3, 4, 2).astype(np.float32), [4, 2, 3]
        cell = tf.nn.rnn_cell.LSTMCell(5)
        with tf.variable_scope("network"):
            wanted, wanted_state = tf.nn.dynamic_rnn(
                cell, inputs, lengths, dtype=tf.float32, scope="decoder"
            )
        decoder = seq2seq.BasicDecoder(
            cell, seq2seq.TrainingHelper(inputs, lengths), cell.zero_state(3, tf.float32)
        )
        with tf.variable_scope("network", reuse=True):
            (found, _), state, steps = seq2seq.dynamic_decode(
                decoder, impute_finished=True, scope="decoder"
            )
        variables = tf.trainable_variables()
        self.assertEqual(len(variables), 2)
        gradients = [
            tf.gradients(tf.reduce_sum(tf.square(each)), variables) for each in (found, wanted)
        ]
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            values = session.run([found, wanted, state, wanted_state, steps, gradients])
        self.assertAllClose(values[0], values[1])
        self.assertAllClose(values[2], values[3])
        self.assertAllEqual(values[4], lengths)
        for one, other in zip(*values[5]):
            self.assertAllClose(one, other, rtol=1e-4, atol=1e-5)

    def test_arguments_of_wrong_classes_and_ranks_are_refused(self):
        helper = self.training_helper()
        with self.assertRaisesRegex(TypeError, "must be a Helper"):
            seq2seq.BasicDecoder(CountingCell(), None, tf.zeros([1, 1]))
        with self.assertRaisesRegex(TypeError, "must be a Layer"):
            seq2seq.BasicDecoder(CountingCell(), helper, tf.zeros([1, 1]), tf.identity)
        with self.assertRaisesRegex(TypeError, "type Decoder"):
            seq2seq.dynamic_decode(CountingCell())
        with self.assertRaisesRegex(ValueError, "to be a vector"):
            seq2seq.TrainingHelper(tf.zeros([1, 2, 1]), 2)
        with self.assertRaisesRegex(ValueError, "must be a vector"):
            seq2seq.GreedyEmbeddingHelper(embedded, 1, 4)
        with self.assertRaisesRegex(ValueError, "must be a scalar"):
            seq2seq.GreedyEmbeddingHelper(embedded, [1], [4])
        decoder = seq2seq.BasicDecoder(CountingCell(), helper, tf.zeros([3, 1]))
        with self.assertRaisesRegex(ValueError, "maximum_iterations must be a scalar"):
            seq2seq.dynamic_decode(decoder, maximum_iterations=[1])


if __name__ == "__main__":
    unittest.main()
