"""Columns of sequences: their layers, lengths, and what is refused."""

import pathlib
import tempfile
import unittest

import numpy as np

import troupe as tf

fc = tf.feature_column
contrib = tf.contrib.feature_column


def sparse(rows, dtype=np.int64):
    """A sparse tensor with a row for each list."""
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [value for row in rows for value in row]
    width = max(len(row) for row in rows)
    kind = tf.string if dtype is str else tf.as_dtype(dtype)
    return tf.SparseTensor(
        np.array(indices, np.int64).reshape(-1, 2), tf.constant(values, kind), [len(rows), width]
    )


def table(rows):
    return lambda shape, dtype=None, partition_info=None: tf.constant(rows, tf.float32)


class SequencesTest(tf.test.TestCase):
    def run_layer(self, features, columns):
        layer = contrib.sequence_input_layer(features, columns)
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            return session.run(layer)

    def test_each_step_of_a_sequence_has_the_row_of_its_category(self):
        column = fc.sequence_categorical_column_with_identity("id", 3)
        rows = [[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]]
        embedding = fc.embedding_column(column, 2, initializer=table(rows))
        numbers, lengths = self.run_layer({"id": sparse([[2], [0, 1], [], [1]])}, [embedding])
        zero = [0.0, 0.0]
        wanted = [[rows[2], zero], [rows[0], rows[1]], [zero, zero], [rows[1], zero]]
        self.assertAllClose(numbers, wanted)
        self.assertAllEqual(lengths, [1, 2, 0, 1])
        self.assertEqual(lengths.dtype, np.int64)

    def test_the_categories_of_a_step_are_combined_where_the_feature_has_three_axes(self):
        column = fc.sequence_categorical_column_with_identity("id", 3)
        rows = [[1.0], [3.0], [7.0]]
        deep = tf.SparseTensor(
            [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], tf.constant([0, 2, 1, 1], tf.int64),
            [2, 2, 2],
        )  # fmt: skip
        columns = [
            fc.embedding_column(column, 1, combiner="mean", initializer=table(rows)),
            fc.indicator_column(column),
        ]
        numbers, lengths = self.run_layer({"id": deep}, columns)
        wanted = [[[4, 1, 0, 1], [3, 0, 1, 0]], [[3, 0, 1, 0], [0, 0, 0, 0]]]
        self.assertAllClose(numbers, wanted)
        self.assertAllEqual(lengths, [2, 1])

    def test_words_have_categories_by_a_list_a_file_or_their_hash(self):
        words = {"word": sparse([["b", "q"], ["a"]], str)}
        by_list = fc.sequence_categorical_column_with_vocabulary_list("word", ["a", "b"])
        numbers, _ = self.run_layer(words, [fc.indicator_column(by_list)])
        self.assertAllClose(numbers, [[[0, 1], [0, 0]], [[1, 0], [0, 0]]])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "words.txt")
            file.write_text("a\nb\n")
            by_file = fc.sequence_categorical_column_with_vocabulary_file(
                "word", str(file), num_oov_buckets=1
            )
            numbers, _ = self.run_layer(words, [fc.indicator_column(by_file)])
            self.assertAllClose(numbers, [[[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]]])

    def test_words_have_the_hashes_that_they_have_in_other_columns(self):
        words = {"word": sparse([["b", "q"], ["a"]], str)}
        by_hash = fc.sequence_categorical_column_with_hash_bucket("word", 5)
        plain = fc.categorical_column_with_hash_bucket("word", 5)
        numbers, _ = self.run_layer(words, [fc.indicator_column(by_hash)])
        with self.session() as session:
            wanted = session.run(fc.input_layer(words, [fc.indicator_column(plain)]))
        self.assertAllClose(numbers.sum(1), wanted)

    def test_numbers_are_divided_into_steps_of_their_shape(self):
        features = {"x": sparse([[1, 2, 3, 4], [5, 6], [], [7, 8, 9]], np.float32)}
        column = fc.sequence_numeric_column("x", (2,), default_value=-1.0)
        numbers, lengths = self.run_layer(features, [column])
        wanted = [[[1, 2], [3, 4]], [[5, 6], [-1, -1]], [[-1, -1]] * 2, [[7, 8], [9, -1]]]
        self.assertAllClose(numbers, wanted)
        self.assertAllEqual(lengths, [2, 1, 0, 2])

    def test_a_normalizer_is_applied_to_the_sparse_tensor(self):
        def doubled(given):
            return tf.SparseTensor(given.indices, given.values * 2.0, given.dense_shape)

        column = fc.sequence_numeric_column("x", normalizer_fn=doubled)
        numbers, _ = self.run_layer({"x": sparse([[1], [2, 3]], np.float32)}, [column])
        self.assertAllClose(numbers, [[[2], [0]], [[4], [6]]])

    def test_shared_embeddings_of_sequences_have_one_table(self):
        columns = [fc.sequence_categorical_column_with_identity(key, 2) for key in "ab"]
        shared = fc.shared_embedding_columns(columns, 1, initializer=table([[1.0], [2.0]]))
        numbers, _ = self.run_layer({"a": sparse([[0, 1]]), "b": sparse([[1, 1]])}, shared)
        self.assertAllClose(numbers, [[[1, 2], [2, 2]]])
        self.assertEqual(len(tf.trainable_variables()), 1)

    def test_the_sizes_of_a_step_are_known_before_one_runs(self):
        columns = [fc.sequence_numeric_column("x", (2,)), fc.sequence_numeric_column("y")]
        given = {key: tf.sparse_placeholder(tf.float32, [None, None]) for key in "xy"}
        numbers, lengths = contrib.sequence_input_layer(given, columns)
        self.assertEqual(numbers.shape.as_list()[2:], [3])
        self.assertEqual(lengths.shape.rank, 1)

    def test_columns_whose_sequences_differ_in_length_are_an_error_of_the_step(self):
        features = {"x": sparse([[1], [2, 3]], np.float32), "y": sparse([[1, 2], [3]], np.float32)}
        columns = [fc.sequence_numeric_column(key) for key in "xy"]
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.run_layer(features, columns)

    def test_examples_are_parsed_and_a_network_is_trained(self):
        id_column = fc.sequence_categorical_column_with_identity("id", 4)
        columns = [fc.sequence_numeric_column("x"), fc.embedding_column(id_column, 2)]
        examples = []
        for ids in ([0, 1], [2]):
            feature = {
                "id": tf.train.Feature(int64_list=tf.train.Int64List(value=ids)),
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0] * len(ids))),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            examples.append(example.SerializeToString())
        features = tf.parse_example(examples, fc.make_parse_example_spec(columns))
        numbers, lengths = contrib.sequence_input_layer(features, columns)
        context = tf.constant([[1.0], [2.0]])
        both = contrib.concatenate_context_input(context, numbers)
        cell = tf.nn.rnn_cell.GRUCell(3)
        _, state = tf.nn.dynamic_rnn(cell, both, sequence_length=lengths, dtype=tf.float32)
        loss = tf.reduce_mean(tf.square(tf.layers.dense(state, 1) - [[1.0], [-1.0]]))
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(both).shape, (2, 2, 4))
            self.assertAllEqual(session.run(both)[1, :, 3], [2.0, 2.0])
            first = session.run(loss)
            for _ in range(40):
                session.run(train)
            self.assertLess(session.run(loss), first / 10)

    def test_columns_at_the_wrong_layer_are_refused(self):
        ids = {"id": sparse([[0, 1]])}
        of_sequences = fc.sequence_categorical_column_with_identity("id", 2)
        plain = fc.categorical_column_with_identity("id", 2)
        for layer, column, text in (
            (contrib.sequence_input_layer, fc.embedding_column(plain, 2), "SequenceCategorical"),
            (contrib.sequence_input_layer, of_sequences, "must be of type SequenceDenseColumn"),
            (contrib.sequence_input_layer, fc.numeric_column("id"), "SequenceDenseColumn"),
            (fc.input_layer, fc.embedding_column(of_sequences, 2), "those of sequences"),
            (fc.input_layer, fc.indicator_column(of_sequences), "those of sequences"),
            (fc.input_layer, fc.sequence_numeric_column("id"), "must be a DenseColumn"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                layer(ids, [column])
        with self.assertRaisesRegex(TypeError, "must be a SparseTensor"):
            contrib.sequence_input_layer({"x": [[1.0]]}, [fc.sequence_numeric_column("x")])
        with self.assertRaisesRegex(ValueError, "must have rank 2"):
            contrib.concatenate_context_input(tf.zeros([1]), tf.zeros([1, 1, 1]))


if __name__ == "__main__":
    unittest.main()
