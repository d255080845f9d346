"""Estimators of tf.contrib.estimator: recurrent, of SavedModels, and on several devices."""

import tempfile
import unittest

import numpy as np

import troupe as tf

contrib, models = tf.contrib.estimator, tf.estimator
X = np.linspace(-1, 1, 16).astype(np.float32)


def batches(labels=None, name="x"):
    def input_fn():
        features = {name: X}
        given = features if labels is None else (features, labels)
        return tf.data.Dataset.from_tensor_slices(given).batch(8).repeat(1 if labels is None else 4)

    return input_fn


def regression(features, labels, mode):
    return regression_by(tf.train.GradientDescentOptimizer(0.5), features, labels, mode)


def regression_by(optimizer, features, labels, mode):
    w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    logits = tf.matmul(tf.reshape(features["x"], [-1, 1]), w)
    if mode == models.ModeKeys.PREDICT:
        return models.EstimatorSpec(mode, {"y": logits})
    return contrib.regression_head().create_estimator_spec(
        features, mode, logits, labels, optimizer=optimizer if mode == "train" else None
    )


class InFolder(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


class RecurrentTest(InFolder):
    def test_a_recurrent_network_learns_what_sequences_end_with(self):
        last = np.random.RandomState(0).choice([-1.0, 1.0], 40).astype(np.float32)

        def input_fn():
            indices = [[row, step] for row in range(40) for step in range(1 + row % 3)]
            values = [last[row] if step == row % 3 else 0.0 for row, step in indices]
            sequence = tf.SparseTensor(indices, tf.constant(values, tf.float32), [40, 3])
            return {"s": sequence}, (last > 0).astype(np.int64)

        column = tf.contrib.feature_column.sequence_numeric_column("s")
        model = contrib.RNNClassifier(
            [column], num_units=[4], cell_type="gru", model_dir=self.folder, optimizer=lambda:
            tf.train.AdamOptimizer(0.1), config=models.RunConfig(tf_random_seed=1),
        )  # fmt: skip
        model.train(input_fn, steps=40)
        self.assertEqual(model.evaluate(input_fn, steps=1)["accuracy"], 1.0)
        self.assertIn("rnn/rnn/gru_cell/gates/kernel", model.get_variable_names())

    def test_a_cell_is_made_in_one_way(self):
        with self.assertRaisesRegex(ValueError, "must not be specified when using rnn_cell_fn"):
            contrib.RNNClassifier([], num_units=[2], rnn_cell_fn=lambda mode: None)
        with self.assertRaisesRegex(ValueError, "SequentialHead"):
            contrib.RNNEstimator(None, [], num_units=[2], return_sequences=True)


class SavedModelTest(InFolder):
    def exported(self):
        model = models.Estimator(regression, f"{self.folder}/model")
        model.train(batches(2 * X.reshape(-1, 1)), steps=2)
        supervised = contrib.build_supervised_input_receiver_fn_from_input_fn(
            batches(2 * X.reshape(-1, 1))
        )
        serving = models.export.build_raw_serving_input_receiver_fn({"x": tf.zeros([1])})
        receivers = {"train": supervised, "eval": supervised, "infer": serving}
        return model, contrib.export_all_saved_models(model, f"{self.folder}/out", receivers)

    def test_a_training_goes_on_from_an_export(self):
        model, path = self.exported()
        again = contrib.SavedModelEstimator(path, f"{self.folder}/again")
        wanted = model.evaluate(batches(2 * X.reshape(-1, 1)))
        found = again.evaluate(batches(2 * X.reshape(-1, 1)))
        self.assertAllClose(found["metrics/average_loss"], wanted["average_loss"])
        again.train(batches(2 * X.reshape(-1, 1)), steps=3)
        model.train(batches(2 * X.reshape(-1, 1)), steps=3)
        self.assertAllClose(again.get_variable_value("w"), model.get_variable_value("w"))
        self.assertEqual(again.get_variable_value("global_step"), 5)
        first = next(again.predict(batches()))
        self.assertAllClose(first["y"], X[0] * again.get_variable_value("w")[0])

    def test_a_mode_that_was_not_exported_is_refused(self):
        model, _ = self.exported()
        serving = models.export.build_raw_serving_input_receiver_fn({"x": tf.zeros([1])})
        path = contrib.export_saved_model_for_mode(model, f"{self.folder}/one", serving)
        again = contrib.SavedModelEstimator(path)
        with self.assertRaisesRegex(RuntimeError, "train mode is not available"):
            again.train(batches(X))
        with self.assertRaisesRegex(ValueError, 'Key "x" not found'):
            next(again.predict(batches(name="z")))


class ReplicasTest(InFolder):
    def trained(self, count):
        def model_fn(features, labels, mode):
            optimizer = tf.train.MomentumOptimizer(0.3, 0.9)
            return regression_by(contrib.TowerOptimizer(optimizer), features, labels, mode)

        function = contrib.replicate_model_fn(model_fn, devices=["/cpu:0"] * count)
        model = models.Estimator(function, f"{self.folder}/{count}")
        model.train(batches(2 * X.reshape(-1, 1)))
        results = model.evaluate(batches(2 * X.reshape(-1, 1)))
        predictions = [each["y"] for each in model.predict(batches())]
        return model.get_variable_value("w"), results["average_loss"], predictions

    def test_parts_of_a_batch_on_several_devices_train_as_the_batch_does(self):
        alone = self.trained(1)
        for count in (2, 4):
            for found, wanted in zip(self.trained(count), alone):
                self.assertAllClose(found, wanted, rtol=1e-4)

    def test_what_cannot_be_cut_is_refused(self):
        with self.assertRaisesRegex(ValueError, "wrap optimizers with TowerOptimizer"):
            function = contrib.replicate_model_fn(regression, devices=["/cpu:0"] * 2)
            models.Estimator(function, self.folder).train(batches(X.reshape(-1, 1)))


class OthersTest(InFolder):
    def test_graphs_of_columns_of_layers_tell_their_features(self):
        columns = [tf.contrib.layers.real_valued_column("x")]
        found = {}

        class Look(tf.train.SessionRunHook):
            def begin(self):
                graph = tf.get_default_graph()
                for key in graph.get_all_collection_keys():
                    if str(key).startswith("layer_annot"):
                        found[key] = graph.get_collection(key)

        model = contrib.DNNRegressorWithLayerAnnotations([2], columns, self.folder)
        features = {"x": X.reshape(-1, 1)}
        model.train(lambda: (features_of(features), tf.constant(X)), hooks=[Look()], steps=1)
        self.assertEqual(found["layer_annotations/unprocessed_features/keys"], ["x"])
        self.assertEqual(found["layer_annotatons/processed_features/keys"], ["x"])
        self.assertEqual(len(found["layer_annotations/feature_columns"]), 1)

    def test_an_estimator_of_learn_becomes_a_function_of_arrays(self):
        learn, columns = tf.contrib.learn, [tf.contrib.layers.real_valued_column("x")]
        model = learn.LinearRegressor(columns, self.folder)
        features = {"x": X.reshape(-1, 1)}
        model.fit(input_fn=lambda: (features_of(features), tf.constant(X)), steps=2)

        def serving():
            fed = tf.placeholder(tf.float32, [None, 1])
            return learn.InputFnOps({"x": fed}, None, {"x": fed})

        predict = tf.contrib.predictor.from_contrib_estimator(model, serving)
        self.assertEqual(predict({"x": [[1.0], [2.0]]})["scores"].shape, (2,))
        with self.assertRaisesRegex(TypeError, "from_estimator"):
            tf.contrib.predictor.from_contrib_estimator(models.Estimator(regression), serving)

    def test_a_head_of_distributions_learns_by_their_probabilities(self):
        distributions = tf.contrib.distributions
        head = distributions.estimator_head_distribution_regression(
            lambda logits: distributions.MultivariateNormalDiag(logits, [2.0, 2.0]), 2
        )
        tf.train.create_global_step()
        logits, labels = tf.constant([[1.0, 3.0]]), tf.constant([[0.0, 1.0]])
        made = head.create_model_fn_ops({}, "eval", labels, logits=logits)
        wanted = (1 + 4) / 8 + 2 * np.log(2 * np.sqrt(2 * np.pi))
        self.assertAllClose(self.evaluate(made.loss), wanted)


def features_of(arrays):
    return {key: tf.constant(value) for key, value in arrays.items()}


if __name__ == "__main__":
    unittest.main()
