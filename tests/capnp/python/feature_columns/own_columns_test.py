"""Columns that programs define by the two protocols of TensorFlow's columns."""

import collections
import unittest

import numpy as np

import troupe as tf
from troupe.python.feature_column import dense_features, feature_column, feature_column_v2

NUMBERS = {"a": np.array([[1.0], [2.0]], np.float32), "b": np.array([[3.0], [4.0]], np.float32)}


class Doubled(feature_column._DenseColumn, collections.namedtuple("Doubled", ["key"])):
    """Of the first protocol."""

    @property
    def name(self):
        return f"{self.key}_doubled"

    @property
    def _parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([1], tf.float32)}

    @property
    def _variable_shape(self):
        return tf.TensorShape([1])

    def _transform_feature(self, inputs):
        return 2.0 * inputs.get(self.key)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return inputs.get(self)


class Scaled(feature_column._DenseColumn, feature_column_v2.DenseColumn,
             collections.namedtuple("Scaled", ["key"])):  # fmt: skip
    """Of both, with a variable of its own by the second one."""

    _is_v2_column = True

    @property
    def name(self):
        return f"{self.key}_scaled"

    @property
    def parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([1], tf.float32)}

    @property
    def variable_shape(self):
        return tf.TensorShape([1])

    def create_state(self, state_manager):
        start = tf.constant_initializer(3.0)
        state_manager.create_variable(self, "scale", [1], initializer=start)
        state_manager.add_resource(self, "offset", 0.5)

    def transform_feature(self, transformation_cache, state_manager):
        return transformation_cache.get(self.key, state_manager)

    def get_dense_tensor(self, transformation_cache, state_manager):
        scale = state_manager.get_variable(self, "scale")
        offset = state_manager.get_resource(self, "offset")
        return scale * transformation_cache.get(self, state_manager) + offset


class Parity(feature_column._CategoricalColumn, collections.namedtuple("Parity", ["key"])):
    """Even and odd numbers."""

    @property
    def name(self):
        return f"{self.key}_parity"

    @property
    def _parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([1], tf.int64)}

    @property
    def _num_buckets(self):
        return 2

    def _transform_feature(self, inputs):
        given = tf.floormod(inputs.get(self.key), 2)
        return tf.contrib.layers.dense_to_sparse(given, eos_token=-1)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return feature_column._CategoricalColumn.IdWeightPair(inputs.get(self), None)


class OwnColumnsTest(tf.test.TestCase):
    def values(self, *tensors):
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            return session.run(tensors)

    def test_layers_take_columns_of_the_first_protocol(self):
        columns = [Doubled("a"), tf.feature_column.numeric_column("b")]
        layer = tf.feature_column.input_layer(NUMBERS, columns)
        self.assertAllEqual(self.values(layer)[0], [[2, 3], [4, 4]])
        self.assertEqual(
            tf.feature_column.make_parse_example_spec(columns[:1]),
            {"a": tf.FixedLenFeature([1], tf.float32)},
        )

    def test_a_layer_keeps_the_state_of_columns_of_the_second_protocol(self):
        layer = dense_features.DenseFeatures([Scaled("a"), Doubled("b")])
        first, second = layer(NUMBERS), layer({"a": [[5.0]], "b": [[1.0]]})
        self.assertEqual(len(layer.trainable_weights), 1)
        self.assertEqual(len(tf.trainable_variables()), 1)
        found = self.values(first, second)
        self.assertAllEqual(found[0], [[3.5, 6], [6.5, 8]])
        self.assertAllEqual(found[1], [[15.5, 2]])

    def test_estimators_and_linear_models_take_them(self):
        sums = tf.feature_column.linear_model(NUMBERS, [Scaled("a"), Doubled("b")])
        self.assertAllEqual(self.values(sums)[0], [[0], [0]])
        estimator = tf.estimator.DNNRegressor([2], [Doubled("a"), Scaled("b")])
        inputs = tf.estimator.inputs.numpy_input_fn(
            NUMBERS, np.array([[1.0], [2.0]], np.float32), shuffle=False
        )
        self.assertEqual(estimator.train(inputs, steps=1).get_variable_names().count("b"), 0)

    def test_embeddings_have_the_categories_of_a_programs_column(self):
        rows = [[1.0, 2.0], [3.0, 4.0]]
        column = tf.feature_column.embedding_column(
            Parity("n"), 2, initializer=lambda *args, **kwargs: tf.constant(rows)
        )
        numbers = {"n": np.array([[4], [7]], np.int64)}
        self.assertAllEqual(self.values(tf.feature_column.input_layer(numbers, [column]))[0], rows)
        ones = tf.feature_column.indicator_column(Parity("n"))
        layer = tf.feature_column.input_layer(numbers, [ones])
        self.assertAllEqual(self.values(layer)[0], [[1, 0], [0, 1]])

    def test_this_packages_columns_have_both_protocols(self):
        number = tf.feature_column.numeric_column("a", shape=(1,))
        for kind in (feature_column._DenseColumn, feature_column_v2.DenseColumn):
            self.assertIsInstance(number, kind)
            self.assertNotIsInstance(Parity("n"), kind)
        self.assertEqual(number._variable_shape, [1])
        self.assertEqual(number._parse_example_spec, number.parse_example_spec)
        builder = feature_column._LazyBuilder(NUMBERS)
        state = feature_column_v2._StateManagerImpl(None, trainable=True)
        halves = tf.feature_column.bucketized_column(number, [1.5])
        found = self.values(
            number._get_dense_tensor(builder),
            number.get_dense_tensor(feature_column_v2.FeatureTransformationCache(NUMBERS), state),
            halves._get_sparse_tensors(builder).id_tensor.values,
        )
        self.assertAllEqual(found[0], NUMBERS["a"])
        self.assertAllEqual(found[1], NUMBERS["a"])
        self.assertAllEqual(found[2], [0, 1])

    def test_the_protocol_of_a_column_is_told(self):
        self.assertTrue(feature_column_v2.is_feature_column_v2([Scaled("a")]))
        self.assertFalse(feature_column_v2.is_feature_column_v2([Scaled("a"), Doubled("a")]))

    def test_states_refuse_what_is_there_or_not(self):
        state, column = feature_column_v2._StateManagerImpl(None, trainable=False), Scaled("a")
        with self.assertRaisesRegex(ValueError, "Resource does not exist."):
            state.get_resource(column, "offset")
        with self.assertRaisesRegex(ValueError, "Variable does not exist."):
            state.get_variable(column, "scale")
        column.create_state(state)
        self.assertEqual(tf.trainable_variables(), [])
        with self.assertRaisesRegex(ValueError, "Variable already exists."):
            column.create_state(state)

    def test_a_column_without_a_method_says_so(self):
        class Empty(feature_column._DenseColumn):
            name = "empty"
            _variable_shape = tf.TensorShape([1])

        with self.assertRaisesRegex(NotImplementedError, "Empty defines no get_dense_tensor"):
            tf.feature_column.input_layer(NUMBERS, [Empty()])


if __name__ == "__main__":
    unittest.main()
