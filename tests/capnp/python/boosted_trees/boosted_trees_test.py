"""Boosted trees: they are those of TensorFlow's estimators, and so are predictions."""

import pathlib
import shutil
import struct
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe._src.boosted_trees.ensembles import QuantileAccumulator, TreeEnsemble
from troupe._src.messages.wire import read_fields

fc, models = tf.feature_column, tf.estimator
RECORDED = pathlib.Path(__file__).parents[3] / "reference/checkpoints"
COUNT = 12
A = np.array([0, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], np.float32)
B = np.array([2, 4, 0, 1, 4, 2, 3, 5, 0, 1, 5, 3], np.float32) / 4
C = np.array(["x", "y", "z", "x", "y", "x", "z", "z", "y", "x", "y", "z"], object)
Y = (A * 0.5 + (B > 0.5) * 2 + (C == "y")).astype(np.float32).reshape(-1, 1)
CLASSES = (Y > 3).astype(np.int32)
FEATURES = {"a": A, "b": B, "c": C}


def columns():
    words = fc.categorical_column_with_vocabulary_list("c", ["x", "y", "z"])
    bucketized = fc.bucketized_column(fc.numeric_column("a"), [1.5, 3.5, 5.5])
    return [bucketized, fc.numeric_column("b"), fc.indicator_column(words)]


def batches(labels, size):
    return lambda: tf.data.Dataset.from_tensor_slices((FEATURES, labels)).repeat().batch(size)


def examples(labels):
    return lambda: tf.data.Dataset.from_tensors((FEATURES, labels))


def once():
    return tf.data.Dataset.from_tensor_slices(FEATURES).batch(5)


def regressor(folder, **options):
    return models.BoostedTreesRegressor(
        columns(), 2, folder, n_trees=2, max_depth=2, learning_rate=0.5, center_bias=True,
        quantile_sketch_epsilon=0.1, **options,
    )  # fmt: skip


def serialized(model):
    return model.get_variable_value("boosted_trees:0_serialized")


# The messages in an ensemble by their fields: trees, nodes, leaves, splits and what these had been.
LEAF, SPLIT = {}, {}
MESSAGES = {1: {1: {1: LEAF, 2: SPLIT, 777: {2: LEAF}}}}


def parts_of(data, messages=MESSAGES):
    """The floats of an ensemble, and all else that it has, in order."""
    floats, others = [], []
    for number, _, value in read_fields(data):
        others.append(number)
        if number in messages:
            inner = parts_of(value, messages[number])
            floats, others = floats + inner[0], [*others, inner[1]]
        elif isinstance(value, bytes) and len(value) == 4:
            floats += struct.unpack("<f", value)
        else:
            others.append(value)
    return floats, others


class BoostedTreesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def assert_same_trees(self, model, recorded):
        """Floats may differ where a function has another last bit."""
        floats, others = parts_of(bytes(serialized(model)))
        wanted_floats, wanted_others = parts_of(bytes.fromhex(recorded))
        self.assertEqual(others, wanted_others)
        self.assertAllClose(floats, wanted_floats)

    def test_a_regression_by_batches_has_the_trees_of_tensorflow(self):
        model = regressor(self.folder)
        model.train(batches(Y, 6))
        self.assertEqual(serialized(model).hex(), REGRESSION)
        self.assertEqual(
            model.get_variable_names(),
            [
                "boosted_trees/QuantileAccumulator:0_bucket_boundaries_0",
                "boosted_trees/are_boundaries_ready", "boosted_trees/center_bias_needed",
                "boosted_trees:0_serialized", "boosted_trees:0_stamp", "global_step",
            ],
        )  # fmt: skip
        found = [each["predictions"][0] for each in model.predict(once)]
        self.assertAllClose(found, REGRESSION_PREDICTIONS)
        results = model.evaluate(batches(Y, COUNT), steps=1)
        self.assertAllClose(results["label/mean"], Y.mean())
        self.assertAllClose(results["average_loss"], REGRESSION_LOSS)

    def test_a_training_goes_on_where_it_was(self):
        model = regressor(self.folder)
        model.train(batches(Y, 6), steps=7)
        again = regressor(self.folder)
        again.train(batches(Y, 6))
        self.assertEqual(serialized(again).hex(), REGRESSION)

    def test_a_checkpoint_of_tensorflow_is_restored(self):
        for path in RECORDED.glob("trees.ckpt*"):
            shutil.copy(path, self.folder)
        path = f"{self.folder}/trees.ckpt"
        model = regressor(self.folder)
        found = [each["predictions"][0] for each in model.predict(once, checkpoint_path=path)]
        self.assertAllClose(found, REGRESSION_PREDICTIONS)

    def test_columns_explain_predictions(self):
        model = regressor(self.folder)
        model.train(batches(Y, 6))
        importances = model.experimental_feature_importances()
        self.assertEqual(list(importances), list(IMPORTANCES))
        self.assertAllClose(list(importances.values()), list(IMPORTANCES.values()))
        shares = model.experimental_feature_importances(normalize=True)
        self.assertAllClose(sum(shares.values()), 1)
        for each in model.experimental_predict_with_explanations(once):
            self.assertAllClose(each["bias"] + sum(each["dfc"].values()), each["predictions"][0])
            self.assertEqual(set(each["dfc"]), {"a_bucketized", "b", "c"})
        one = next(model.experimental_predict_with_explanations(once, predict_keys="predictions"))
        self.assertAllClose(one["dfc"], CONTRIBUTIONS)

    def test_a_classifier_in_memory_has_the_trees_of_tensorflow(self):
        model = models.BoostedTreesClassifier(
            columns()[:1], 1, self.folder, n_trees=2, max_depth=2, l2_regularization=0.1,
            train_in_memory=True,
        )  # fmt: skip
        model.train(lambda: examples(CLASSES)().repeat())
        self.assert_same_trees(model, CLASSIFICATION)
        found = [each["logits"][0] for each in model.predict(once)]
        self.assertAllClose(found, CLASSIFICATION_LOGITS)
        results = model.evaluate(batches(CLASSES, COUNT), steps=1)
        self.assertAllClose(results["average_loss"], 0.6649642)
        self.assertAllClose(results["accuracy"], 2 / 3)

    def test_what_is_in_memory_is_repeated(self):
        trained = tf.contrib.estimator.boosted_trees_classifier_train_in_memory(
            examples(CLASSES), columns()[:1], self.folder, n_trees=2, max_depth=2,
            l2_regularization=0.1,
        )  # fmt: skip
        self.assert_same_trees(trained, CLASSIFICATION)
        with tempfile.TemporaryDirectory() as other:
            trained = tf.contrib.estimator.boosted_trees_regressor_train_in_memory(
                examples(Y), columns(), other, n_trees=1, max_depth=2, center_bias=True,
                quantile_sketch_epsilon=0.1,
            )  # fmt: skip
            found = [each["predictions"][0] for each in trained.predict(once)]
            self.assertLess(np.mean((np.array(found) - Y[:, 0]) ** 2), Y.var())

    def test_trees_are_pruned(self):
        model = models.BoostedTreesRegressor(
            columns()[:1], 1, self.folder, n_trees=2, max_depth=3, pruning_mode="post",
            tree_complexity=0.2,
        )  # fmt: skip
        model.train(batches(Y, COUNT), max_steps=20)
        self.assertEqual(serialized(model).hex(), PRUNED)

    def test_weights_and_words_are_learned_from(self):
        weights = np.linspace(1, 2, COUNT).astype(np.float32)
        labels = np.array(["no", "yes"], object)[CLASSES]
        features = {**FEATURES, "w": weights}
        model = models.BoostedTreesClassifier(
            columns(), 1, self.folder, weight_column="w", label_vocabulary=["no", "yes"],
            n_trees=3, max_depth=2, quantile_sketch_epsilon=0.1, learning_rate=1.0,
        )  # fmt: skip
        data = tf.data.Dataset
        model.train(
            lambda: data.from_tensor_slices((features, labels)).repeat().batch(COUNT), max_steps=9
        )
        words = model.predict(lambda: data.from_tensor_slices(features).batch(COUNT))
        self.assertEqual([each["classes"][0] for each in words], [
            word.encode() for word in labels[:, 0]
        ])  # fmt: skip

    def test_more_boundaries_than_quantiles_are_no_error(self):
        random = np.random.RandomState(1)
        numbers = random.normal(size=200).astype(np.float32)
        labels = numbers.reshape(-1, 1)
        column = fc.numeric_column("n")
        model = models.BoostedTreesRegressor(
            [column], 2, self.folder, n_trees=1, max_depth=2, quantile_sketch_epsilon=0.05
        )
        model.train(
            lambda: tf.data.Dataset.from_tensor_slices(({"n": numbers}, labels)).repeat().batch(100)
        )
        found = [each["predictions"][0] for each in model.predict(
            lambda: tf.data.Dataset.from_tensors({"n": numbers})
        )]  # fmt: skip
        self.assertGreater(np.corrcoef(found, numbers)[0, 1], 0.8)

    def test_ensembles_are_on_parameter_servers_and_what_uses_them_is_there(self):
        setter = tf.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:0")
        with tf.Graph().as_default() as graph, graph.device(setter):
            TreeEnsemble("trees").states()
            QuantileAccumulator(0.1, 1, 10, "quantiles").flush()
            devices = {op.device for op in graph.get_operations() if "BoostedTrees" in op.type}
        self.assertEqual(devices, {"/job:ps/task:0"})

    def test_wrong_arguments_are_errors(self):
        for options, message in (
            ({"pruning_mode": "no"}, "pruning_mode mode must be one of: none, post, pre"),
            ({"pruning_mode": "pre"}, "For pruning, tree_complexity must be positive"),
            ({"tree_complexity": 1.0}, "Tree complexity have no effect"),
        ):
            model = regressor(self.folder, **options)
            with self.assertRaisesRegex(ValueError, message):
                model.train(batches(Y, 6), steps=1)
        with self.assertRaisesRegex(ValueError, "only binary classification"):
            models.BoostedTreesClassifier(columns(), 1, n_classes=3)
        with self.assertRaisesRegex(ValueError, "only 1 dimension regression"):
            models.BoostedTreesRegressor(columns(), 1, label_dimension=2)
        with self.assertRaisesRegex(ValueError, "must be wrapped by IndicatorColumn"):
            words = fc.categorical_column_with_vocabulary_list("c", ["x"])
            models.BoostedTreesRegressor([words], 1)
        with self.assertRaisesRegex(ValueError, "center_bias must be enabled"):
            model = models.BoostedTreesRegressor(columns(), 1, self.folder)
            next(model.experimental_predict_with_explanations(once))


# What TensorFlow 1.15 makes of the same programs.
REGRESSION = (
    "0a6f0a1912080801100218012002ca300c0d0000484012051dabaa4a400a15120418032004ca300c0d1dc7b13f12"
    "051dabaa22400a171206100218052006ca300c0de9385e3f12051dabaa72400a070a051dabaab23f0a070a051d56"
    "5529400a070a051d555579400a070a051dacaaa4400a5f0a101206100218012002ca30050d1bc73b3f0a15120418"
    "032004ca300c0d70db8e3e12051dacaa0abe0a10120418052006ca300712051d55552d3f0a070a051d000004bf0a"
    "070a051ddbb68dbd0a070a051d55552d3f0a070a051dfeff813f0a040a020a00120c0000803f0000803f0000803f"
    "1a04100218011a04100218011a002206080210042001"
)
REGRESSION_PREDICTIONS = [
    0.8802084, 3.826637, 0.8802084, 2.576637, 3.380208, 2.576637,
    6.161459, 3.826637, 3.661458, 2.576637, 3.826637, 3.826637,
]  # fmt: skip
REGRESSION_LOSS = 0.2958946
IMPORTANCES = {"a_bucketized": 3.26947, "b": 3.125, "c": 0}
CONTRIBUTIONS = {"a_bucketized": -1.661458, "b": -0.625, "c": 0}
CLASSIFICATION = (
    "0a610a101206100218012002ca30050db084923d0a171206100118032004ca300c0d36c3853c12051dca67ddbc0a"
    "10120418052006ca300712051df3f0703d0a070a051dc01ad1bc0a070a051d16ef91bd0a070a051df3f0703d0a07"
    "0a051dbe6ded3d0a610a101206100218012002ca30050d32597b3d0a171206100118032004ca300c0dad56803c12"
    "051d453dc5bc0a10120418052006ca300712051de836633d0a070a051d61a9aebc0a070a051da39e85bd0a070a05"
    "1de836633d0a070a051d0a04e03d0a040a020a00120c0000803f0000803f0000803f1a04100218011a0410021801"
    "1a002206080210042001"
)
CLASSIFICATION_LOGITS = [
    -0.04684645, -0.04684645, -0.04684645, -0.1365008, -0.04684645, -0.1365008,
    0.2253147, -0.04684645, 0.2253147, -0.1365008, -0.04684645, -0.1365008,
]  # fmt: skip
PRUNED = (
    "0a660a0e120418012002ca30050d839b02400a070a051d8988083e0a171206100218032004ca300c0d4d993a3f12"
    "051d176cc13e0a171206100118052006ca300c0d337c253e12051d9dfb2c3f0a070a051da4705d3f0a070a051dd4"
    "0a813f0a070a051dda48653f0a660a101206100218012002ca30050d9e5fa83f0a15120418032004ca300c0dda64"
    "a13e12051d2bd9513e0a070a051d1883e03e0a070a051d2adf9b3e0a171206100118052006ca300c0d6643be3d12"
    "051df2fdd93e0a070a051d1cb02e3f0a070a051d97c4143f0a040a020a00120c0000803f0000803f0000803f1a98"
    "0110031801220612040000000022080801120400000000220808021204000000002208080112048ec2f5bd220808"
    "011204000000002208080312040000000022080804120400000000220808011204d57869be2208080112048ec2f5"
    "bd220808011204000000002208080112040000000022080805120400000000220808061204000000002208080412"
    "04000000002208080412041483e0be1a980110031801220612040000000022080801120400000000220808021204"
    "00000000220808031204000000002208080412040000000022080802120400000000220808021204900fcabe2208"
    "080312044c69b7bd2208080312040000000022080805120400000000220808061204000000002208080212040000"
    "000022080802120400000000220808021204900fcabe22080802120430f53fbf1a002206080210062001"
)


if __name__ == "__main__":
    unittest.main()
