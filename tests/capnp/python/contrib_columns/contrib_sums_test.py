"""Weighted sums of columns of `tf.contrib.layers`: their values, variables and trainings."""

import unittest

import numpy as np

import troupe as tf

layers = tf.contrib.layers


class SumsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.features = {
            "x": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
            "word": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "b"], [2, 2]),
        }
        self.x = layers.real_valued_column("x", dimension=2)
        self.word = layers.sparse_column_with_keys("word", ["a", "b"])

    def set_to(self, session, values):
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for variable, value in values:
            variable.load(np.array(value, np.float32), session)

    def test_each_column_has_weights_of_its_own(self):
        total, weights, bias = layers.weighted_sum_from_feature_columns(
            self.features, [self.x, self.word], num_outputs=2
        )
        names = {column.name: [v.op.name for v in parts] for column, parts in weights.items()}
        scope = "weighted_sum_from_feature_columns"
        self.assertEqual(names, {"x": [f"{scope}/x/weight"], "word": [f"{scope}/word/weights"]})
        self.assertEqual(bias.op.name, f"{scope}/bias_weight")
        self.assertEqual(len(tf.model_variables()), 3)
        self.assertEqual(total.shape.as_list(), [2, 2])
        with self.session() as session:
            self.set_to(session, [
                (weights[self.x][0], [[1, 0], [0, 10]]),
                (weights[self.word][0], [[100, 0], [200, 1000]]),
                (bias, [0.5, -0.5]),
            ])  # fmt: skip
            self.assertAllClose(session.run(total), [[301.5, 1019.5], [203.5, 1039.5]])

    def test_categories_are_combined_as_columns_say(self):
        for combiner, wanted in (("sum", 5.0), ("mean", 2.5), ("sqrtn", 5.0 / np.sqrt(2))):
            word = layers.sparse_column_with_keys("word", ["a", "b"], combiner=combiner)
            with self.subTest(combiner), tf.Graph().as_default(), tf.Session() as session:
                features = {"word": tf.constant([["a", "b"]])}
                total, weights, _ = layers.weighted_sum_from_feature_columns(features, [word], 1)
                self.set_to(session, [(weights[word][0], [[2], [3]])])
                self.assertAllClose(session.run(total), [[wanted]])

    def test_weights_of_categories_are_factors(self):
        column = layers.weighted_sparse_column(self.word, "weight", dtype=tf.int32)
        weights = tf.SparseTensor(self.features["word"].indices, [2, 3, 4], [2, 2])
        features = dict(self.features, weight=weights)
        total, table, _ = layers.weighted_sum_from_feature_columns(features, [column], 1)
        with self.session() as session:
            self.set_to(session, [(table[column][0], [[10], [100]])])
            self.assertAllClose(session.run(total), [[320], [400]])

    def test_a_joint_sum_has_one_variable_for_all_categories(self):
        buckets = layers.bucketized_column(self.x, [2.5])
        total, parts, bias = layers.joint_weighted_sum_from_feature_columns(
            self.features, [self.word, buckets], num_outputs=1
        )
        scope = "joint_weighted_sum_from_feature_columns"
        self.assertEqual([v.op.name for v in parts], [f"{scope}/linear_weights/weights"])
        self.assertEqual(parts[0].shape.as_list(), [6, 1])
        with self.session() as session:
            # The buckets are before the words: two of the first number, two of the second one.
            self.set_to(session, [(parts[0], [[1], [2], [4], [8], [16], [32]]), (bias, [0.5])])
            self.assertAllClose(session.run(total), [[1 + 4 + 16 + 32.5], [2 + 8 + 32.5]])

    def test_joint_sums_of_other_columns_are_refused(self):
        mean = layers.sparse_column_with_keys("word", ["a"], combiner="mean")
        weighted = layers.weighted_sparse_column(self.word, "x")
        for column, kind in ((self.x, NotImplementedError), (mean, AssertionError),
                             (weighted, AssertionError)):  # fmt: skip
            with self.assertRaises(kind):
                layers.joint_weighted_sum_from_feature_columns(self.features, [column], 1)
        with self.assertRaisesRegex(ValueError, "not supported in linear models"):
            embedded = layers.embedding_column(self.word, 2)
            layers.weighted_sum_from_feature_columns(self.features, [embedded], 1)

    def test_weights_are_divided_as_the_scope_says(self):
        ids = layers.sparse_column_with_integerized_feature("id", 5)
        features = {"id": tf.constant([[0, 4]])}
        with tf.variable_scope("model", partitioner=tf.fixed_size_partitioner(2)):
            total, weights, _ = layers.weighted_sum_from_feature_columns(
                features, [ids], 1, weight_collections=["own"], scope="sum"
            )
        names = [v.op.name for v in weights[ids]]
        self.assertEqual(names, [f"model/sum/id/weights/part_{at}" for at in range(2)])
        self.assertEqual(len(tf.get_collection("own")), 3)
        with self.session() as session:
            first, second = weights[ids]
            session.run(tf.variables_initializer(tf.get_collection("own")))
            first.load(np.array([[1], [0], [0]], np.float32), session)
            second.load(np.array([[0], [7]], np.float32), session)
            self.assertAllClose(session.run(total), [[8.0]])

    def test_a_sum_is_trained(self):
        total, _, _ = layers.weighted_sum_from_feature_columns(
            self.features, [self.x, self.word], num_outputs=1
        )
        loss = tf.reduce_mean(tf.square(total - [[1.0], [-1.0]]))
        train = tf.train.GradientDescentOptimizer(0.02).minimize(loss)
        with self.session() as session:
            self.set_to(session, [])
            first = session.run(loss)
            for _ in range(200):
                session.run(train)
            self.assertLess(session.run(loss), first / 10)


if __name__ == "__main__":
    unittest.main()
