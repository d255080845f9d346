"""Linear estimators learn by `LinearSDCA`, as TensorFlow's do."""

import tempfile
import unittest

import numpy as np

import troupe as tf

fc, models = tf.feature_column, tf.estimator
RANDOM = np.random.RandomState(0)
COUNT = 40
X = RANDOM.randn(COUNT, 3).astype(np.float32)
CATEGORIES = RANDOM.randint(5, size=COUNT)
IDS = np.array([f"example {i}" for i in range(COUNT)])
CLASSES = (X[:, 0] + 0.5 * (CATEGORIES == 2) + 0.3 * RANDOM.randn(COUNT) > 0).astype(np.int32)
NUMBERS = (X @ [1.0, -2.0, 0.5] + 0.3 * CATEGORIES + 1.0).astype(np.float32)
WEIGHTS = (RANDOM.rand(COUNT) + 0.5).astype(np.float32)
# A category that the vocabulary lacks has no weight.
COLUMNS = [
    fc.numeric_column("x", shape=(3,)),
    fc.categorical_column_with_vocabulary_list("s", list("0123")),
]
SCOPE = "linear/linear_model"


def inputs(labels):
    def make():
        features = {"x": X, "s": CATEGORIES.astype(str), "id": IDS, "w": WEIGHTS[:, None]}
        return {name: tf.constant(value) for name, value in features.items()}, tf.constant(labels)

    return make


def best(labels, l2, weights=None):
    """The weights of the regression with the least loss."""
    one_hot = (CATEGORIES[:, None] == np.arange(4)).astype(np.float64)
    table = np.concatenate([X, one_hot, np.ones([COUNT, 1])], 1)
    weighted = table * (np.ones(COUNT) if weights is None else weights)[:, None]
    return np.linalg.solve(weighted.T @ table + l2 * np.eye(8), weighted.T @ labels)


class LinearSdcaTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def sdca(self, **more):
        options = {"example_id_column": "id", "symmetric_l2_regularization": 2.0, **more}
        return models.experimental.LinearSDCA(**options)

    def weights(self, model):
        parts = [model.get_variable_value(f"{SCOPE}/{name}/weights") for name in ("x", "s")]
        return np.concatenate([*parts, [model.get_variable_value(f"{SCOPE}/bias_weights")]])[:, 0]

    def test_a_regressor_learns_what_is_best(self):
        model = models.LinearRegressor(COLUMNS, self.folder, optimizer=self.sdca())
        model.train(inputs(NUMBERS), steps=100)
        self.assertAllClose(self.weights(model), best(NUMBERS, 2.0), atol=1e-3)
        found = model.evaluate(inputs(NUMBERS), steps=1)
        self.assertEqual(found["global_step"], 100)
        self.assertLess(found["average_loss"], 0.1)

    def test_weights_of_examples_count(self):
        model = models.LinearRegressor(
            COLUMNS, self.folder, weight_column="w", optimizer=self.sdca(adaptive=True)
        )
        model.train(inputs(NUMBERS), steps=150)
        self.assertAllClose(self.weights(model), best(NUMBERS, 2.0, WEIGHTS), atol=1e-2)

    def test_a_classifier_learns(self):
        model = models.LinearClassifier(COLUMNS, self.folder, optimizer=self.sdca())
        model.train(inputs(CLASSES), steps=50)
        weights = self.weights(model)
        one_hot = (CATEGORIES[:, None] == np.arange(4)).astype(np.float64)
        table = np.concatenate([X, one_hot, np.ones([COUNT, 1])], 1)
        slopes = table.T @ (1 / (1 + np.exp(-table @ weights)) - CLASSES) + 2.0 * weights
        self.assertAllClose(slopes, np.zeros(8), atol=1e-2)
        self.assertGreater(model.evaluate(inputs(CLASSES), steps=1)["accuracy"], 0.8)

    def test_a_training_goes_on_where_it_ended(self):
        model = models.LinearRegressor(COLUMNS, self.folder, optimizer=self.sdca())
        for _ in range(5):
            model.train(inputs(NUMBERS), steps=20)
        self.assertAllClose(self.weights(model), best(NUMBERS, 2.0), atol=1e-3)

    def test_checkpoints_have_the_names_of_tensorflow(self):
        optimizer = self.sdca(num_table_shards=2)
        model = models.LinearRegressor(COLUMNS, self.folder, optimizer=optimizer)
        model.train(inputs(NUMBERS), steps=1)
        names = {name for name, _ in tf.train.list_variables(self.folder)}
        weights = ["bias_weights", "s/weights", "x/weights"]
        wanted = {"global_step", *(f"{SCOPE}/{name}" for name in weights)}
        wanted |= {f"linear/{SCOPE}/{name}/part_0_unshrunk" for name in weights}
        tables = [f"ShardedMutableHashTable-{i}-of-2" for i in (1, 2)]
        wanted |= {f"{table}-{kind}" for table in tables for kind in ("keys", "values")}
        self.assertEqual(names, wanted)

    def test_variables_may_be_in_parts(self):
        model = models.LinearRegressor(
            COLUMNS,
            self.folder,
            optimizer=self.sdca(num_table_shards=3),
            partitioner=tf.fixed_size_partitioner(2),
        )
        model.train(inputs(NUMBERS), steps=100)
        self.assertAllClose(self.weights(model), best(NUMBERS, 2.0), atol=1e-3)

    def test_l1_regularization_makes_weights_zero(self):
        optimizer = self.sdca(symmetric_l1_regularization=4.0)
        model = models.LinearRegressor(COLUMNS, self.folder, optimizer=optimizer)
        model.train(inputs(NUMBERS), steps=100)
        self.assertGreater(np.count_nonzero(self.weights(model) == 0.0), 0)

    def test_columns_of_other_kinds_are_learned(self):
        hashed = fc.categorical_column_with_hash_bucket("s", 10)
        columns = [
            fc.bucketized_column(fc.numeric_column("x", shape=(3,)), [-0.5, 0.5]),
            fc.weighted_categorical_column(hashed, "w"),
        ]
        model = models.LinearClassifier(columns, self.folder, optimizer=self.sdca())
        model.train(inputs(CLASSES), steps=30)
        self.assertGreater(model.evaluate(inputs(CLASSES), steps=1)["accuracy"], 0.8)

    def test_categories_that_an_example_has_twice_count_twice(self):
        column = fc.categorical_column_with_vocabulary_list("c", ["a", "b", "c"])

        def make():
            indices = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]]
            features = {"c": tf.SparseTensor(indices, ["b", "b", "a", "d", "c"], [3, 2])}
            return {**features, "id": tf.constant(["a", "b", "c"])}, tf.constant([4.0, 1.0, 2.0])

        model = models.LinearRegressor([column], self.folder, optimizer=self.sdca())
        model.train(make, steps=60)
        table = np.array([[0, 2, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1]], np.float64)
        wanted = np.linalg.solve(table.T @ table + 2.0 * np.eye(4), table.T @ [4.0, 1.0, 2.0])
        found = model.get_variable_value(f"{SCOPE}/c/weights")[:, 0]
        self.assertAllClose(found, wanted[:3], atol=1e-3)

    def test_models_that_it_cannot_learn_are_refused(self):
        sdca = self.sdca()
        with self.assertRaisesRegex(ValueError, "multi-class"):
            models.LinearClassifier(COLUMNS, n_classes=3, optimizer=sdca)
        with self.assertRaisesRegex(ValueError, "one-dimensional"):
            models.LinearRegressor(COLUMNS, label_dimension=2, optimizer=sdca)
        with self.assertRaisesRegex(ValueError, 'sparse_combiner must be "sum"'):
            models.LinearRegressor(COLUMNS, optimizer=sdca, sparse_combiner="mean")
        older = [tf.contrib.layers.real_valued_column("x", 3)]
        with self.assertRaisesRegex(ValueError, "V2 feature columns"):
            models.LinearRegressor(older, optimizer=sdca)
        square = [fc.numeric_column("x", shape=(3, 1))]
        with self.assertRaisesRegex(ValueError, "rank 2"):
            models.LinearRegressor(square, self.folder, optimizer=sdca).train(
                inputs(NUMBERS), steps=1
            )
        none = self.sdca(symmetric_l2_regularization=0.0)
        with self.assertRaisesRegex(ValueError, "symmetric_l2_regularization should be positive"):
            models.LinearRegressor(COLUMNS, self.folder, optimizer=none).train(
                inputs(NUMBERS), steps=1
            )


if __name__ == "__main__":
    unittest.main()
