"""The older linear estimators learn by dual ascent, as TensorFlow's do."""

import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe._src.learn_models.sdca_estimators import SDCALinearRegressor, SDCALogisticClassifier

layers, learn = tf.contrib.layers, tf.contrib.learn
RANDOM = np.random.RandomState(0)
COUNT = 40
X = RANDOM.randn(COUNT, 3).astype(np.float32)
CATEGORIES = RANDOM.randint(4, size=COUNT)
IDS = np.array([f"example {i}" for i in range(COUNT)])
CLASSES = (X[:, 0] + 0.5 * (CATEGORIES == 2) + 0.3 * RANDOM.randn(COUNT) > 0).astype(np.int32)
NUMBERS = (X @ [1.0, -2.0, 0.5] + 0.3 * CATEGORIES + 1.0).astype(np.float32)
WEIGHTS = (RANDOM.rand(COUNT) + 0.5).astype(np.float32)
SPARSE = layers.sparse_column_with_keys("s", list("0123"))
REAL = layers.real_valued_column("x", 3)
COLUMNS = [REAL, SPARSE]


def inputs(labels):
    def make():
        places = np.stack([np.arange(COUNT), np.zeros(COUNT)], 1).astype(np.int64)
        features = {
            "x": tf.constant(X),
            "w": tf.constant(WEIGHTS),
            "id": tf.constant(IDS),
            "s": tf.SparseTensor(places, CATEGORIES.astype(str), [COUNT, 1]),
            "v": tf.SparseTensor(places, np.abs(X[:, 1]), [COUNT, 1]),
        }
        return features, tf.constant(labels[:, None])

    return make


def best(l2, weights=None):
    """The weights of the regression with the least loss."""
    one_hot = (CATEGORIES[:, None] == np.arange(4)).astype(np.float64)
    table = np.concatenate([X, one_hot, np.ones([COUNT, 1])], 1)
    weighted = table * (np.ones(COUNT) if weights is None else weights)[:, None]
    return np.linalg.solve(weighted.T @ table + l2 * np.eye(8), weighted.T @ NUMBERS)


class SdcaEstimatorsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def sdca(self, **more):
        return tf.contrib.linear_optimizer.SDCAOptimizer("id", **more)

    def weights(self, model):
        names = ["x/weight", "s/weights", "bias_weight"]
        parts = [model.get_variable_value(f"linear/{name}") for name in names]
        return np.concatenate([np.reshape(part, [-1]) for part in parts])

    def test_a_regressor_learns_what_is_best(self):
        model = SDCALinearRegressor("id", COLUMNS, "w", self.folder, l2_regularization=3.0)
        model.fit(input_fn=inputs(NUMBERS), steps=150)
        self.assertAllClose(self.weights(model), best(3.0, WEIGHTS), atol=1e-2)
        scores = np.array(list(model.predict_scores(inputs(NUMBERS))))
        self.assertLess(np.abs(scores - NUMBERS).mean(), 0.3)

    def test_a_classifier_learns(self):
        model = SDCALogisticClassifier("id", COLUMNS, model_dir=self.folder)
        model.fit(input_fn=inputs(CLASSES), steps=50)
        self.assertGreater(model.evaluate(input_fn=inputs(CLASSES), steps=1)["accuracy"], 0.8)
        classes = np.array(list(model.predict_classes(inputs(CLASSES))))
        chances = np.array(list(model.predict_proba(inputs(CLASSES))))
        self.assertAllEqual(classes, chances.argmax(1))

    def test_a_support_vector_machine_learns(self):
        model = learn.SVM("id", COLUMNS, "w", self.folder, l2_regularization=2.0)
        model.fit(input_fn=inputs(CLASSES), steps=200)
        self.assertGreater(model.evaluate(input_fn=inputs(CLASSES), steps=1)["accuracy"], 0.8)
        weights = self.weights(model)
        one_hot = (CATEGORIES[:, None] == np.arange(4)).astype(np.float64)
        table = np.concatenate([X, one_hot, np.ones([COUNT, 1])], 1)

        def loss(weights):
            margins = (2 * CLASSES - 1) * (table @ weights)
            return WEIGHTS @ np.maximum(0, 1 - margins) + weights @ weights

        for change in 0.05 * np.random.RandomState(1).randn(200, 8):
            self.assertLess(loss(weights), loss(weights + change))
        predicted = list(model.predict(input_fn=inputs(CLASSES)))
        self.assertEqual(set(predicted[0]), {"classes", "logits"})
        classes = list(model.predict_classes(input_fn=inputs(CLASSES)))
        self.assertEqual(classes, [each["classes"] for each in predicted])
        with self.assertRaisesRegex(ValueError, "Kernel SVMs"):
            learn.SVM("id", COLUMNS, kernels=[1])

    def test_a_linear_regressor_takes_the_optimizer(self):
        for options in ({}, {"adaptive": False, "num_table_shards": 2}):
            with tempfile.TemporaryDirectory() as folder:
                optimizer = self.sdca(symmetric_l2_regularization=3.0, **options)
                model = learn.LinearRegressor(COLUMNS, folder, optimizer=optimizer)
                model.fit(input_fn=inputs(NUMBERS), steps=150)
                self.assertAllClose(self.weights(model), best(3.0), atol=1e-2)

    def test_variables_may_be_in_parts(self):
        optimizer = self.sdca(
            symmetric_l2_regularization=3.0, partitioner=tf.fixed_size_partitioner(2)
        )
        model = learn.LinearRegressor(COLUMNS, self.folder, optimizer=optimizer)
        model.fit(input_fn=inputs(NUMBERS), steps=150)
        self.assertAllClose(self.weights(model), best(3.0), atol=1e-2)

    def test_a_linear_classifier_learns_columns_of_all_kinds(self):
        hashed = layers.sparse_column_with_hash_bucket("s", 20)
        columns = [
            *COLUMNS,
            layers.weighted_sparse_column(hashed, "v"),
            layers.crossed_column([SPARSE, hashed], 11),
            layers.bucketized_column(REAL, [-0.5, 0.5]),
        ]
        model = learn.LinearClassifier(columns, self.folder, optimizer=self.sdca())
        model.fit(input_fn=inputs(CLASSES), steps=50)
        self.assertGreater(model.evaluate(input_fn=inputs(CLASSES), steps=1)["accuracy"], 0.85)

    def test_regularization_is_one_at_least(self):
        optimizer = self.sdca(symmetric_l2_regularization=0.0)
        model = learn.LinearRegressor(COLUMNS, self.folder, optimizer=optimizer)
        model.fit(input_fn=inputs(NUMBERS), steps=200)
        self.assertAllClose(self.weights(model), best(1.0), atol=2e-2)

    def test_the_optimizer_tells_its_options(self):
        optimizer = self.sdca(num_loss_partitions=3, symmetric_l1_regularization=0.5)
        self.assertEqual(optimizer.get_name(), "SDCAOptimizer")
        self.assertEqual(optimizer.example_id_column, "id")
        self.assertEqual(optimizer.num_loss_partitions, 3)
        self.assertIsNone(optimizer.num_table_shards)
        self.assertEqual(optimizer.symmetric_l1_regularization, 0.5)
        self.assertEqual(optimizer.symmetric_l2_regularization, 1.0)
        self.assertTrue(optimizer.adaptive)
        self.assertIsNone(optimizer.partitioner)

    def test_models_that_it_cannot_learn_are_refused(self):
        sdca = self.sdca()
        with self.assertRaisesRegex(ValueError, "enable_centered_bias"):
            learn.LinearClassifier(COLUMNS, optimizer=sdca, enable_centered_bias=True)
        with self.assertRaisesRegex(AssertionError, "binary"):
            learn.LinearClassifier(COLUMNS, n_classes=3, optimizer=sdca)
        with self.assertRaisesRegex(AssertionError, "_joint_weight"):
            learn.LinearClassifier(COLUMNS, optimizer=sdca, _joint_weight=True)
        with self.assertRaisesRegex(AssertionError, "label_dimension"):
            learn.LinearRegressor(COLUMNS, optimizer=sdca, label_dimension=2)
        with self.assertRaisesRegex(ValueError, "LinearEstimator does not support SDCA"):
            learn.LinearEstimator(COLUMNS, learn.regression_head(), optimizer=sdca)
        embedding = layers.embedding_column(SPARSE, 2)
        features, made = {embedding: None, "id": tf.constant(["a"])}, {embedding: []}
        with self.assertRaisesRegex(ValueError, "does not support column type"):
            sdca.get_train_step(made, None, "squared_loss", features, tf.constant([1.0]), None)


if __name__ == "__main__":
    unittest.main()
