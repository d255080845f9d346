"""Tables: static ones, those of vocabularies, and those that change."""

import os

import numpy as np

import troupe as tf
from troupe.contrib import lookup


class TablesTest(tf.test.TestCase):
    def file(self, *lines):
        path = os.path.join(self.get_temp_dir(), self.id())
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        return path

    def words(self):
        return tf.lookup.KeyValueTensorInitializer(["brain", "salad", "surgery"], [0, 1, 2])

    def run_initialized(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            return session.run(fetches, feeds)


class StaticTablesTest(TablesTest):
    def test_keys_have_their_values_and_others_the_default(self):
        table = tf.lookup.StaticHashTable(self.words(), -1)
        found = table.lookup(tf.constant([["brain", "tank"], ["salad", "brain"]]))
        self.assertEqual(found.shape.as_list(), [2, 2])
        self.assertAllEqual(self.run_initialized(found), [[0, -1], [1, 0]])
        self.assertEqual(self.run_initialized(table.size()), 3)
        keys, values = self.run_initialized(table.export())
        self.assertAllEqual(keys, [b"brain", b"salad", b"surgery"])
        self.assertAllEqual(values, [0, 1, 2])
        self.assertEqual((table.key_dtype, table.value_dtype), (tf.string, tf.int32))

    def test_a_table_must_be_initialized(self):
        table = tf.lookup.StaticHashTable(self.words(), -1)
        found = table.lookup(tf.constant(["brain"]))
        with tf.Session() as session:
            with self.assertRaisesRegex(
                tf.errors.FailedPreconditionError, "Table not initialized."
            ):
                session.run(found)
            session.run(table.initializer)
            session.run(table.initializer)
            self.assertAllEqual(session.run(found), [0])

    def test_the_initializers_are_in_a_collection(self):
        table = tf.lookup.StaticHashTable(self.words(), -1)
        collected = tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
        self.assertEqual([op.name for op in collected], [table.initializer.name])
        self.assertEqual(tf.tables_initializer().type, "NoOp")

    def test_sparse_keys_give_sparse_values(self):
        table = tf.lookup.StaticHashTable(self.words(), -1)
        keys = tf.SparseTensor([[0, 0], [2, 1]], ["salad", "tank"], [3, 2])
        found = self.run_initialized(table.lookup(keys))
        self.assertAllEqual(found.indices, [[0, 0], [2, 1]])
        self.assertAllEqual(found.values, [1, -1])
        self.assertAllEqual(found.dense_shape, [3, 2])

    def test_keys_of_another_dtype_and_duplicates_are_refused(self):
        table = tf.lookup.StaticHashTable(self.words(), -1)
        with self.assertRaisesRegex(TypeError, "Signature mismatch. Keys must be dtype"):
            table.lookup(tf.constant([1]))
        twice = tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2])
        table = tf.lookup.StaticHashTable(twice, -1)
        with self.assertRaisesRegex(
            tf.errors.FailedPreconditionError, "different value for same key"
        ):
            with tf.Session() as session:
                session.run(table.initializer)

    def test_tables_are_filled_by_monitored_sessions(self):
        table = tf.lookup.StaticHashTable(self.words(), -1)
        found = table.lookup(tf.constant(["salad"]))
        with tf.train.MonitoredSession() as session:
            self.assertAllEqual(session.run(found), [1])

    def test_files(self):
        path = self.file("brain 4", "salad 5")
        columns = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=" ")
        by_line = tf.lookup.TextFileInitializer(
            path, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
            tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
        )  # fmt: skip
        table = tf.lookup.StaticHashTable(columns, -1)
        lines = tf.lookup.StaticHashTable(by_line, "none")
        self.assertAllEqual(
            self.run_initialized(table.lookup(tf.constant(["salad", "x"]))), [5, -1]
        )
        self.assertAllEqual(
            self.run_initialized(lines.lookup(tf.constant([0, 7], tf.int64))), [b"brain 4", b"none"]
        )
        self.assertEqual(len(tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)), 2)

    def test_columns_that_cannot_be(self):
        index = tf.lookup.TextFileIndex
        for arguments in (
            ("", tf.string, 0, tf.int64, 1),
            ("f", tf.string, -3, tf.int64, 1),
            ("f", tf.string, index.LINE_NUMBER, tf.int64, 1),
            ("f", tf.string, 0, tf.int64, index.WHOLE_LINE),
            ("f", tf.string, 0, tf.int64, 1, 0),
        ):
            with self.assertRaises(ValueError):
                tf.lookup.TextFileInitializer(*arguments)


class VocabularyTest(TablesTest):
    def ids(self, table, words):
        return self.run_initialized(table.lookup(tf.constant(words))).tolist()

    def test_unknown_words_get_numbers_by_their_hash(self):
        words = tf.lookup.KeyValueTensorInitializer(["emerson", "lake", "palmer"],
                                                    np.arange(3, dtype=np.int64))  # fmt: skip
        table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=3)
        # As TensorFlow answers.
        asked = ["emerson", "lake", "palmer", "king", "crimson"]
        self.assertEqual(self.ids(table, asked), [0, 1, 2, 4, 3])
        self.assertEqual(self.run_initialized(table.size()), 6)
        hashed = tf.lookup.StaticVocabularyTable(None, num_oov_buckets=5)
        self.assertEqual(self.ids(hashed, ["a", "b"]), [4, 2])
        self.assertEqual(self.run_initialized(hashed.size()), 5)

    def test_vocabularies_from_tensors_and_files(self):
        words = ["emerson", "lake", "palmer"]
        path = self.file(*words)
        for make in (
            lambda **more: lookup.index_table_from_tensor(words, **more),
            lambda **more: lookup.index_table_from_file(path, **more),
        ):
            self.assertEqual(self.ids(make(), ["lake", "x"]), [1, -1])
            self.assertEqual(self.ids(make(default_value=9), ["lake", "x"]), [1, 9])
            self.assertEqual(self.ids(make(num_oov_buckets=1), ["lake", "x"]), [1, 3])
            strong = make(num_oov_buckets=4, hasher_spec=lookup.StrongHashSpec([3, 5]))
            self.assertIn(self.ids(strong, ["x"])[0], range(3, 7))
            with self.assertRaises(ValueError):
                make(num_oov_buckets=-1)
        for table in (
            lookup.index_to_string_table_from_tensor(words),
            lookup.index_to_string_table_from_file(path),
        ):
            found = self.run_initialized(table.lookup(tf.constant([2, 3], tf.int64)))
            self.assertEqual(found.tolist(), [b"palmer", b"UNK"])

    def test_numbers_as_words(self):
        table = lookup.index_table_from_tensor([42, 1, -11], num_oov_buckets=2, dtype=tf.int32)
        ids = self.ids(table, [1, 42, 7])
        self.assertEqual(ids[:2], [1, 0])
        self.assertIn(ids[2], (3, 4))

    def test_what_makes_no_vocabulary(self):
        with self.assertRaises(ValueError):
            lookup.index_table_from_file("")
        with self.assertRaises(ValueError):
            lookup.index_table_from_tensor(None)
        with self.assertRaises(TypeError):
            lookup.index_table_from_tensor([1.5], dtype=tf.float32)
        with self.assertRaises(ValueError):
            lookup.index_table_from_file("f", vocab_size=0)
        with self.assertRaises(ValueError):
            tf.lookup.StaticVocabularyTable(None, 0)
        with self.assertRaises(TypeError):
            lookup.IdTableWithHashBuckets(None, 1, hasher_spec=1)
        path = self.file("a")
        table = lookup.index_table_from_file(path, vocab_size=2)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Invalid vocab_size"):
            with tf.Session() as session:
                session.run(table.init)


class MutableTablesTest(TablesTest):
    def test_entries_come_and_go(self):
        table = lookup.MutableHashTable(tf.string, tf.int64, -1)
        found = table.lookup(["a", "b"])
        with tf.Session() as session:
            self.assertAllEqual(session.run(found), [-1, -1])
            session.run(table.insert(["a", "b", "a"], [1, 2, 3]))
            self.assertAllEqual(session.run(found), [3, 2])
            session.run(table.remove(tf.constant(["a"])))
            self.assertAllEqual(session.run(found), [-1, 2])
            self.assertEqual(session.run(table.size()), 1)
            keys, values = session.run(table.export())
            self.assertEqual((keys.tolist(), values.tolist()), ([b"b"], [2]))
        with self.assertRaises(TypeError):
            table.remove(tf.constant([1]))

    def test_values_may_be_vectors(self):
        table = lookup.MutableHashTable(tf.int64, tf.float32, [0.0, -1.0])
        found = table.lookup([5, 6])
        self.assertEqual(found.shape.as_list(), [2, 2])
        with tf.Session() as session:
            session.run(table.insert([6], [[3.0, 4.0]]))
            self.assertAllEqual(session.run(found), [[0, -1], [3, 4]])
            with self.assertRaises((ValueError, tf.errors.InvalidArgumentError)):
                session.run(table.insert([6], [3.0]))
        with self.assertRaisesRegex(
            tf.errors.InvalidArgumentError, "Default value must be a vector"
        ):
            with tf.Session() as session:
                session.run(lookup.MutableHashTable(tf.int64, tf.float32, [[0.0]]).size())

    def test_dense_tables_have_vectors_as_keys(self):
        table = tf.lookup.experimental.DenseHashTable(
            tf.int64, tf.float32, default_value=-1.0, empty_key=[0, 0], deleted_key=[-1, -1],
            initial_num_buckets=8,
        )  # fmt: skip
        found = table.lookup([[0, 1], [1, 0], [2, 2]])
        self.assertEqual(found.shape.as_list(), [3])
        with tf.Session() as session:
            session.run(table.insert([[0, 1], [1, 0]], [1.0, 2.0]))
            self.assertAllEqual(session.run(found), [1, 2, -1])
            session.run(table.erase(tf.constant([[0, 1]], tf.int64)))
            self.assertAllEqual(session.run(found), [-1, 2, -1])
            self.assertEqual(session.run(table.size()), 1)
            keys, values = session.run(table.export())
            self.assertEqual((keys.shape, values.shape), ((8, 2), (8, 1)))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "empty_key"):
                session.run(table.insert([[0, 0]], [1.0]))


if __name__ == "__main__":
    tf.test.main()
