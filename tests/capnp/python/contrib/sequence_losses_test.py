"""Losses of sequences, and the older decoder."""

import unittest

import numpy as np

import troupe as tf


def cross_entropy(logits, targets):
    shifted = logits - logits.max(-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return -np.take_along_axis(logs, targets[..., None], -1)[..., 0]


class SequenceLossTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        random = np.random.RandomState(0)
        self.logits = random.randn(2, 3, 4).astype(np.float32)
        self.targets = random.randint(4, size=(2, 3))
        self.weights = np.array([[1, 1, 0], [0.5, 0, 0]], np.float32)
        self.losses = cross_entropy(self.logits, self.targets) * self.weights

    def loss(self, **options):
        given = [tf.constant(each) for each in (self.logits, self.targets, self.weights)]
        return self.evaluate(tf.contrib.seq2seq.sequence_loss(*given, **options))

    def test_losses_are_averaged_across_both_axes_one_or_none(self):
        no = {"average_across_timesteps": False, "average_across_batch": False}
        self.assertAllClose(self.loss(), self.losses.sum() / 2.5)
        self.assertAllClose(self.loss(**no), self.losses)
        over_time = self.losses.sum(1) / [2.0, 0.5]
        self.assertAllClose(self.loss(average_across_batch=False), over_time)
        sums = {"sum_over_timesteps": True, "sum_over_batch": True}
        self.assertAllClose(self.loss(**no, **sums), self.losses.sum() / 3)

    def test_wrong_ranks_and_options_are_refused(self):
        with self.assertRaisesRegex(ValueError, "averaged or added"):
            self.loss(sum_over_batch=True)
        with self.assertRaisesRegex(ValueError, "3-dimensional"):
            tf.contrib.seq2seq.sequence_loss(*[tf.zeros([2, 3])] * 3)

    def test_the_older_functions_take_a_list_of_time_steps(self):
        steps = [
            [tf.constant(each) for each in values.swapaxes(0, 1)]
            for values in (self.logits, self.targets, self.weights)
        ]
        module = tf.contrib.legacy_seq2seq
        by_example = self.losses.sum(1) / [2.0, 0.5]
        self.assertAllClose(self.evaluate(module.sequence_loss_by_example(*steps)), by_example)
        self.assertAllClose(self.evaluate(module.sequence_loss(*steps)), by_example.mean())

    def test_a_decoder_runs_one_cell_over_its_own_outputs(self):
        cell = tf.nn.rnn_cell.BasicRNNCell(2)
        inputs = [tf.ones([1, 2])] + [tf.zeros([1, 2])] * 2
        seen = []

        def loop(previous, index):
            seen.append(index)
            return previous

        outputs, state = tf.contrib.legacy_seq2seq.rnn_decoder(
            inputs, cell.zero_state(1, tf.float32), cell, loop
        )
        self.assertEqual((seen, len(tf.trainable_variables())), ([1, 2], 2))
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            found, last = session.run([outputs, state])
        self.assertAllClose(found[2], last)


if __name__ == "__main__":
    unittest.main()
