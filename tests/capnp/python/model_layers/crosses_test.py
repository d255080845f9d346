"""Crosses of features by `tf.contrib.layers`, and embeddings of hashes."""

import itertools
import unittest

import numpy as np

import troupe as tf
import troupe.python  # makes modules at their places in TensorFlow's source
from troupe.contrib.layers.python.layers import embedding_ops  # isort: skip
from troupe.contrib.layers.python.ops import sparse_feature_cross_op  # isort: skip

layers = tf.contrib.layers
cross = sparse_feature_cross_op.sparse_feature_cross
KEY = layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY


def evaluated(value):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(value)


def sparse(rows, dtype=None):
    """A sparse tensor of lists of values."""
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = tf.constant([value for row in rows for value in row], dtype)
    width = max(map(len, rows))
    return tf.SparseTensor(np.array(places).reshape(-1, 2), values, [len(rows), width])


def hash_of(numbers):
    """The hash of before there were keys, in whole numbers."""
    found = 0xDECAFCAFFE
    for number in numbers:
        signed = found - 2**64 if found >= 2**63 else found
        found ^= (number + 0x9E3779B97F4A7800 + (found << 10) + (signed >> 4)) % 2**64
        found %= 2**64
    return found


class CrossesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_strings_are_joined(self):
        found = evaluated(cross([sparse([["a"], ["b", "c"]]), tf.constant([[1, 2], [3, 4]])]))
        self.assertEqual(
            found.values.tolist(), [b"a_X_1", b"a_X_2", b"b_X_3", b"b_X_4", b"c_X_3", b"c_X_4"]
        )
        self.assertEqual(found.dense_shape.tolist(), [2, 4])

    def test_hashes_without_a_key_are_those_of_older_programs(self):
        one, other = [[5, -7], [], [2**62]], [[1], [2], [3, 4, -(2**63)]]
        for buckets in (0, 1000, 2**62 + 1):
            found = evaluated(
                cross([sparse(one, tf.int64), sparse(other, tf.int64)], True, buckets)
            )
            wanted = [
                hash_of(pair) % (buckets or 2**63 - 1)
                for left, right in zip(one, other)
                for pair in itertools.product(left, right)
            ]
            self.assertEqual(found.values.tolist(), wanted)
            self.assertEqual(found.indices.tolist(), [[0, 0], [0, 1], [2, 0], [2, 1], [2, 2]])
            self.assertEqual(found.dense_shape.tolist(), [3, 3])

    def test_dense_columns_are_crossed_without_a_key(self):
        dense = np.array([[1, 2], [3, 4]])
        found = evaluated(cross([tf.constant(dense), sparse([[8], [9]], tf.int64)], True, 50))
        wanted = [hash_of(pair) % 50 for pair in ((8, 1), (8, 2), (9, 3), (9, 4))]
        self.assertEqual(found.values.tolist(), wanted)

    def test_texts_are_hashed_by_their_fingerprints(self):
        # TensorFlow's value for these three texts.
        columns = [sparse([[f"batch1-FC{i}-F1"]]) for i in (1, 2, 3)]
        self.assertEqual(evaluated(cross(columns, True, 100)).values.tolist(), [74])
        found = evaluated(cross(columns, True, 100, hash_key=KEY)).values
        self.assertEqual(found.tolist(), [83])

    def test_wrong_inputs_are_errors(self):
        with self.assertRaises(TypeError):
            cross(tf.constant([["a"]]))
        with self.assertRaises(TypeError):
            cross([[["a"]]])


class ScatteredEmbeddingsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_each_element_is_the_weight_of_a_hash(self):
        weights = np.arange(13, dtype=np.float32)
        found = evaluated(layers.scattered_embedding_lookup(weights, np.array([[4], [6]]), 3))
        wanted = [[[hash_of((i, value)) % 13 for i in range(3)]] for value in (4, 6)]
        self.assertEqual(found.tolist(), wanted)

    def test_weights_are_in_parts(self):
        weights, values = np.arange(13, dtype=np.float32), tf.constant(["a", "b", "c"])
        whole = layers.scattered_embedding_lookup(weights, values, 5, hash_key=KEY)
        parts = [weights[:5], weights[5:9], weights[9:]]
        divided = layers.scattered_embedding_lookup(parts, values, 5, hash_key=KEY)
        found = evaluated([whole, divided])
        self.assertEqual(found[0].tolist(), found[1].tolist())
        with self.assertRaisesRegex(ValueError, "size"):
            layers.scattered_embedding_lookup([weights[:4], weights[4:]], values, 5)

    def test_sparse_values_are_combined(self):
        weights, values = np.arange(13, dtype=np.float32), sparse([["a", "b"], ["c"], []])
        each = evaluated(layers.scattered_embedding_lookup(weights, ["a", "b", "c"], 4))
        for combiner, divisor in (("sum", 1), ("mean", 2), ("sqrtn", 2**0.5)):
            found = evaluated(
                layers.scattered_embedding_lookup_sparse(weights, values, 4, combiner)
            )
            np.testing.assert_allclose(found[0], (each[0] + each[1]) / divisor, rtol=1e-6)
            np.testing.assert_array_equal(found[1], each[2])
        self.assertEqual(found.shape, (3, 4))
        with self.assertRaises(ValueError):
            layers.scattered_embedding_lookup_sparse(weights, values, 4, "most")
        with self.assertRaises(TypeError):
            layers.scattered_embedding_lookup_sparse(weights, ["a"], 4)

    def test_some_elements_are_looked_up(self):
        weights, values = np.arange(13, dtype=np.float32), tf.constant(["a", "b"])
        every = evaluated(layers.scattered_embedding_lookup(weights, values, 6))
        some = embedding_ops._sampled_scattered_embedding_lookup(
            weights, values, sampled_candidates=[[0, 5], [3, 3]]
        )
        self.assertEqual(
            evaluated(some).tolist(), [[every[0, 0], every[0, 5]], [every[1, 3], every[1, 3]]]
        )
        wrong = embedding_ops._sampled_scattered_embedding_lookup(
            weights, values, sampled_candidates=[[0, 5]]
        )
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "does not match"):
            evaluated(wrong)

    def test_some_elements_of_sparse_values_are_added_with_signs(self):
        values = sparse([["a", "b"], [], ["a"]])
        look_up = embedding_ops._sampled_scattered_embedding_lookup_sparse
        plain, signed = evaluated(
            [
                look_up(np.float32([2.0]), values, dimension=9, with_sign_hash=sign)
                for sign in (False, True)
            ]
        )
        self.assertEqual(plain.tolist(), [[4] * 9, [0] * 9, [2] * 9])
        self.assertEqual(set(np.abs(signed[2])), {2})
        self.assertLess(signed.min(), 0)
        self.assertGreater(signed.max(), 0)

    def test_a_length_is_needed(self):
        with self.assertRaises(ValueError):
            layers.scattered_embedding_lookup([1.0], ["a"], None)
        with self.assertRaises(ValueError):
            layers.scattered_embedding_lookup([1.0], ["a"], 0)


class DistributedSumsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.table = np.random.RandomState(3).rand(10, 2).astype(np.float32)
        self.ids = sparse([[1, 7, 1], [4], [9, 2]], tf.int64)
        self.weights = sparse([[1.0, 2, 0.5], [3], [1, 1]], tf.float32)

    def parts(self, strategy):
        if strategy == "mod":
            return [tf.constant(self.table[i::3]) for i in range(3)]
        return [tf.constant(part) for part in np.split(self.table, [4, 7])]

    def test_sums_are_those_of_the_whole_table(self):
        for strategy, combiner, weights, norm in itertools.product(
            ("mod", "div"), ("sum", "mean", "sqrtn"), (None, self.weights), (None, 0.5)
        ):
            found = layers.embedding_lookup_sparse_with_distributed_aggregation(
                self.parts(strategy), self.ids, weights, strategy, None, combiner, norm
            )
            wanted = tf.nn.embedding_lookup_sparse(
                tf.constant(self.table), self.ids, weights, combiner=combiner, max_norm=norm
            )
            np.testing.assert_allclose(*evaluated([found, wanted]), rtol=1e-5)

    def test_gradients_are_those_of_the_whole_table(self):
        parts, whole = self.parts("mod"), tf.constant(self.table)
        found = layers.embedding_lookup_sparse_with_distributed_aggregation(
            parts, self.ids, self.weights, combiner="sqrtn"
        )
        wanted = tf.nn.embedding_lookup_sparse(whole, self.ids, self.weights, combiner="sqrtn")
        of_parts = evaluated([tf.convert_to_tensor(g) for g in tf.gradients(found**2, parts)])
        of_whole = evaluated(tf.convert_to_tensor(tf.gradients(wanted**2, whole)[0]))
        for i, part in enumerate(of_parts):
            np.testing.assert_allclose(part, of_whole[i::3], rtol=1e-5)

    def test_wrong_arguments_are_errors(self):
        look_up = layers.embedding_lookup_sparse_with_distributed_aggregation
        with self.assertRaises(ValueError):
            look_up(self.table, self.ids, None, combiner="most")
        with self.assertRaises(TypeError):
            look_up(self.table, [1], None)
        with self.assertRaises(ValueError):
            look_up(self.table, self.ids, sparse([[1.0], [2.0]]))

    def test_parts_of_other_dtypes_are_errors(self):
        parts = [self.table, self.table.astype(np.float64)]
        with self.assertRaises(ValueError):
            layers.safe_embedding_lookup_sparse(parts, self.ids, combiner="sum")
        with self.assertRaises(ValueError):
            layers.safe_embedding_lookup_sparse(
                [tf.constant(parts[1])], self.ids, self.weights, combiner="sum"
            )


if __name__ == "__main__":
    unittest.main()
