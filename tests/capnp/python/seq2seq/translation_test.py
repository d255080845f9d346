"""A network is trained to reverse sequences, and another graph decodes with its checkpoint."""

import os
import unittest

import numpy as np

import troupe as tf

seq2seq = tf.contrib.seq2seq

START, END, FIRST, CLASSES, LENGTH, UNITS = 0, 1, 2, 8, 4, 32


def sequences(random, count):
    return random.randint(FIRST, CLASSES, [count, LENGTH]).astype(np.int32)


class Network:
    """The same variables with the inputs of a training, or with a search of `width` beams."""

    def __init__(self, source, width=None):
        self.batch = tf.shape(source)[0]
        self.table = tf.get_variable("table", [CLASSES, UNITS])
        encoder = tf.nn.rnn_cell.GRUCell(UNITS, name="encoder")
        memory, state = tf.nn.dynamic_rnn(
            encoder, tf.nn.embedding_lookup(self.table, source), dtype=tf.float32
        )
        if width is not None:
            memory, state = seq2seq.tile_batch((memory, state), width)
        attention = seq2seq.LuongAttention(UNITS, memory, scale=True)
        self.cell = seq2seq.AttentionWrapper(
            tf.nn.rnn_cell.GRUCell(UNITS), attention, UNITS, name="attention"
        )
        first = self.cell.zero_state(self.batch * (width or 1), tf.float32)
        self.state = first.clone(cell_state=state)
        self.layer = tf.layers.Dense(CLASSES, use_bias=False, name="output")
        self.width = width

    def loss(self, target):
        starts = tf.fill([self.batch, 1], START)
        inputs = tf.nn.embedding_lookup(self.table, tf.concat([starts, target], 1))
        lengths = tf.fill([self.batch], LENGTH + 1)
        helper = seq2seq.TrainingHelper(inputs, lengths)
        decoder = seq2seq.BasicDecoder(self.cell, helper, self.state, self.layer)
        outputs, _, _ = seq2seq.dynamic_decode(decoder, scope="decoder")
        wanted = tf.concat([target, tf.fill([self.batch, 1], END)], 1)
        weights = tf.ones(tf.shape(wanted), tf.float32)
        return seq2seq.sequence_loss(outputs.rnn_output, wanted, weights)

    def found(self):
        decoder = seq2seq.BeamSearchDecoder(
            self.cell, self.table, tf.fill([self.batch], START), END, self.state, self.width,
            output_layer=self.layer,
        )  # fmt: skip
        outputs, state, _ = seq2seq.dynamic_decode(
            decoder, scope="decoder", maximum_iterations=2 * LENGTH
        )
        return outputs.predicted_ids, state.lengths


class TranslationTest(tf.test.TestCase):
    def train(self, path):
        tf.set_random_seed(1)
        source = tf.placeholder(tf.int32, [None, LENGTH])
        loss = Network(source).loss(tf.reverse(source, [1]))
        step = tf.train.AdamOptimizer(0.01).minimize(loss)
        random = np.random.RandomState(0)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(200):
                last, _ = session.run([loss, step], {source: sequences(random, 32)})
            tf.train.Saver().save(session, path)
        self.assertLess(last, 0.3)

    def test_beams_find_what_a_training_taught_in_another_graph(self):
        path = os.path.join(self.get_temp_dir(), "model")
        with tf.Graph().as_default():
            self.train(path)
        given = sequences(np.random.RandomState(7), 50)
        for width in (1, 4):
            with tf.Graph().as_default():
                source = tf.placeholder(tf.int32, [None, LENGTH])
                found = Network(source, width).found()
                with self.session() as session:
                    tf.train.Saver().restore(session, path)
                    ids, lengths = session.run(found, {source: given})
            wanted = np.hstack([given[:, ::-1], np.full([50, 1], END)])
            self.assertEqual(ids.shape[2], width)
            self.assertGreater((ids[:, : LENGTH + 1, 0] == wanted).all(1).mean(), 0.9)
            self.assertGreater((lengths[:, 0] == LENGTH + 1).mean(), 0.9)


if __name__ == "__main__":
    unittest.main()
