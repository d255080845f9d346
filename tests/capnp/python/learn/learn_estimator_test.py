"""The older `Estimator`: trainings, evaluations and predictions of any model function."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

learn = tf.contrib.learn
X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]], np.float32)
Y = np.array([2.0, 4.0, 6.0, 8.0, 10.0], np.float32)


def line(features, labels, mode, params):
    """predictions = w * x, as one of three values."""
    x = features["x"] if isinstance(features, dict) else features
    w = tf.get_variable("w", initializer=params["start"])
    predictions = w * x[:, 0]
    loss = tf.reduce_mean(tf.square(predictions - labels))
    step = tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss, global_step=step)
    return predictions, loss, train


def inputs():
    return {"x": tf.constant(X)}, tf.constant(Y)


class EstimatorTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def made(self, start=0.0, rate=0.02, **options):
        params = {"start": start, "rate": rate}
        return learn.Estimator(line, self.folder, params=params, **options)

    def test_arrays_are_fitted_evaluated_and_predicted(self):
        model = self.made()
        self.assertIs(model.fit(X, Y, steps=60), model)
        self.assertAllClose(model.get_variable_value("w"), 2.0, atol=1e-3)
        self.assertEqual(model.get_variable_names(), ["global_step", "w"])
        found = model.evaluate(X, Y, batch_size=2)
        self.assertEqual(set(found), {"loss", "global_step"})
        self.assertLess(found["loss"], 1e-4)
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "eval")))
        self.assertAllClose(list(model.predict(X, batch_size=2)), Y, atol=1e-2)
        batches = list(model.predict(X, batch_size=2, iterate_batches=True))
        self.assertEqual([len(batch) for batch in batches], [2, 2, 1])

    def test_input_functions_give_tensors_and_datasets(self):
        model = self.made()
        model.fit(input_fn=inputs, steps=60)
        self.assertAllClose(list(model.predict(input_fn=inputs)), Y, atol=1e-2)
        data = lambda: tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(5)
        self.assertLess(model.evaluate(input_fn=data)["loss"], 1e-4)

    def test_trainings_go_on_and_end_at_the_greatest_step(self):
        model = self.made()
        model.fit(input_fn=inputs, steps=3)
        model.partial_fit(input_fn=inputs)
        self.assertEqual(model.get_variable_value("global_step"), 4)
        model.fit(input_fn=inputs, max_steps=6)
        model.fit(input_fn=inputs, max_steps=5)
        self.assertEqual(model.get_variable_value("global_step"), 6)

    def test_each_example_comes_once_in_an_epoch_in_another_order(self):
        seen = []

        def model_fn(features, labels):
            def keep(x):
                seen.append(x[:, 0].tolist())
                return np.float32(0)

            record = tf.py_func(keep, [features], tf.float32)
            step = tf.assign_add(tf.train.get_global_step(), 1)
            with tf.control_dependencies([record]):
                return features, record + tf.get_variable("w", initializer=0.0), tf.identity(step)

        learn.Estimator(model_fn, self.folder).fit(X, Y, steps=6, batch_size=2)
        batches = seen[-6:]
        self.assertEqual([len(batch) for batch in batches], [2, 2, 1] * 2)
        first, second = sum(batches[:3], []), sum(batches[3:], [])
        self.assertEqual((sorted(first), sorted(second)), (X[:, 0].tolist(),) * 2)
        self.assertNotEqual(first, second)

    def test_metrics_are_of_predictions_labels_and_weights(self):
        def model_fn(features, labels, mode):
            step = tf.assign_add(tf.train.get_global_step(), 1)
            loss = tf.get_variable("w", initializer=0.0)
            return learn.ModelFnOps(mode, {"one": features["x"][:, 0], "two": features["x"]},
                                    loss, step)  # fmt: skip

        def data():
            features = {"x": tf.constant(X), "weight": tf.constant([1.0, 0.0, 0.0, 0.0, 0.0])}
            return features, {"y": tf.constant(Y), "z": tf.constant(Y)}

        model = learn.Estimator(model_fn, self.folder)
        model.fit(input_fn=data, steps=1)
        spec = learn.MetricSpec
        found = model.evaluate(input_fn=data, steps=1, name="own", metrics={
            "error": spec(tf.metrics.mean_absolute_error, "one", "y"),
            "weighted": spec(tf.metrics.mean_absolute_error, "one", "y", "weight"),
            "older": spec(tf.contrib.metrics.streaming_mean_absolute_error, "one", "z"),
            ("named", "one"): lambda predictions, labels: tf.reduce_sum(predictions),
        })  # fmt: skip
        expected = {"error": 3.0, "weighted": 1.0, "older": 3.0, "named": 15.0}
        for name, value in expected.items():
            self.assertAllClose(found[name], value)
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "eval_own")))
        with self.assertRaisesRegex(ValueError, "requires predictions"):
            model.evaluate(input_fn=data, steps=1, metrics={"a": spec(tf.metrics.mean)})
        with self.assertRaisesRegex(KeyError, "missing from"):
            model.evaluate(input_fn=data, steps=1, metrics={"a": spec(tf.metrics.mean, "no")})
        with self.assertRaisesRegex(ValueError, "provide only name"):
            model.evaluate(input_fn=data, steps=1, metrics={"a": tf.metrics.mean})
        with self.assertRaisesRegex(ValueError, "missing from"):
            spec(lambda predictions: None, label_key="y")
        with self.assertRaisesRegex(ValueError, "Ambiguous arguments"):
            spec(lambda label, labels: None)

    def test_features_are_changed_before_the_model_gets_them(self):
        model = self.made(feature_engineering_fn=lambda x, y: ({"x": x["x"] * 2.0}, y))
        model.fit(input_fn=inputs, steps=60)
        self.assertAllClose(model.get_variable_value("w"), 1.0, atol=1e-3)

    def test_predictions_know_the_labels_of_a_training_as_placeholders(self):
        seen = {}

        def model_fn(features, labels, mode):
            seen[mode] = labels
            return line(features, labels, mode, {"start": 0.0, "rate": 0.1})

        model = learn.Estimator(model_fn, self.folder)
        model.fit(input_fn=inputs, steps=1)
        next(model.predict(input_fn=inputs))
        self.assertEqual(seen["infer"].op.type, "Placeholder")
        self.assertEqual(seen["infer"].shape.as_list(), [None])

    def test_other_features_than_those_of_a_training_are_refused(self):
        model = self.made()
        model.fit(input_fn=inputs, steps=1)
        for given, text in (
            (lambda: ({"x": tf.constant([[1]])}, tf.constant(Y)), "Features are incompatible"),
            (lambda: ({"y": tf.constant(X)}, tf.constant(Y)), "Features are incompatible"),
            (lambda: ({"x": tf.constant(X)}, tf.constant([[1.0]])), "Labels are incompatible"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                model.fit(input_fn=given, steps=1)

    def test_a_model_without_a_training_cannot_be_used(self):
        model = self.made()
        for use in (lambda: model.evaluate(X, Y), lambda: model.predict(X),
                    lambda: model.get_variable_names()):  # fmt: skip
            with self.assertRaisesRegex(learn.NotFittedError, "Couldn't find trained model"):
                use()

    def test_wrong_calls_are_refused(self):
        model = self.made()
        for call, kind, text in (
            (lambda: model.fit(X, Y, input_fn=inputs), ValueError, "both input_fn and x or y"),
            (lambda: model.fit(), ValueError, "Either x or input_fn"),
            (lambda: model.fit(tf.constant(X), Y), ValueError, "Inputs cannot be tensors"),
            (lambda: model.fit(input_fn=inputs, batch_size=2), ValueError, "and batch_size"),
            (lambda: model.fit(X, Y, steps=1, max_steps=1), ValueError, "both steps and max_st"),
            (lambda: model.fit(X, Y[:2], steps=1), ValueError, "different lengths"),
            (lambda: model.fit(X, Y, steps=1, batch_size=0), ValueError, "Invalid batch_size"),
            (lambda: model.fit(iter(X), iter(Y), steps=1), TypeError, "is an iterator"),
            (lambda: learn.Estimator(lambda x, y: None, params={}), ValueError, "params argument"),
            (lambda: learn.Estimator(lambda x, y: (1,), self.folder).fit(X, Y, steps=1),
             ValueError, "please return ModelFnOps"),
        ):  # fmt: skip
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                call()

    def test_estimators_have_the_methods_of_scikit_learn(self):
        model = learn.SKCompat(self.made(rate=0.01))
        self.assertIs(model.fit(X, Y, steps=200, batch_size=2), model)
        self.assertLess(model.score(X, Y)["loss"], 1e-3)
        self.assertAllClose(model.predict(X, batch_size=2), Y, atol=0.05)

    def test_columns_are_inferred_for_arrays(self):
        (column,) = learn.infer_real_valued_columns_from_input(np.zeros([5, 3]))
        self.assertEqual((column.name, column.dimension, column.dtype), ("", 3, tf.float64))
        found = learn.infer_real_valued_columns_from_input({"a": [1, 2, 3, 4, 5], "b": X})
        self.assertEqual([each.name for each in found], ["a", "b"])
        (column,) = learn.infer_real_valued_columns_from_input_fn(inputs)
        self.assertEqual((column.name, column.dimension), ("x", 1))

    def test_ops_that_a_mode_needs_must_be_there(self):
        loss = tf.constant(1.0)
        ops = learn.ModelFnOps
        for make, kind, text in (
            (lambda: ops("train", loss=loss), ValueError, "Missing train_op"),
            (lambda: ops("train", train_op=loss), ValueError, "Missing loss"),
            (lambda: ops("eval", loss=loss), ValueError, "Missing predictions"),
            (lambda: ops("infer"), ValueError, "Missing predictions"),
            (lambda: ops("other", loss), ValueError, "Invalid mode"),
            (lambda: ops("eval", loss, [loss, loss]), ValueError, "must be scalar"),
            (lambda: ops("train", loss, loss, loss, training_hooks=["a"]), TypeError, "hooks"),
            (lambda: ops("infer", loss, eval_metric_ops=[1]), ValueError, "must be a dict"),
        ):
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                make()
        kinds = learn.ProblemType
        made = ops("infer", {"scores": loss}, output_alternatives={
            None: (kinds.LINEAR_REGRESSION, {"scores": tf.constant([1.0])})
        })  # fmt: skip
        (output,) = set(made.estimator_spec().export_outputs.values())
        self.assertIsInstance(output, tf.estimator.export.RegressionOutput)


if __name__ == "__main__":
    unittest.main()
