"""Columns of features: their layers are those of TensorFlow, and wrong ones are refused."""

import json
import pathlib
import tempfile
import unittest

import column_cases

import troupe as tf
from troupe.python.feature_column import feature_column, feature_column_v2

RECORDED = json.loads(pathlib.Path(__file__).with_name("columns.json").read_text())
fc = tf.feature_column


class ValuesTest(tf.test.TestCase):
    def test_layers_have_the_values_and_the_variables_of_tensorflow(self):
        with tempfile.TemporaryDirectory() as folder:
            found = column_cases.results(tf, folder)
        self.assertEqual(set(found), set(RECORDED))
        for case, (value, variables) in RECORDED.items():
            with self.subTest(case):
                self.assertAllClose(found[case][0], value, atol=2e-4)
                self.assertEqual(found[case][1], variables)


class ColumnsTest(tf.test.TestCase):
    def test_examples_are_parsed_as_the_columns_of_a_model_need_them(self):
        price = fc.numeric_column("price", default_value=2.0)
        word = fc.categorical_column_with_hash_bucket("word", 5)
        columns = [
            fc.bucketized_column(price, [1.0]),
            fc.weighted_categorical_column(word, "weight"),
            fc.crossed_column(["word", "other"], 7),
        ]
        spec = fc.make_parse_example_spec(columns)
        wanted = {
            "price": tf.FixedLenFeature((1,), tf.float32, (2.0,)),
            "word": tf.VarLenFeature(tf.string),
            "weight": tf.VarLenFeature(tf.float32),
            "other": tf.VarLenFeature(tf.string),
        }
        self.assertEqual(spec, wanted)
        text = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"]))
        example = tf.train.Example(features=tf.train.Features(feature={"word": text}))
        features = tf.parse_example([example.SerializeToString()], {"price": spec["price"]})
        self.assertAllClose(self.evaluate(fc.input_layer(features, [columns[0]])), [[0.0, 1.0]])
        other = fc.numeric_column("price", dtype=tf.float64)
        with self.assertRaisesRegex(ValueError, "different parse_spec for key price"):
            fc.make_parse_example_spec([price, other])

    def test_a_number_that_is_no_category_is_an_error_of_the_step(self):
        column = fc.indicator_column(fc.categorical_column_with_identity("id", 2))
        layer = fc.input_layer({"id": tf.constant([[2]], tf.int64)}, [column])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "id >= num_buckets"):
            self.evaluate(layer)

    def test_an_indicator_leaves_out_weights_of_words_that_are_no_categories(self):
        word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
        column = fc.indicator_column(fc.weighted_categorical_column(word, "weight"))
        ids = tf.SparseTensor([[0, 0], [0, 1]], ["z", "b"], [1, 2])
        weights = tf.SparseTensor(ids.indices, [9.0, 2.0], [1, 2])
        layer = fc.input_layer({"word": ids, "weight": weights}, [column])
        with self.session() as session:
            session.run(tf.tables_initializer())
            self.assertAllClose(session.run(layer), [[0.0, 2.0]])

    def test_a_model_with_columns_is_trained(self):
        words = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
        columns = [fc.numeric_column("x"), fc.embedding_column(words, 3)]
        features = {"x": tf.constant([1.0, 2.0]), "word": tf.constant(["a", "b"])}
        y = tf.layers.dense(fc.input_layer(features, columns), 1)
        loss = tf.reduce_mean(tf.square(y - [[1.0], [-1.0]]))
        train = tf.train.AdagradOptimizer(0.5).minimize(loss)
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            first = session.run(loss)
            for _ in range(50):
                session.run(train)
            self.assertLess(session.run(loss), first / 10)

    def test_columns_that_make_no_sense_are_refused(self):
        price = fc.numeric_column("price")
        word = fc.categorical_column_with_hash_bucket("word", 5)
        for make, text in (
            (lambda: fc.numeric_column("a", 0), "greater than 0"),
            (lambda: fc.numeric_column("a", (2,), default_value=[1.0]), "shape of default_value"),
            (lambda: fc.numeric_column("a", dtype=tf.string), "convertible to float"),
            (lambda: fc.bucketized_column(price, [2.0, 1.0]), "sorted"),
            (lambda: fc.bucketized_column(word, [2.0]), "numeric_column"),
            (lambda: fc.categorical_column_with_identity("a", 0), "num_buckets 0 < 1"),
            (lambda: fc.categorical_column_with_vocabulary_list("a", [1, 1]), "Duplicate"),
            (lambda: fc.crossed_column(["a"], 5), "length > 1"),
            (lambda: fc.crossed_column(["a", word], 5), "not supported for crossing"),
            (lambda: fc.embedding_column(word, 0), "Invalid dimension"),
            (lambda: fc.embedding_column(word, 2, ckpt_to_load_from="a"), "Must specify both"),
            (lambda: fc.input_layer({"word": ["a"]}, [word]), "must be a DenseColumn"),
            (lambda: fc.input_layer({}, [price]), "price is not in features"),
            (lambda: fc.input_layer({"price": 1.0}, [price]), "cannot have rank 0"),
            (lambda: fc.linear_model({"price": [1.0]}, [price, price]), "Duplicate feature"),
            (lambda: fc.linear_model({"price": [1.0]}, []), "must not be empty"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                make()

    def test_a_feature_of_unknown_rank_has_an_axis_behind_the_batch(self):
        feature = tf.placeholder(tf.float32)
        column = tf.feature_column.numeric_column("x")
        layer = tf.feature_column.input_layer({"x": feature}, [column])
        self.assertEqual(layer.shape.as_list(), [None, 1])
        with tf.Session() as session:
            for given in ([1.0, 2.0], [[1.0], [2.0]]):
                self.assertEqual(session.run(layer, {feature: given}).tolist(), [[1], [2]])

    def test_programs_ask_for_the_kinds_of_columns(self):
        price = fc.numeric_column("price")
        word = fc.categorical_column_with_hash_bucket("word", 5)
        columns = [price, word, fc.bucketized_column(price, [1.0]), fc.embedding_column(word, 2)]
        for module, kinds in (
            (feature_column, ("_DenseColumn", "_CategoricalColumn", "_SequenceDenseColumn")),
            (feature_column_v2, ("DenseColumn", "CategoricalColumn", "SequenceDenseColumn")),
        ):
            found = [[isinstance(each, getattr(module, kind)) for kind in kinds]
                     for each in columns]  # fmt: skip
            self.assertEqual(found, [
                [True, False, False], [False, True, False], [True, True, False],
                [True, False, True],
            ])  # fmt: skip
        self.assertIsInstance(price, feature_column._NumericColumn)
        self.assertIsInstance(columns[3], feature_column_v2.EmbeddingColumn)
        self.assertNotIsInstance(columns[3], feature_column_v2.IndicatorColumn)
        self.assertEqual(feature_column._numeric_column("price"), price)
        self.assertEqual(price._variable_shape, (1,))
        self.assertEqual((word._num_buckets, columns[2]._num_buckets), (5, 2))
        self.assertEqual(word._parse_example_spec, {"word": tf.VarLenFeature(tf.string)})

    def test_the_weights_of_a_linear_model_come_before_the_variables_of_its_column(self):
        categories = tf.feature_column.categorical_column_with_identity("x", 3)
        column = tf.feature_column.embedding_column(categories, 2)
        variables = {}
        features = {"x": tf.constant([[1], [2]])}
        tf.feature_column.linear_model(features, [column], cols_to_vars=variables)
        names = [variable.op.name.rpartition("/")[2] for variable in variables[column]]
        self.assertEqual(names, ["weights", "embedding_weights"])


if __name__ == "__main__":
    unittest.main()
