"""Matrices of checkpoints with rows and columns of other vocabularies."""

import pathlib
import unittest

import numpy as np

import troupe as tf

framework = tf.contrib.framework


class Numbers:
    """An initializer that counts on."""

    def __init__(self):
        self.next = 1

    def __call__(self, shape, dtype=None, partition_info=None):
        count = tf.reduce_prod(tf.convert_to_tensor(shape))
        values = tf.py_func(self.take, [count], tf.float32)
        return tf.reshape(values, shape)

    def take(self, count):
        self.next += int(count)
        return np.arange(self.next - count, self.next, dtype=np.float32)


class RemappedMatricesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.get_temp_dir())
        self.old_rows = self.words("old_rows", "mercury venus mars")
        self.new_rows = self.words("new_rows", "venus jupiter mercury")
        self.old_columns = self.words("old_columns", "good better best")
        self.new_columns = self.words("new_columns", "good best fantastic")
        self.saved = np.arange(9, dtype=np.float32).reshape(3, 3) + 100
        with tf.Graph().as_default(), tf.Session() as session:
            tf.get_variable("w", initializer=self.saved)
            tf.get_variable("b", initializer=self.saved[:, :1])
            session.run(tf.global_variables_initializer())
            self.path = tf.train.Saver().save(session, str(self.folder / "model"))

    def words(self, name, text):
        path = self.folder / name
        path.write_text("".join(word + "\n" for word in text.split()))
        return str(path)

    def value(self, shape, initializer, **options):
        variable = tf.get_variable("new", shape, initializer=initializer, **options)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(tf.convert_to_tensor(variable)).tolist()

    def both(self, **options):
        return framework.load_and_remap_matrix_initializer(
            self.path,
            "w",
            3,
            3,
            old_row_vocab_file=self.old_rows,
            new_row_vocab_file=self.new_rows,
            old_col_vocab_file=self.old_columns,
            new_col_vocab_file=self.new_columns,
            **options,
        )

    def test_rows_and_columns_of_known_words_are_those_of_the_checkpoint(self):
        for at_once in (-1, 1):
            with tf.Graph().as_default():
                given = self.both(initializer=Numbers(), max_rows_in_memory=at_once)
                expected = [[103, 105, 1], [2, 3, 4], [100, 102, 5]]
                self.assertEqual(self.value([3, 3], given), expected)

    def test_other_words_follow_with_values_of_the_initializer(self):
        given = self.both(
            num_row_oov_buckets=2,
            num_col_oov_buckets=1,
            initializer=tf.constant_initializer(-1.0),
        )
        expected = [
            [103, 105, -1, -1],
            [-1, -1, -1, -1],
            [100, 102, -1, -1],
            [-1, -1, -1, -1],
            [-1, -1, -1, -1],
        ]
        self.assertEqual(self.value([5, 4], given), expected)

    def test_parts_of_a_variable_take_their_rows(self):
        given = framework.load_embedding_initializer(
            self.path, "w", 3, 3, self.old_rows, self.new_rows, num_oov_buckets=2,
            initializer=tf.zeros_initializer(),
        )  # fmt: skip
        expected = [[103, 104, 105], [0, 0, 0], [100, 101, 102], [0, 0, 0], [0, 0, 0]]
        for parts in (1, 2, 5):
            with tf.Graph().as_default():
                cut = tf.fixed_size_partitioner(parts)
                self.assertEqual(self.value([5, 3], given, partitioner=cut), expected)

    def test_new_words_of_an_embedding_are_drawn(self):
        given = framework.load_embedding_initializer(
            self.path, "w", 3, 3, self.old_rows, self.new_rows, old_vocab_size=2
        )
        rows = self.value([3, 3], given)
        self.assertEqual([rows[0], rows[2]], [[103, 104, 105], [100, 101, 102]])
        self.assertEqual(len(set(rows[1])), 3)
        self.assertLess(max(map(abs, rows[1])), 2)

    def test_biases_and_slots_of_classes_are_taken_too(self):
        bias = framework.load_linear_multiclass_bias_initializer(
            self.path, "b", 3, self.old_rows, self.new_rows, num_class_oov_buckets=1
        )
        self.assertEqual(self.value([4, 1], bias), [[103], [0], [100], [0]])
        part = tf.contrib.framework.load_variable_slot_initializer(
            self.path, "b", None, 3, 1, self.old_rows, self.new_rows
        )
        with tf.Graph().as_default():
            self.assertEqual(self.value([3, 1], part), [[103], [0], [100]])

    def test_what_does_not_fit_is_refused_while_the_graph_is_built(self):
        with self.assertRaisesRegex(ValueError, "of 3 columns"):
            self.both()([3, 4])
        with self.assertRaisesRegex(ValueError, "Trying to initialize 4 rows"):
            self.both()([4, 3])
        with self.assertRaisesRegex(TypeError, "only float32"):
            self.both()([3, 3], tf.float64)
        with self.assertRaisesRegex(TypeError, "initializer must be callable"):
            self.both(initializer=3)
        make = framework.load_and_remap_matrix_initializer
        with self.assertRaisesRegex(ValueError, "Must provide either row or column"):
            make(self.path, "w", 3, 3)([3, 3])
        with self.assertRaisesRegex(ValueError, "must both be specified"):
            make(self.path, "w", 3, 3, old_row_vocab_file=self.old_rows)([3, 3])


if __name__ == "__main__":
    unittest.main()
