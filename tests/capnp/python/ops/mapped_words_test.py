"""Tables of words by `tf.contrib.lookup`, whose functions take a `mapping`."""

import os
import tempfile
import unittest

import troupe as tf

lookup = tf.contrib.lookup
WORDS = ["brain", "salad", "surgery"]


def evaluated(value):
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        return session.run(value)


class MappingsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_words_become_their_places(self):
        table = lookup.index_table_from_tensor(mapping=WORDS, num_oov_buckets=1)
        self.assertEqual(evaluated(table.lookup(tf.constant(["salad", "x"]))).tolist(), [1, 3])
        found = lookup.string_to_index(tf.constant(["x", "brain"]), mapping=WORDS, default_value=9)
        self.assertEqual(evaluated(found).tolist(), [9, 0])
        strings = lookup.string_to_index_table_from_tensor(mapping=WORDS)
        self.assertEqual(evaluated(strings.lookup(tf.constant(["surgery"]))).tolist(), [2])
        with self.assertRaises(ValueError):
            lookup.string_to_index_table_from_tensor(mapping=[1, 2])

    def test_places_become_words(self):
        table = lookup.index_to_string_table_from_tensor(mapping=WORDS)
        places = tf.constant([1, 7], tf.int64)
        self.assertEqual(evaluated(table.lookup(places)).tolist(), [b"salad", b"UNK"])
        found = lookup.index_to_string(places, mapping=WORDS, default_value="?")
        self.assertEqual(evaluated(found).tolist(), [b"salad", b"?"])

    def test_there_must_be_a_mapping(self):
        for function in (lookup.index_table_from_tensor, lookup.index_to_string_table_from_tensor,
                         lookup.string_to_index_table_from_tensor):  # fmt: skip
            with self.assertRaisesRegex(ValueError, "mapping must be specified"):
                function(mapping=None)

    def test_words_of_a_file_become_the_numbers_of_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "words")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(WORDS))
            table = lookup.string_to_index_table_from_file(path, num_oov_buckets=2)
            self.assertEqual(evaluated(table.lookup(tf.constant(["surgery"]))).tolist(), [2])

    def test_tables_of_one_shared_name_are_one_table(self):
        initializer = lookup.KeyValueTensorInitializer(WORDS, [0, 1, 2], tf.string, tf.int64)
        one = lookup.HashTable(initializer, -1, shared_name="words")
        other = lookup.HashTable(initializer, -1, "words")
        alone = lookup.HashTable(initializer, -1)
        with tf.Session() as session:
            session.run(one.init)
            self.assertEqual(session.run(other.size()), 3)
            with self.assertRaises(tf.errors.FailedPreconditionError):
                session.run(alone.lookup(tf.constant(["brain"])))


if __name__ == "__main__":
    unittest.main()
