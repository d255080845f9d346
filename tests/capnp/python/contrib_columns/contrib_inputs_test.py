"""The numbers that columns of `tf.contrib.layers` give to networks, and their variables."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf
import troupe.python  # makes modules at their places in TensorFlow's source
from troupe.contrib.layers.python.layers import feature_column as fc  # isort: skip

layers = tf.contrib.layers


def rows(shape, dtype=None, partition_info=None):
    """The numbers of rows in them, so that one sees which rows a network gets."""
    number = tf.reshape(tf.range(shape[0], dtype=tf.float32), [-1, 1])
    return tf.tile(number, [1, shape[1]])


def evaluated(tensor):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(tensor)


class InputsTest(tf.test.TestCase):
    def test_columns_are_beside_one_another_in_the_order_of_their_keys(self):
        price = layers.real_valued_column("price", normalizer=lambda x: x * 2.0)
        ids = layers.sparse_column_with_integerized_feature("id", 4)
        embedded = layers.embedding_column(ids, 2, combiner="sum", initializer=rows)
        buckets = layers.bucketized_column(price, [5.0])
        features = {"price": tf.constant([[1.0], [3.0]]), "id": tf.constant([[1, 6], [-1, 3]])}
        parts = {}
        found = layers.input_from_feature_columns(
            features, [price, embedded, buckets, layers.one_hot_column(ids)], cols_to_outs=parts
        )
        # _Bucketized, _Embedding, _OneHot, _RealValued; an id of -1 is none, and 6 is 2 of 4.
        self.assertAllEqual(
            evaluated(found), [[1, 0, 3, 3, 0, 1, 1, 0, 2], [0, 1, 3, 3, 0, 0, 0, 1, 6]]
        )
        self.assertEqual(found.shape.as_list(), [2, 9])
        self.assertAllEqual(evaluated(parts[embedded]), [[3, 3], [3, 3]])
        self.assertEqual(
            [v.op.name for v in tf.model_variables()],
            ["input_from_feature_columns/id_embedding/weights"],
        )
        self.assertEqual(set(features), {"price", "id"})

    def test_words_have_the_categories_of_their_vocabulary(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "words")
            with open(path, "w") as file:
                file.write("c\n7\n")
            for column, wanted in (
                (layers.sparse_column_with_keys("w", ["a", "b"]), [[1, 0], [0, 1]]),
                (layers.sparse_column_with_keys("w", ["a", "b"], default_value=0),
                 [[2, 0], [0, 1]]),
                (layers.sparse_column_with_vocabulary_file("w", path, vocab_size=2),
                 [[1, 0], [0, 0]]),
                (layers.sparse_column_with_vocabulary_file("w", path, 1, vocab_size=2),
                 [[1, 0, 1], [0, 0, 1]]),
                (layers.sparse_column_with_hash_bucket("w", 3), [[1, 1, 0], [0, 1, 0]]),
            ):  # fmt: skip
                with self.subTest(column), tf.Graph().as_default():
                    found = layers.input_from_feature_columns(
                        {"w": tf.constant([["a", "c"], ["b", ""]])}, [layers.one_hot_column(column)]
                    )
                    self.assertAllEqual(evaluated(found), wanted)
            numbers = {"n": tf.constant([[7, 5]], tf.int64)}
            for column, wanted in (
                (layers.sparse_column_with_vocabulary_file("n", path, vocab_size=2, dtype=tf.int64),
                 [[0, 1]]),
                (layers.sparse_column_with_keys("n", [5, 6, 7], dtype=tf.int64), [[1, 0, 1]]),
            ):  # fmt: skip
                found = layers.input_from_feature_columns(numbers, [layers.one_hot_column(column)])
                self.assertAllEqual(evaluated(found), wanted)

    def test_words_and_numbers_have_the_hashes_of_the_op(self):
        for values, kind in ((["a", "b", "c"], tf.string), ([7, 8, 9], tf.int64)):
            column = layers.sparse_column_with_hash_bucket("w", 1000, dtype=kind)
            made = layers.transform_features({"w": tf.constant([values], kind)}, [column])[column]
            texts = [str(value) for value in values]
            wanted = tf.string_to_hash_bucket_fast(texts, 1000)
            self.assertAllEqual(*self.evaluate([made.values, wanted]))

    def test_a_word_has_a_hash_for_each_pair_of_keys(self):
        keys = [[1, 2], [3, 4]]
        column = layers.sparse_column_with_hash_bucket("w", 50, hash_keys=keys)
        made = layers.transform_features({"w": tf.constant([["a"], ["b"]])}, [column])[column]
        each = [tf.string_to_hash_bucket_strong(["a", "b"], 50, key) for key in keys]
        dense = tf.sparse_tensor_to_dense(made)
        self.assertAllEqual(*self.evaluate([dense, tf.transpose(tf.stack(each))]))

    def test_weights_of_categories_are_in_embeddings_and_one_hot_numbers(self):
        ids = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0]], ["b", "b", "z", "a"], [2, 3])
        weights = tf.SparseTensor(ids.indices, [1.0, 2.0, 9.0, 0.5], [2, 3])
        word = layers.sparse_column_with_keys("word", ["a", "b"])
        column = layers.weighted_sparse_column(word, "weight")
        features = {"word": ids, "weight": weights}
        hot = layers.input_from_feature_columns(features, [layers.one_hot_column(column)])
        self.assertAllClose(evaluated(hot), [[0.0, 3.0], [0.5, 0.0]])
        embedded = layers.embedding_column(column, 1, combiner="sum", initializer=rows)
        self.assertAllClose(
            evaluated(layers.input_from_feature_columns(features, [embedded])), [[3.0], [0.0]]
        )

    def test_embeddings_of_one_name_are_one_variable(self):
        a, b = (layers.sparse_column_with_integerized_feature(name, 3) for name in "ab")
        shared = layers.shared_embedding_columns([a, b], 2, initializer=rows)
        features = {"a": tf.constant([[1]]), "b": tf.constant([[2]])}
        found = layers.input_from_feature_columns(features, shared)
        self.assertAllClose(evaluated(found), [[1, 1, 2, 2]])
        self.assertEqual(
            [v.op.name for v in tf.global_variables()],
            ["input_from_feature_columns/a_shared_embedding/a_b_shared_embedding"],
        )
        name = "a_b_shared_embedding"
        other = layers.shared_embedding_columns([a, b], 3, shared_embedding_name=name)
        with self.assertRaisesRegex(ValueError, "does not match required"):
            layers.input_from_feature_columns(features, other)

    def test_words_without_a_vocabulary_share_weights(self):
        column = layers.scattered_embedding_column("word", 20, 3, hash_key=7, combiner="sum")
        features = {"word": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "a"], [2, 2])}
        found = layers.input_from_feature_columns(features, [column])
        table = tf.global_variables()[0]
        scope = "input_from_feature_columns"
        self.assertEqual(table.op.name, f"{scope}/word_scattered_embedding/weights")
        self.assertEqual(table.shape.as_list(), [20])
        each = layers.scattered_embedding_lookup(table, tf.constant(["a", "b"]), 3, hash_key=7)
        numbers, (a, b) = evaluated([found, each])
        self.assertAllClose(numbers, [a, a + b])

    def test_vectors_begin_with_those_of_a_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            with tf.Graph().as_default(), tf.Session() as session:
                tf.get_variable("saved", initializer=[[1.5, 2.5], [3.5, 4.5]])
                session.run(tf.global_variables_initializer())
                path = tf.train.Saver().save(session, os.path.join(folder, "model"))
            ids = layers.sparse_column_with_integerized_feature("id", 2)
            column = layers.embedding_column(
                ids, 2, ckpt_to_load_from=path, tensor_name_in_ckpt="saved", trainable=False
            )
            found = layers.input_from_feature_columns({"id": tf.constant([[1]])}, [column])
            self.assertAllClose(evaluated(found), [[3.5, 4.5]])
            self.assertEqual(tf.trainable_variables(), [])

    def test_crosses_are_the_hashes_of_all_combinations(self):
        word = layers.sparse_column_with_hash_bucket("word", 5)
        age = layers.bucketized_column(layers.real_valued_column("age"), [10.0])
        column = layers.crossed_column([word, age], 1000, hash_key=956888297470)
        features = {
            "word": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "a"], [2, 2]),
            "age": tf.constant([[20.0], [5.0]]),
        }
        made = layers.transform_features(features, [column])[column]
        values, shape = self.evaluate([made.values, made.dense_shape])
        self.assertEqual(shape.tolist(), [2, 2])
        same = dict(features, age=tf.constant([[50.0], [50.0]]))
        again = self.evaluate(layers.transform_features(same, [column])[column].values)
        self.assertEqual(len(set(values.tolist())), 3)
        self.assertAllEqual(again, [values[0], values[1], values[0]])
        self.assertTrue(np.all(values < 1000))

    def test_sequences_have_the_numbers_of_each_step(self):
        ids = layers.sparse_column_with_integerized_feature("id", 3)
        columns = [
            layers.real_valued_column("x", dimension=2),
            layers.one_hot_column(ids),
            layers.embedding_column(ids, 1, combiner="sum", initializer=rows),
        ]
        features = {
            "x": tf.constant([[[1.0, 2.0], [3.0, 4.0]]]),
            "id": tf.SparseTensor([[0, 0, 0], [0, 1, 0], [0, 1, 1]], [1, 2, 2], [1, 2, 2]),
        }
        found = layers.sequence_input_from_feature_columns(features, columns)
        self.assertAllClose(evaluated(found), [[[1, 0, 1, 0, 1, 2], [4, 0, 0, 2, 3, 4]]])
        self.assertEqual(
            [v.op.name for v in tf.global_variables()],
            ["sequence_input_from_feature_columns/id_embedding/weights"],
        )
        buckets = layers.bucketized_column(columns[0], [1.0])
        crossed = layers.embedding_column(layers.crossed_column([ids, buckets], 9), 2)
        for wrong in (buckets, crossed):
            with self.assertRaisesRegex(ValueError, "not currently supported for seq"):
                layers.sequence_input_from_feature_columns(features, [wrong])

    def test_sequence_examples_are_parsed_for_columns(self):
        price = layers.real_valued_column("price")
        context = tf.train.Features(
            feature={"price": tf.train.Feature(float_list=tf.train.FloatList(value=[2.0]))}
        )
        steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in (4, 5)]
        lists = tf.train.FeatureLists(feature_list={"n": tf.train.FeatureList(feature=steps)})
        example = tf.train.SequenceExample(context=context, feature_lists=lists)
        found = layers.parse_feature_columns_from_sequence_examples(
            example.SerializeToString(),
            [price],
            [layers.real_valued_column("n", dtype=tf.int64),
             fc._real_valued_var_len_column("none", default_value=0)],
        )  # fmt: skip
        first, second = self.evaluate(found)
        self.assertAllClose(first["price"], [2.0])
        self.assertAllEqual(second["n"], [[4], [5]])
        self.assertEqual(second["none"].size, 0)
        with self.assertRaisesRegex(ValueError, "single sequence example"):
            layers.parse_feature_columns_from_sequence_examples(["a", "b"], [price], None)

    def test_columns_are_taken_by_the_layers_of_the_newer_columns(self):
        price = layers.real_valued_column("price", dimension=2)
        ids = layers.sparse_column_with_integerized_feature("id", 3)
        columns = [
            price,
            layers.embedding_column(ids, 1, initializer=rows),
            layers.bucketized_column(price, [2.0]),
            layers.one_hot_column(ids),
        ]
        features = {"price": tf.constant([[1.0, 3.0]]), "id": tf.constant([[2]])}
        found = tf.feature_column.input_layer(features, columns)
        # In the order of names: id_embedding, id_one_hot, price, price_bucketized.
        self.assertAllClose(evaluated(found), [[2, 0, 0, 1, 1, 3, 1, 0, 0, 1]])
        total = tf.feature_column.linear_model(features, [ids, columns[2]])
        self.assertEqual(total.shape.as_list(), [1, 1])
        embedded = tf.feature_column.embedding_column(ids, 2)
        found = tf.feature_column.input_layer(features, [embedded])
        self.assertEqual(found.shape.as_list(), [1, 2])

    def test_columns_of_categories_need_a_form_for_networks(self):
        word = layers.sparse_column_with_hash_bucket("word", 5)
        other = layers.sparse_column_with_hash_bucket("other", 5)
        features = {name: tf.constant([["a"]]) for name in ("word", "other", "weight")}
        features["weight"] = tf.constant([[1.0]])
        for column in (
            word,
            layers.weighted_sparse_column(word, "weight"),
            layers.crossed_column([word, other], 9),
        ):
            with self.assertRaisesRegex(ValueError, "(?s)Error creating input.*embedding_col"):
                layers.input_from_feature_columns(features, [column])
        with self.assertRaisesRegex(ValueError, "doesn't contain key"):
            layers.input_from_feature_columns({}, [layers.real_valued_column("price")])
        with self.assertRaisesRegex(TypeError, "only contain instances of _FeatureColumn"):
            layers.input_from_feature_columns({}, [tf.feature_column.numeric_column("price")])


if __name__ == "__main__":
    unittest.main()
