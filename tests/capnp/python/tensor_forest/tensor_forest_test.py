"""Forests: trees grow as TensorFlow's, also from its checkpoints, and so do those of estimators."""

import pathlib
import random
import shutil
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe._src.api.locations import install_finder

install_finder()

from troupe.contrib.tensor_forest.client import eval_metrics, random_forest  # noqa: E402
from troupe.contrib.tensor_forest.python import tensor_forest  # noqa: E402
from troupe.contrib.tensor_forest.python.ops import data_ops  # noqa: E402
from troupe.python.ops import resources  # noqa: E402

RECORDED = pathlib.Path(__file__).parents[3] / "reference/checkpoints/forest.ckpt"
RANDOM = np.random.RandomState(4)
X = RANDOM.randn(600, 5).astype(np.float32)
CLASSES = (X[:, 1] * X[:, 2] > 0).astype(np.int32) + (X[:, 0] > 1)
NUMBERS = (X[:, 0] * 2 + X[:, 1]).astype(np.float32)


def hparams(**options):
    given = {
        "num_classes": 3, "num_features": 5, "num_trees": 2, "max_nodes": 60,
        "split_after_samples": 40, "base_random_seed": 3, "checkpoint_stats": True,
    }  # fmt: skip
    return tensor_forest.ForestHParams(**{**given, **options})


class Forest:
    """A forest in the default graph, and a session in which it is trained."""

    def __init__(self, labels=CLASSES, **options):
        self.labels = labels
        self.params = hparams(**options).fill()
        self.graphs = tensor_forest.RandomForestGraphs(self.params)
        self.x = tf.placeholder(tf.float32, [None, 5])
        self.y = tf.placeholder(labels.dtype, [None])
        self.train_op = self.graphs.training_graph(self.x, self.y)
        self.loss = self.graphs.training_loss(self.x, self.y)
        self.predictions, self.paths, self.variance = self.graphs.inference_graph(self.x)
        self.saver = tf.train.Saver()
        self.session = tf.Session()

    def initialize(self):
        made = resources.initialize_resources(resources.shared_resources())
        self.session.run(tf.group(tf.global_variables_initializer(), made))
        return self

    def train(self, first, last):
        for step in range(first, last):
            rows = slice(step * 60, step * 60 + 60)
            self.session.run(self.train_op, {self.x: X[rows], self.y: self.labels[rows]})
        return self

    def predicted(self):
        return self.session.run(self.predictions, {self.x: X})

    def state(self):
        """The sum of the squares of all predictions, and the loss."""
        squares = np.sum(self.predicted().astype(np.float64) ** 2)
        return round(float(squares), 3), float(self.session.run(self.loss))


class ForestTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_trees_grow_as_those_of_tensorflow(self):
        forest = Forest().initialize().train(0, 6)
        self.assertEqual(forest.state(), (314.23, -9.0))
        self.assertEqual(forest.train(6, 10).state(), (341.234, -14.0))

    def test_regressions_are_those_of_tensorflow(self):
        forest = Forest(NUMBERS, num_classes=1, regression=True).initialize().train(0, 10)
        self.assertEqual(forest.state(), REGRESSION)

    def test_training_goes_on_from_a_checkpoint_of_tensorflow(self):
        forest = Forest()
        forest.saver.restore(forest.session, str(RECORDED))
        self.assertEqual(forest.state(), (314.23, -9.0))
        self.assertEqual(forest.train(6, 10).state(), (341.234, -14.0))

    def test_checkpoints_have_the_names_and_bytes_of_tensorflow(self):
        forest = Forest().initialize().train(0, 6)
        path = forest.saver.save(forest.session, f"{self.folder}/forest")
        saved, recorded = map(tf.train.load_checkpoint, (path, str(RECORDED)))
        self.assertEqual(
            saved.get_variable_to_shape_map(), recorded.get_variable_to_shape_map()
        )
        for name in ("tree-0:0", "tree-1:0", "stats-0:0", "stats-1:0"):
            self.assertEqual(saved.get_tensor(name), recorded.get_tensor(name))

    def test_all_kinds_of_statistics_learn(self):
        random.seed(3)  # that of the features that each tree sees
        for options in (
            {"model_name": "all_sparse"},
            {"collate_examples": True},
            {"use_running_stats_method": True},
            {"initialize_average_splits": True},
            {"split_pruning_name": "half", "prune_every_samples": 15},
            {"split_after_samples": "linear { slope: -4 y_intercept: 60 min_val: 20 max_val: 99 }"},
            {"bagging_fraction": 0.7, "feature_bagging_fraction": 0.8, "num_trees": 6},
        ):
            with self.subTest(str(options)), tf.Graph().as_default():
                forest = Forest(**options).initialize().train(0, 10).train(0, 10)
                right = np.mean(forest.predicted().argmax(1) == CLASSES)
                self.assertGreater(right, 0.6)

    def test_paths_and_importances(self):
        forest = Forest(inference_tree_paths=True).initialize().train(0, 10)
        importances = forest.graphs.feature_importances()
        paths, parts = forest.session.run([forest.paths, importances], {forest.x: X[:3]})
        self.assertEqual(paths.shape, (3, 2))
        self.assertTrue(all(len(path) > 20 for path in paths.ravel()))
        self.assertAlmostEqual(parts.sum(), 1)

    def test_columns_are_described_as_in_tensorflow(self):
        columns = {
            "b": tf.placeholder(tf.string, [None, 1]), "a": tf.placeholder(tf.float32, [None, 2]),
            "s": tf.sparse_placeholder(tf.int64),
        }  # fmt: skip
        dense, sparse, spec = data_ops.ParseDataTensorOrDict(columns)
        self.assertEqual(dense.shape.as_list(), [None, 3])
        self.assertEqual(sparse.dtype, tf.float32)
        self.assertEqual(
            spec.SerializeToString(),
            "dense_features_size: 3 dense: [{name: a original_type: 0 size: 2}"
            "{name: b original_type: 1 size: 1}] "
            "sparse: [{name: all_sparse original_type: 1 size: -1}]",
        )

    def test_what_is_no_label_is_an_error(self):
        forest = Forest().initialize()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "none of the 3 classes"):
            forest.session.run(forest.train_op, {forest.x: X[:2], forest.y: [0, 3]})

    def test_hyperparameters_that_are_missing_are_errors(self):
        with self.assertRaises(AttributeError):
            tensor_forest.ForestHParams(num_classes=2).fill()
        with self.assertRaises(KeyError):
            hparams(split_pruning_name="all").fill()


class EstimatorTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def inputs(self, labels=None):
        return tf.estimator.inputs.numpy_input_fn(
            {"x": X}, labels, batch_size=100, num_epochs=1, shuffle=False
        )

    def test_older_estimators_train_evaluate_and_predict(self):
        model = random_forest.TensorForestEstimator(
            hparams(num_trees=3), model_dir=self.folder, report_feature_importances=True
        )
        model.fit(input_fn=self.inputs(CLASSES))
        measured = model.evaluate(input_fn=self.inputs(CLASSES))
        self.assertAlmostEqual(measured["accuracy"], OLDER[0], places=5)
        self.assertAlmostEqual(measured["loss"], OLDER[1], places=5)
        found = next(iter(model.predict(input_fn=self.inputs())))
        names = [eval_metrics.INFERENCE_PRED_NAME, eval_metrics.INFERENCE_PROB_NAME]
        self.assertLess({*names, random_forest.VARIANCE_PREDICTION_KEY}, set(found))

    def test_newer_estimators_train_evaluate_and_predict(self):
        model = random_forest.CoreTensorForestEstimator(
            hparams(num_classes=1, regression=True, num_trees=3), model_dir=self.folder
        )
        model.train(self.inputs(NUMBERS))
        measured = model.evaluate(self.inputs(NUMBERS))
        self.assertAlmostEqual(measured["loss"], NEWER, places=5)
        self.assertIn("predictions", next(iter(model.predict(self.inputs()))))

    def test_several_forests_have_a_column_of_the_labels_each(self):
        labels = np.stack([CLASSES, CLASSES[::-1]], 1)
        model = random_forest.MultiForestMultiHeadEstimator(
            [hparams(), hparams()], model_dir=self.folder
        )
        model.fit(input_fn=self.inputs(labels))
        self.assertGreater(model.evaluate(input_fn=self.inputs(labels))["loss"], 0)
        found = next(iter(model.predict(input_fn=self.inputs())))
        self.assertEqual(found["probabilities"].shape, (6,))
        self.assertEqual(found["classes"].shape, (2,))

    def test_metrics_are_found_by_their_names(self):
        self.assertEqual(eval_metrics.get_prediction_key("r2"), "scores")
        with tf.Graph().as_default(), tf.Session() as session:
            metric = eval_metrics.get_metric("accuracy")(tf.constant([1, 0]), tf.constant([1, 1]))
            session.run(tf.local_variables_initializer())
            self.assertEqual(session.run(metric[1]), 0.5)
        with self.assertRaises(KeyError):
            eval_metrics.get_metric("none")


# What TensorFlow 1.15 gives: state() after ten steps, accuracy and loss, and a loss.
REGRESSION = (1500.034, -18.0)
OLDER = (0.575, 0.9610403)
NEWER = 0.8767829

if __name__ == "__main__":
    unittest.main()
