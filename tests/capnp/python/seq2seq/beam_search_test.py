"""The search with beams: its sequences, scores, lengths and states, against loops of NumPy."""

import itertools
import unittest

import numpy as np

import troupe as tf

seq2seq = tf.contrib.seq2seq

CLASSES, UNITS, BATCH, END = 5, 4, 3, 1


def log_softmax(logits):
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def softmax(logits):
    return np.exp(log_softmax(logits))


class Model:
    """The same network as a cell of the package and as functions of NumPy, with given weights."""

    def __init__(self, seed, units=UNITS, attends=False, sharp=3.0):
        random = np.random.RandomState(seed)
        self.table = random.randn(CLASSES, 2).astype(np.float32)
        depth = 2 + units + (3 if attends else 0)
        self.kernel = random.randn(depth, units).astype(np.float32)
        self.output = (random.randn(units, CLASSES) * sharp).astype(np.float32)
        self.start = random.randn(BATCH, units).astype(np.float32)
        self.keys = random.randn(3, units).astype(np.float32)
        self.memory = random.randn(BATCH, 4, 3).astype(np.float32)
        self.lengths, self.attends, self.units = np.array([4, 2, 3]), attends, units

    # NumPy's side: the state is (h, attention).

    def first(self, example):
        return self.start[example], np.zeros(3, np.float32)

    def step(self, example, token, state):
        """(log-probabilities of all classes, alignments, next state)."""
        h, attention = state
        seen = [self.table[token], attention, h] if self.attends else [self.table[token], h]
        h = np.tanh(np.concatenate(seen) @ self.kernel)
        if not self.attends:
            return log_softmax(h @ self.output), None, (h, attention)
        memory = self.memory[example, : self.lengths[example]]
        alignments = np.zeros(4, np.float32)
        alignments[: len(memory)] = softmax((memory @ self.keys) @ h)
        attention = alignments[: len(memory)] @ memory
        return log_softmax(h @ self.output), alignments, (h, attention)

    # The package's side.

    def decoder(self, width, history=False, **options):
        cell = tf.nn.rnn_cell.BasicRNNCell(self.units)
        state = seq2seq.tile_batch(tf.convert_to_tensor(self.start), width)
        if self.attends:
            mechanism = seq2seq.LuongAttention(
                self.units,
                seq2seq.tile_batch(tf.convert_to_tensor(self.memory), width),
                seq2seq.tile_batch(tf.constant(self.lengths), width),
            )
            cell = seq2seq.AttentionWrapper(
                cell, mechanism, output_attention=False, alignment_history=history
            )
            state = cell.zero_state(BATCH * width, tf.float32).clone(cell_state=state)
        self.layer = tf.layers.Dense(CLASSES, use_bias=False)
        return seq2seq.BeamSearchDecoder(
            cell, tf.constant(self.table), tf.zeros([BATCH], tf.int32), END, state, width,
            output_layer=self.layer, **options,
        )  # fmt: skip

    def load(self, session):
        session.run(tf.global_variables_initializer())
        for variable in tf.global_variables():
            name = variable.op.name
            if "memory_layer" in name:
                value = self.keys
            elif "rnn_cell" in name:
                value = self.kernel if name.endswith("kernel") else np.zeros(self.units)
            else:
                value = self.output
            variable.load(value, session)


class Beam:
    """A sequence of the reference, with all that is known of it."""

    def __init__(self, state):
        self.tokens, self.log_prob, self.length, self.is_over = [], np.float32(0), 0, False
        self.state, self.seen, self.alignments = state, np.zeros(4, np.float32), None
        self.places = []  # where it is among the beams behind each step

    def score(self, log_prob, length, seen, was_over, weights):
        by_length, by_coverage = weights
        score = log_prob / ((5.0 + length) / 6.0) ** by_length
        if by_coverage and was_over:
            covered = np.where(seen == 0, 1, seen)
            score += by_coverage * np.log(np.minimum(covered, 1)).sum()
        return score

    def continued(self, model, example, weights):
        """[(score, beam)] for all classes."""
        last = self.tokens[-1] if self.tokens else 0
        log_probs, alignments, state = model.step(example, last, self.state)
        seen = self.seen
        if alignments is not None and not self.is_over:
            seen = seen + alignments
        found = []
        for token in range(CLASSES):
            if self.is_over and token != END:
                continue
            after = Beam(state)
            after.log_prob = self.log_prob + (0 if self.is_over else log_probs[token])
            # The score does not count the end, the length does.
            counted = self.length + (not self.is_over and token != END)
            score = self.score(after.log_prob, counted, seen, self.is_over, weights)
            after.length = self.length + (not self.is_over)
            after.tokens, after.is_over = [*self.tokens, token], self.is_over or token == END
            after.seen, after.alignments, after.places = seen, alignments, self.places
            found.append((score, after))
        return found


def search(model, example, width, steps, weights=(0.0, 0.0), attended=None):
    """The best sequences of an example, [(score, beam)].

    The list `attended` gets for each step what the beams attended to, in their order before it.
    """
    beams = [(0.0, Beam(model.first(example)))]
    for _ in range(steps):
        every = [beam.continued(model, example, weights) for _, beam in beams]
        if attended is not None:
            attended.append([found[0][1].alignments for found in every])
        ordered = sorted((each for found in every for each in found), key=lambda each: -each[0])
        beams = ordered[:width]
        for place, (_, beam) in enumerate(beams):
            beam.places = [*beam.places, place]
    return beams


class BeamSearchTest(tf.test.TestCase):
    def decode(self, model, width, steps, **options):
        """(outputs, state, lengths)"""
        decoder = model.decoder(width, **options)
        found = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
        with self.session() as session:
            model.load(session)
            return session.run(found)

    def check(self, model, width, steps, weights=(0.0, 0.0)):
        outputs, state, _ = self.decode(
            model, width, steps, length_penalty_weight=weights[0],
            coverage_penalty_weight=weights[1],
        )  # fmt: skip
        ids = outputs.predicted_ids
        self.assertEqual(ids.dtype, np.int32)
        for example in range(BATCH):
            beams = search(model, example, width, ids.shape[1], weights)
            scores = outputs.beam_search_decoder_output.scores[example]
            # As in TensorFlow, the ids have the places of the step in which the longest one ended.
            last = search(model, example, width, state.lengths[example].max(), weights)
            for place, (_, beam) in enumerate(last):
                rest = [END] * (ids.shape[1] - len(beam.tokens))
                self.assertAllEqual(ids[example, :, place], beam.tokens + rest)
            for place, (score, beam) in enumerate(beams):
                self.assertAllClose(scores[-1, place], score, rtol=1e-4, atol=1e-4)
                self.assertAllClose(state.log_probs[example, place], beam.log_prob, rtol=1e-4)
                self.assertEqual(state.lengths[example, place], beam.length)
                self.assertEqual(state.finished[example, place], beam.is_over)
        return outputs, state

    def test_the_best_sequences_are_those_of_a_search_in_numpy(self):
        for seed, width in ((0, 2), (1, 3), (2, 5)):
            with tf.Graph().as_default():
                _, state = self.check(Model(seed), width, 6)
        self.assertTrue(state.finished.any())
        self.assertFalse(state.finished.all())

    def test_wide_beams_find_the_best_of_all_sequences(self):
        model, steps = Model(3, sharp=1.0), 3
        with tf.Graph().as_default():
            outputs, state, _ = self.decode(model, CLASSES**steps, steps)
        for example in range(BATCH):
            best, best_tokens = -np.inf, None
            for tokens in itertools.product(range(CLASSES), repeat=steps):
                total, last, after, is_over = 0.0, 0, model.first(example), False
                for token in tokens:
                    if is_over:
                        total += 0.0 if token == END else -np.inf
                        continue
                    log_probs, _, after = model.step(example, last, after)
                    total, last, is_over = total + log_probs[token], token, token == END
                if total > best:
                    best, best_tokens = total, tokens
            self.assertAllEqual(outputs.predicted_ids[example, :, 0], best_tokens)
            self.assertAllClose(state.log_probs[example, 0], best, rtol=1e-4)

    def test_the_length_divides_scores_by_its_weight(self):
        for weight in (0.6, 2.0):
            with tf.Graph().as_default():
                self.check(Model(4), 4, 6, (weight, 0.0))

    def test_finished_sequences_pay_for_what_they_did_not_attend_to(self):
        model = Model(9, attends=True)
        with tf.Graph().as_default():
            self.check(model, 3, 6, (0.0, 0.0))
        with tf.Graph().as_default():
            self.check(model, 3, 6, (0.3, 0.5))

    def test_alignments_are_those_of_the_places_on_each_sequences_path(self):
        model, width, steps = Model(9, attends=True), 3, 5
        with tf.Graph().as_default():
            batch = tf.placeholder_with_default(model.memory, [None, None, 3])
            known, model.memory = model.memory, batch
            starts, model.start = (
                model.start,
                tf.placeholder_with_default(model.start, [None, UNITS]),
            )
            decoder = model.decoder(width, history=True)
            model.memory, model.start = known, starts
            found = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
            history = found[1].cell_state.alignment_history
            self.assertIsInstance(history, tf.Tensor)
            with self.session() as session:
                model.load(session)
                history = session.run(history).reshape([-1, BATCH, width, 4])
        for example in range(BATCH):
            attended = []
            beams = search(model, example, width, len(history), attended=attended)
            attended[0] = attended[0] * width  # all beams begin alike
            for place, (_, beam) in enumerate(beams):
                for time in range(beam.length):
                    # As in TensorFlow: what was attended to at its place behind the step.
                    wanted = attended[time][beam.places[time]]
                    self.assertAllClose(history[time, example, place], wanted, atol=1e-4)

    def test_arrays_are_kept_where_they_are_not_to_be_sorted(self):
        model = Model(9, attends=True)
        for options in ({"reorder_tensor_arrays": False}, {}):  # and where all sizes are known
            decoder = model.decoder(2, history=True, **options)
            _, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=2)
            self.assertIsInstance(state.cell_state.alignment_history, tf.TensorArray)

    def test_one_beam_is_the_greedy_decoder(self):
        model = Model(5)
        with tf.Graph().as_default():
            outputs, state, _ = self.decode(model, 1, 7)
        with tf.Graph().as_default():
            helper = seq2seq.GreedyEmbeddingHelper(
                tf.constant(model.table), tf.zeros([BATCH], tf.int32), END
            )
            decoder = seq2seq.BasicDecoder(
                tf.nn.rnn_cell.BasicRNNCell(UNITS), helper, tf.constant(model.start),
                tf.layers.Dense(CLASSES, use_bias=False),
            )  # fmt: skip
            found = seq2seq.dynamic_decode(decoder, maximum_iterations=7)
            with self.session() as session:
                model.load(session)
                greedy, _, lengths = session.run(found)
        self.assertAllEqual(state.lengths[:, 0], lengths)
        for example, length in enumerate(lengths):
            self.assertAllEqual(
                outputs.predicted_ids[example, :length, 0], greedy.sample_id[example, :length]
            )

    def test_shapes_and_dtypes_are_known_and_the_time_may_be_first(self):
        decoder = Model(0).decoder(3)
        self.assertTrue(decoder.tracks_own_finished)
        outputs, state, lengths = seq2seq.dynamic_decode(
            decoder, output_time_major=True, maximum_iterations=2
        )
        self.assertIsInstance(outputs, seq2seq.FinalBeamSearchDecoderOutput)
        self.assertIsInstance(outputs.beam_search_decoder_output, seq2seq.BeamSearchDecoderOutput)
        self.assertIsInstance(state, seq2seq.BeamSearchDecoderState)
        self.assertEqual(outputs.predicted_ids.shape.as_list(), [None, BATCH, 3])
        self.assertEqual(state.log_probs.shape.as_list(), [BATCH, 3])
        self.assertEqual(state.lengths.dtype, tf.int64)
        self.assertEqual(lengths.dtype, tf.int32)
        self.assertEqual(state.accumulated_attention_probs, ())

    def test_wrong_arguments_are_told(self):
        cell, table = tf.nn.rnn_cell.BasicRNNCell(UNITS), tf.zeros([CLASSES, 2])
        state, decoder = tf.zeros([BATCH * 2, UNITS]), seq2seq.BeamSearchDecoder
        with self.assertRaisesRegex(TypeError, "not an RNNCell"):
            decoder(None, table, [0] * BATCH, END, state, 2)
        with self.assertRaisesRegex(TypeError, "must be a Layer"):
            decoder(cell, table, [0] * BATCH, END, state, 2, output_layer=lambda x: x)
        with self.assertRaisesRegex(ValueError, "start_tokens must be a vector"):
            decoder(cell, table, 0, END, state, 2)
        with self.assertRaisesRegex(ValueError, "end_token must be a scalar"):
            decoder(cell, table, [0] * BATCH, [END], state, 2)
        with self.assertRaisesRegex(ValueError, "no cell is attentional"):
            decoder(
                cell, table, [0] * BATCH, END, state, 2, coverage_penalty_weight=0.1
            ).initialize()
        with self.assertRaises(ValueError):
            decoder(cell, table, [0] * BATCH, END, tf.zeros([BATCH, UNITS]), 2)


class TreesTest(tf.test.TestCase):
    def test_examples_are_repeated_next_to_themselves(self):
        given = (tf.constant([[1, 2], [3, 4]]), [tf.placeholder_with_default([5, 6], [None])])
        found = seq2seq.tile_batch(given, 3)
        self.assertEqual(found[0].shape.as_list(), [6, 2])
        self.assertEqual(found[1][0].shape.as_list(), [None])
        pairs, numbers = self.evaluate([found[0], found[1][0]])
        self.assertAllEqual(pairs, [[1, 2]] * 3 + [[3, 4]] * 3)
        self.assertAllEqual(numbers, [5, 5, 5, 6, 6, 6])
        with self.assertRaisesRegex(ValueError, "statically known rank"):
            seq2seq.tile_batch(tf.constant(1), 2)

    def tree(self, steps, parents, lengths, end):
        """The paths by a loop over each of them."""
        found = np.full_like(steps, end)
        for example, beam in itertools.product(*map(range, steps.shape[1:])):
            at = beam
            for time in range(min(lengths[example], len(steps)) - 1, -1, -1):
                found[time, example, beam] = steps[time, example, at]
                at = parents[time, example, at]
            ends = np.flatnonzero(found[:, example, beam] == end)
            if len(ends):
                found[ends[0] :, example, beam] = end
        return found

    def test_paths_go_from_each_last_beam_through_its_parents(self):
        random = np.random.RandomState(1)
        steps = random.randint(0, 9, [6, 2, 4]).astype(np.int32)
        parents = random.randint(0, 4, [6, 2, 4]).astype(np.int32)
        for lengths in ([6, 3], [9, 0]):
            found = seq2seq.gather_tree(steps, parents, lengths, end_token=8)
            self.assertAllEqual(self.evaluate(found), self.tree(steps, parents, lengths, 8))

    def test_arrays_follow_the_paths_up_to_the_length_of_each_one(self):
        random = np.random.RandomState(2)
        parents = random.randint(0, 3, [5, 2, 3]).astype(np.int32)
        lengths = np.array([[5, 2, 3], [1, 4, 4]])
        values = random.randn(5, 2, 3, 7)
        wanted = values.copy()
        for example, beam in itertools.product(range(2), range(3)):
            at = beam
            for time in range(lengths[example].max() - 1, -1, -1):
                if time < lengths[example, beam]:
                    wanted[time, example, beam] = values[time, example, at]
                at = parents[time, example, at]
        for shape in ([5, 2, 3, 7], [5, 6, 7]):
            found = seq2seq.gather_tree_from_array(values.reshape(shape), parents, lengths)
            self.assertAllEqual(self.evaluate(found), wanted.reshape(shape))


if __name__ == "__main__":
    unittest.main()
