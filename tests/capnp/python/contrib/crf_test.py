"""Conditional random fields, compared with searches and sums over all sequences of tags."""

import itertools
import unittest

import numpy as np

import troupe as tf

crf = tf.contrib.crf
LENGTHS = [4, 1, 3, 0]
TAGS = 3


def potentials(steps=4, seed=0):
    random = np.random.RandomState(seed)
    unary = random.randn(len(LENGTHS), steps, TAGS).astype(np.float32)
    return unary, random.randn(TAGS, TAGS).astype(np.float32)


def score_of(tags, unary, binary):
    found = sum(unary[step, tag] for step, tag in enumerate(tags))
    return found + sum(binary[pair] for pair in zip(tags, tags[1:]))


def all_scores(unary, binary, length):
    """{tags: score} of all sequences of so many steps."""
    every = itertools.product(range(TAGS), repeat=length)
    return {tags: score_of(tags, unary, binary) for tags in every}


def log_sum(scores):
    return np.log(np.sum(np.exp(list(scores))))


class CrfTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.unary, self.binary = potentials()
        self.every = [
            all_scores(row, self.binary, length) for row, length in zip(self.unary, LENGTHS)
        ]
        self.tags = np.random.RandomState(1).randint(TAGS, size=(len(LENGTHS), 4))
        rows = zip(self.tags, self.unary, LENGTHS)
        self.scores = [score_of(tags[:n], unary, self.binary) for tags, unary, n in rows]
        self.norms = [log_sum(scores.values()) for scores in self.every]

    def test_scores_are_sums_along_the_steps_that_a_sequence_has(self):
        for dtype in (np.int32, np.int64):
            tags = self.tags.astype(dtype)
            given = (self.unary, tags, LENGTHS, self.binary)
            self.assertAllClose(self.evaluate(crf.crf_sequence_score(*given)), self.scores)
            unary = self.evaluate(crf.crf_unary_score(tags, LENGTHS, self.unary))
            binary = self.evaluate(crf.crf_binary_score(tags, LENGTHS, self.binary))
            self.assertAllClose(unary + binary, self.scores)
            self.assertAllClose(unary[1], self.unary[1, 0, self.tags[1, 0]])
            self.assertEqual(binary[1], 0)

    def test_norms_are_sums_over_all_sequences(self):
        found = self.evaluate(crf.crf_log_norm(self.unary, LENGTHS, self.binary))
        self.assertAllClose(found[:3], self.norms[:3])
        self.assertEqual(found[3], 0)

    def test_the_probabilities_of_all_sequences_add_up_to_1(self):
        every = np.array(list(itertools.product(range(TAGS), repeat=4)))
        unary = np.repeat(self.unary[:1], len(every), 0)
        found, transitions = crf.crf_log_likelihood(unary, every, [4] * len(every), self.binary)
        self.assertIs(transitions, self.binary)
        self.assertAllClose(np.exp(self.evaluate(found)).sum(), 1.0)

    def test_several_tags_may_be_right(self):
        bitmap = np.random.RandomState(2).rand(*self.unary.shape) < 0.6
        bitmap[..., 0] = True
        given = (self.unary[:3], bitmap[:3], LENGTHS[:3], self.binary)
        found = self.evaluate(crf.crf_multitag_sequence_score(*given))
        for row, scores in enumerate(self.every[:3]):
            allowed = [
                score
                for tags, score in scores.items()
                if all(bitmap[row, step, tag] for step, tag in enumerate(tags))
            ]
            self.assertAllClose(found[row], log_sum(allowed))
        one_hot = np.eye(TAGS, dtype=bool)[self.tags]
        given = (self.unary[:3], one_hot[:3], LENGTHS[:3], self.binary)
        found = self.evaluate(crf.crf_multitag_sequence_score(*given))
        self.assertAllClose(found, self.scores[:3])

    def check_decoded(self, found, scores):
        for row, length in enumerate(LENGTHS[:3]):
            best = max(self.every[row], key=self.every[row].get)
            self.assertEqual(tuple(found[row, :length]), best)
            self.assertAllClose(scores[row], self.every[row][best])
            tags, score = crf.viterbi_decode(self.unary[row, :length], self.binary)
            self.assertEqual(tuple(tags), best)
            self.assertAllClose(score, scores[row])

    def test_the_best_sequence_is_that_of_a_search_of_all(self):
        tags, scores = crf.crf_decode(self.unary, self.binary, LENGTHS)
        self.assertEqual((tags.dtype, tags.shape.as_list()), (tf.int32, [4, 4]))
        self.check_decoded(*self.evaluate([tags, scores]))

    def test_the_number_of_steps_may_be_known_in_the_step_only(self):
        given = tf.placeholder(tf.float32, [None, None, TAGS])
        lengths = tf.placeholder(tf.int32, [None])
        tags = tf.placeholder(tf.int32, [None, None])
        score, _ = crf.crf_log_likelihood(given, tags, lengths, self.binary)
        decoded = crf.crf_decode(given, self.binary, lengths)
        (slope,) = tf.gradients(score, given)
        with self.session() as session:
            feed = {given: self.unary, tags: self.tags, lengths: LENGTHS}
            found, best = session.run([score, decoded], feed)
            self.assertAllClose(found[:3], np.subtract(self.scores, self.norms)[:3])
            self.check_decoded(*best)
            one = {given: self.unary[:, :1], tags: self.tags[:, :1], lengths: [1, 1, 1, 0]}
            found, (best, _), slopes = session.run([score, decoded, slope], one)
        first = self.unary[:, 0]
        chosen = np.eye(TAGS)[self.tags[:, 0]]
        shares = np.exp(first) / np.exp(first).sum(1, keepdims=True)
        self.assertAllClose(found[:3], np.log((shares * chosen).sum(1))[:3])
        self.assertEqual(found[3], 0)
        self.assertEqual(best[:3, 0].tolist(), first[:3].argmax(1).tolist())
        self.assertAllClose(slopes[:3, 0], (chosen - shares)[:3])

    def test_the_gradient_of_the_norm_is_the_probability_of_each_tag(self):
        given = tf.constant(self.unary)
        binary = tf.constant(self.binary)
        norm = crf.crf_log_norm(given, LENGTHS, binary)
        unary_slope, binary_slope = self.evaluate(tf.gradients(norm, [given, binary]))
        tags, pairs = np.zeros_like(self.unary), np.zeros_like(self.binary)
        for row, (scores, total) in enumerate(zip(self.every[:3], self.norms)):
            for each, score in scores.items():
                chance = np.exp(score - total)
                for step, tag in enumerate(each):
                    tags[row, step, tag] += chance
                for pair in zip(each, each[1:]):
                    pairs[pair] += chance
        self.assertAllClose(unary_slope, tags)
        self.assertAllClose(binary_slope, pairs)


class TaggerTest(tf.test.TestCase):
    def test_a_tagger_of_two_directions_learns(self):
        random = np.random.RandomState(3)
        words = random.randint(6, size=(8, 5))
        tags = (words + np.roll(words, 1, 1) % 2) % TAGS
        lengths = random.randint(2, 6, size=8)
        table = tf.get_variable("table", [6, 8])
        cells = [tf.nn.rnn_cell.LSTMCell(8) for _ in range(2)]
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(
            *cells, tf.nn.embedding_lookup(table, words), lengths, dtype=tf.float32
        )
        logits = tf.layers.dense(tf.concat(outputs, -1), TAGS)
        likelihood, transitions = crf.crf_log_likelihood(logits, tags, lengths)
        self.assertEqual(transitions.name, "transitions:0")
        loss = -tf.reduce_mean(likelihood)
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        decoded, _ = crf.crf_decode(logits, transitions, lengths)
        mask = np.arange(5) < lengths[:, None]
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            before, started = session.run([loss, transitions])
            for _ in range(150):
                session.run(train)
            after, found, ended = session.run([loss, decoded, transitions])
        self.assertLess(after, before / 4)
        self.assertGreater(np.mean((found == tags)[mask]), 0.9)
        self.assertNotAllClose(started, ended)


if __name__ == "__main__":
    unittest.main()
