"""The layer of feature columns of `tf.keras`."""

import json
import unittest

import numpy as np

import troupe as tf

AGES, KINDS = np.array([[1.0], [2.0], [3.0]], np.float32), np.array([["a"], ["b"], ["a"]])


def doubled(values):
    return values * 2


def columns():
    kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["a", "b"])
    return [
        tf.feature_column.embedding_column(kind, 2), tf.feature_column.numeric_column("age"),
        tf.feature_column.indicator_column(kind),
    ]  # fmt: skip


class DenseFeaturesTest(tf.test.TestCase):
    def setUp(self):
        tf.keras.backend.clear_session()

    def test_it_puts_the_numbers_of_columns_side_by_side(self):
        layer = tf.keras.layers.DenseFeatures(columns()[1:])
        found = layer({"age": tf.constant(AGES), "kind": tf.constant(KINDS)})
        self.assertEqual(found.shape, (3, 3))
        with self.session() as session:
            session.run(tf.tables_initializer())
            self.assertAllEqual(session.run(found), [[1, 1, 0], [2, 0, 1], [3, 1, 0]])
        self.assertEqual(layer.weights, [])

    def test_it_tells_the_numbers_of_each_column(self):
        found, given = {}, columns()[1:]
        layer = tf.keras.layers.DenseFeatures(given)
        features = {"age": tf.constant(AGES), "kind": tf.constant(KINDS)}
        layer(features, found)
        layer(features)
        self.assertEqual(set(found), set(given))
        with self.session() as session:
            session.run(tf.tables_initializer())
            self.assertAllEqual(session.run(found[given[0]]), AGES)
            self.assertAllEqual(session.run(found[given[1]]), [[1, 0], [0, 1], [1, 0]])

    def test_a_sparse_vector_has_one_value_for_each_example(self):
        value = tf.SparseTensorValue([[0], [2]], ["a", "b"], [3])
        for shape in ([3], [None], None):
            given = tf.sparse_placeholder(tf.string, shape)
            numbers = tf.keras.layers.DenseFeatures(columns()[2])({"kind": given})
            alone = tf.feature_column.input_layer({"kind": given}, columns()[2])
            with self.session() as session:
                session.run(tf.tables_initializer())
                for found in (numbers, alone):
                    self.assertAllEqual(
                        session.run(found, {given: value}), [[1, 0], [0, 0], [0, 1]]
                    )

    def test_its_configuration_is_of_plain_values(self):
        fc = tf.feature_column
        age = fc.numeric_column("age", normalizer_fn=doubled)
        kind = fc.categorical_column_with_vocabulary_list("kind", ["a", "b"])
        given = [
            age, fc.bucketized_column(age, [1, 2]), fc.embedding_column(kind, 2),
            fc.indicator_column(fc.weighted_categorical_column(kind, "weight")),
            fc.indicator_column(fc.crossed_column(["x", kind], 5)),
            fc.indicator_column(fc.categorical_column_with_hash_bucket("h", 3)),
            fc.indicator_column(fc.categorical_column_with_identity("i", 3)),
        ]  # fmt: skip
        layer = tf.keras.layers.DenseFeatures(given, trainable=False, name="features")
        config = json.loads(json.dumps(layer.get_config()))
        self.assertEqual([config["name"], config["trainable"]], ["features", False])
        by_name = {each["class_name"]: each["config"] for each in config["feature_columns"]}
        self.assertEqual(by_name["NumericColumn"]["normalizer_fn"], "doubled")
        again = tf.keras.layers.DenseFeatures.from_config(config, {"doubled": doubled})
        columns = {each.name: each for each in again._feature_columns}
        self.assertEqual(set(columns), {each.name for each in given})
        self.assertIs(columns["age"].normalizer_fn, doubled)
        self.assertIs(columns["age_bucketized"].source_column, columns["age"])
        self.assertEqual(
            columns["kind_embedding"].initializer.get_config(), given[2].initializer.get_config()
        )
        for made in given:
            if made.name != "kind_embedding":
                self.assertEqual(columns[made.name], made)
        for wrong in (None, {}, {"doubled": None}):
            with self.assertRaisesRegex(ValueError, "Unknown"):
                tf.keras.layers.DenseFeatures.from_config(config, wrong)
        for wrong in ({}, {"class_name": "NoColumn", "config": {}},
                      {"class_name": "NumericColumn", "config": {"key": "a"}}):  # fmt: skip
            with self.assertRaises(ValueError):
                tf.keras.layers.DenseFeatures.from_config({"feature_columns": [wrong]})

    def test_its_variables_are_those_of_the_layer_and_made_once(self):
        layer = tf.keras.layers.DenseFeatures(columns(), name="features")
        features = {"age": tf.constant(AGES), "kind": tf.constant(KINDS)}
        first, second = layer(features), layer(features)
        self.assertEqual(
            [each.name for each in layer.trainable_weights],
            ["features/kind_embedding/embedding_weights:0"],
        )
        self.assertEqual(layer.weights, tf.global_variables())
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            one, other, weights = session.run([first, second, layer.weights[0]])
        self.assertAllEqual(one, other)
        self.assertAllEqual(one[:, 1:3], weights[[0, 1, 0]])
        fixed = tf.keras.layers.DenseFeatures(columns(), trainable=False)
        fixed(features)
        self.assertEqual((len(fixed.trainable_weights), len(fixed.weights)), (0, 1))

    def test_models_of_inputs_train_it(self):
        bucket = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age"), [1.5])
        other = tf.feature_column.numeric_column("size")
        inputs = {name: tf.keras.Input([1], name=name) for name in ("age", "size")}
        numbers = tf.keras.layers.DenseFeatures([bucket, other])(inputs)
        model = tf.keras.Model(
            [inputs["age"], inputs["size"]], tf.keras.layers.Dense(1)(numbers)
        )
        model.compile(tf.keras.optimizers.Adam(0.1), "mse")
        data = {"age": AGES, "size": np.array([[0.0], [1.0], [2.0]], np.float32)}
        first = model.evaluate(data, AGES, verbose=0)
        model.fit(data, AGES, epochs=30, verbose=0)
        self.assertLess(model.evaluate(data, AGES, verbose=0), first)
        self.assertEqual(model.layers[2].output_shape, (None, 3))

    def test_what_is_no_dict_and_categories_are_errors(self):
        with self.assertRaisesRegex(ValueError, "expected a dictionary"):
            tf.keras.layers.DenseFeatures(columns()[1:])(tf.constant(AGES))
        kind = tf.feature_column.categorical_column_with_identity("kind", 2)
        with self.assertRaisesRegex(ValueError, "must be a DenseColumn"):
            tf.keras.layers.DenseFeatures([kind])
        layer = tf.keras.layers.DenseFeatures(columns()[1:])
        made = type(layer).from_config(layer.get_config())
        self.assertEqual(made.get_config(), layer.get_config())

    def test_it_takes_lists_and_arrays(self):
        layer = tf.keras.layers.DenseFeatures(columns()[1:])
        found = layer({"age": [[1.0], [2.0]], "kind": np.array([["b"], ["a"]])})
        with self.session() as session:
            session.run(tf.tables_initializer())
            self.assertAllEqual(session.run(found), [[1, 0, 1], [2, 1, 0]])

    def test_a_layer_of_a_program_may_assign_its_dtype(self):
        layer = tf.keras.layers.Layer()
        layer._dtype = tf.float16
        self.assertEqual((layer.dtype, layer._dtype), ("float16", "float16"))



if __name__ == "__main__":
    unittest.main()
