"""The layer of feature columns of sequences; the numbers are TensorFlow 1.15.5's."""

import multiprocessing
import unittest

import numpy as np

import troupe as tf

PLACES = [[0, 0], [0, 1], [1, 0]]
columns = tf.feature_column


def sparse(values, dtype):
    return tf.SparseTensor(PLACES, tf.constant(values, dtype), [2, 2])


def features():
    return {
        "price": sparse([1, 2, 3], tf.float32), "ids": sparse([1, 2, 3], tf.int64),
        "words": sparse(["a", "b", "a"], tf.string),
    }  # fmt: skip


def layer_of_all():
    ids = columns.sequence_categorical_column_with_identity("ids", 5)
    words = columns.sequence_categorical_column_with_vocabulary_list("words", ["a", "b"])
    return tf.keras.experimental.SequenceFeatures(
        [
            columns.sequence_numeric_column("price"), columns.indicator_column(words),
            columns.embedding_column(ids, 2, initializer=tf.constant_initializer(0.5)),
        ]
    )  # fmt: skip


class Ones(tf.keras.utils.Sequence):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return np.ones((2, 1)), np.ones((2, 1))


class SequenceFeaturesTest(tf.test.TestCase):
    def setUp(self):
        tf.keras.backend.clear_session()

    def run_of(self, fetches):
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            return session.run(fetches)

    def test_it_gives_numbers_of_steps_and_lengths(self):
        layer = layer_of_all()
        numbers, lengths = layer(features())
        again, _ = layer(features())
        names = [each.name for each in layer.trainable_weights]
        self.assertEqual(names, ["sequence_features/ids_embedding/embedding_weights:0"])
        found, found_again, counts = self.run_of([numbers, again, lengths])
        expected = [
            [[0.5, 0.5, 1, 1, 0], [0.5, 0.5, 2, 0, 1]], [[0.5, 0.5, 3, 1, 0], [0] * 5],
        ]  # fmt: skip
        self.assertAllEqual(found, expected)
        self.assertAllEqual(found_again, expected)
        self.assertAllEqual(counts, [2, 1])

    def test_a_recurrent_layer_takes_them(self):
        numbers, lengths = layer_of_all()(features())
        ones = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
        last = tf.keras.layers.SimpleRNN(2, **ones)(numbers, mask=tf.sequence_mask(lengths))
        self.assertAllClose(self.run_of(last), [[0.999988] * 2, [0.999909] * 2])

    def test_it_is_a_layer_of_models(self):
        price = tf.keras.Input((2,), name="price", sparse=True)
        layer = tf.keras.experimental.SequenceFeatures([columns.sequence_numeric_column("price")])
        numbers, lengths = layer({"price": price})
        model = tf.keras.Model(price, [numbers, lengths])
        self.assertEqual(model.output_shape, [(None, None, 1), (None,)])
        feed = tf.SparseTensorValue(PLACES, [1.0, 2.0, 3.0], [2, 2])
        with self.session() as session:
            found, counts = session.run(model.outputs, {price: feed})
        self.assertAllEqual(found, [[[1], [2]], [[3], [0]]])
        self.assertAllEqual(counts, [2, 1])

    def test_columns_of_single_values_are_errors(self):
        with self.assertRaisesRegex(ValueError, "SequenceDenseColumn"):
            tf.keras.experimental.SequenceFeatures([columns.numeric_column("price")])

    def test_its_configuration_makes_another(self):
        layer = layer_of_all()
        made = tf.keras.experimental.SequenceFeatures.from_config(layer.get_config())
        self.assertEqual(made.get_config(), layer.get_config())


class WorkerPoolsTest(tf.test.TestCase):
    def test_the_processes_that_make_batches_end(self):
        before = set(multiprocessing.active_children())
        enqueuer = tf.keras.utils.OrderedEnqueuer(Ones(), use_multiprocessing=True)
        enqueuer.start(workers=2, max_queue_size=2)
        next(enqueuer.get())
        self.assertGreaterEqual(len(set(multiprocessing.active_children()) - before), 2)
        found = tf.keras.experimental.terminate_keras_multiprocessing_pools(5.0)
        self.assertEqual(found, [])
        self.assertEqual(set(multiprocessing.active_children()) - before, set())


if __name__ == "__main__":
    unittest.main()
