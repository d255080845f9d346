"""What stops trainings of estimators and evaluates in them, and estimators made of others."""

import tempfile
import unittest

import numpy as np

import troupe as tf

experimental, contrib = tf.estimator.experimental, tf.contrib.estimator


def model_fn(features, labels, mode):
    rate = tf.get_variable("rate", initializer=1.0)
    predictions = {"twice": 2.0 * features["x"] * rate}
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"predict": tf.estimator.export.PredictOutput(dict(predictions))}
        return tf.estimator.EstimatorSpec(mode, predictions, export_outputs=outputs)
    step = tf.train.get_global_step()
    train_op = tf.group(step.assign_add(1), rate.assign_add(1.0))
    return tf.estimator.EstimatorSpec(
        mode, predictions, loss=tf.reduce_sum(rate), train_op=train_op,
        eval_metric_ops={"rate": tf.metrics.mean(rate)},
    )  # fmt: skip


def input_fn():
    features = {"x": np.array([1.0, 2.0], np.float32)}
    return tf.data.Dataset.from_tensors((features, np.array([3.0, 4.0], np.float32))).repeat(20)


class OfEstimator(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.estimator = tf.estimator.Estimator(model_fn, self.folder)


class HooksTest(OfEstimator):
    def wrote(self, *values):
        """Summaries of evaluations as (step, accuracy)."""
        writer = tf.summary.FileWriter(self.estimator.eval_dir())
        for step, value in values:
            each = tf.Summary.Value(tag="accuracy", simple_value=value)
            writer.add_summary(tf.Summary(value=[each]), step)
        writer.close()

    def steps_until(self, make_hook, *arguments, **options):
        """How many of five steps a new training takes, with a hook of the evaluations."""
        estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(dir=self.folder))
        hook = make_hook(estimator, *arguments, eval_dir=self.estimator.eval_dir(), **options)
        estimator.train(input_fn, [hook], steps=5)
        return int(estimator.get_variable_value("global_step"))

    def test_a_training_stops_when_the_function_says_so(self):
        answers = [False, True]
        hook = experimental.make_early_stopping_hook(
            self.estimator, lambda: answers.pop(0), run_every_secs=None, run_every_steps=2
        )
        self.estimator.train(input_fn, [hook], steps=5)
        self.assertEqual(self.estimator.get_variable_value("global_step"), 3)
        self.assertTrue(self.estimator.get_variable_value("signal_early_stopping/STOP"))
        with self.assertRaisesRegex(TypeError, "must have type `tf.estimator.Estimator`"):
            experimental.make_early_stopping_hook(None, bool)
        with self.assertRaisesRegex(ValueError, "Only one of"):
            experimental.make_early_stopping_hook(self.estimator, bool, 1, 1)

    def test_other_workers_stop_when_the_chief_has_told_so(self):
        config = tf.estimator.RunConfig(self.folder)
        config._is_chief = False
        worker = tf.estimator.Estimator(model_fn, config=config)
        hook = contrib.make_early_stopping_hook(worker, lambda: False)
        with tf.Graph().as_default():
            hook.begin()
            told = hook.before_run(None).fetches
            context = tf.train.SessionRunContext(None, None)
            with tf.Session() as session:
                session.run(told.initializer)
                for value in (False, True):
                    session.run(told.assign(value))
                    values = tf.train.SessionRunValues(session.run(told), None, None)
                    hook.after_run(context, values)
                    self.assertEqual(context.stop_requested, value)

    def test_a_metric_beyond_a_threshold_stops(self):
        self.wrote((10, 0.5), (20, 0.7))
        higher, lower = experimental.stop_if_higher_hook, experimental.stop_if_lower_hook
        self.assertEqual(self.steps_until(higher, "accuracy", 0.6), 1)
        self.assertEqual(self.steps_until(higher, "accuracy", 0.8), 5)
        self.assertEqual(self.steps_until(lower, "accuracy", 0.6), 1)
        self.assertEqual(self.steps_until(lower, "accuracy", 0.6, min_steps=15), 5)

    def test_a_metric_that_is_no_longer_better_stops(self):
        self.wrote((10, 0.5), (20, 0.7), (30, 0.6), (40, 0.6))
        increase, decrease = contrib.stop_if_no_increase_hook, contrib.stop_if_no_decrease_hook
        self.assertEqual(self.steps_until(increase, "accuracy", 20), 1)
        self.assertEqual(self.steps_until(increase, "accuracy", 21), 5)
        self.assertEqual(self.steps_until(decrease, "accuracy", 30), 1)
        self.assertEqual(self.steps_until(decrease, "accuracy", 31), 5)

    def test_metrics_of_evaluations_are_read_by_their_steps(self):
        self.assertEqual(dict(contrib.read_eval_metrics(self.estimator.eval_dir())), {})
        self.wrote((20, 0.5), (10, 0.25))
        found = contrib.read_eval_metrics(self.estimator.eval_dir())
        self.assertEqual(list(found.items()), [(10, {"accuracy": 0.25}), (20, {"accuracy": 0.5})])

    def test_a_training_evaluates_with_its_variables(self):
        hook = experimental.InMemoryEvaluatorHook(
            self.estimator, input_fn, steps=2, name="own", every_n_iter=2
        )
        self.estimator.train(input_fn, [hook], steps=5)
        found = contrib.read_eval_metrics(self.estimator.eval_dir("own"))
        self.assertEqual({step: each["rate"] for step, each in found.items()},
                         {0: 1.0, 2: 3.0, 4: 5.0, 5: 6.0})  # fmt: skip
        with self.assertRaisesRegex(ValueError, "invalid every_n_iter=0"):
            experimental.InMemoryEvaluatorHook(self.estimator, input_fn, every_n_iter=0)

    def test_another_worker_stops_after_the_checkpoint_of_the_last_step(self):
        chief = experimental.make_stop_at_checkpoint_step_hook(self.estimator, 3)
        self.assertIsInstance(chief, tf.train.StopAtStepHook)
        self.estimator.train(input_fn, steps=3)
        config = tf.estimator.RunConfig(self.folder)
        config._is_chief = False
        worker = tf.estimator.Estimator(model_fn, config=config)
        for last_step, stops in ((4, False), (3, True)):
            hook = experimental.make_stop_at_checkpoint_step_hook(worker, last_step, 0)
            context = tf.train.SessionRunContext(None, None)
            hook.after_run(context, tf.train.SessionRunValues(3, None, None))
            self.assertEqual(context.stop_requested, stops)


class ExtendersTest(OfEstimator):
    def test_an_estimator_has_more_metrics(self):
        def metric_fn(features, predictions):
            found = tf.metrics.mean(features["x"] + predictions["twice"])
            return {"sum": found, "rate": found}

        extended = tf.estimator.add_metrics(self.estimator, metric_fn)
        self.assertIs(contrib.add_metrics, tf.estimator.add_metrics)
        results = extended.evaluate(input_fn, steps=1)
        self.assertEqual((results["sum"], results["rate"]), (4.5, 4.5))
        with self.assertRaisesRegex(ValueError, "not expected args.*other"):
            tf.estimator.add_metrics(self.estimator, lambda other: {})

    def test_features_are_among_the_predictions(self):
        forwards = contrib.forward_features(self.estimator, "x")
        found = list(forwards.predict(input_fn))
        self.assertEqual(found[1], {"twice": 4.0, "x": 2.0})

        def serving_input_fn():
            x = tf.placeholder(tf.float32, [None])
            return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})

        self.estimator.train(input_fn, steps=1)
        path = forwards.export_saved_model(f"{self.folder}/exported", serving_input_fn)
        predict = tf.contrib.predictor.from_saved_model(path.decode(), "predict")
        self.assertAllEqual(predict({"x": [7.0]})["x"], [7.0])
        with self.assertRaisesRegex(ValueError, 'Key "y" is not in features'):
            next(contrib.forward_features(self.estimator, ["y"]).predict(input_fn))
        with self.assertRaisesRegex(TypeError, "either a string or a list"):
            contrib.forward_features(self.estimator, 3)

    def test_sparse_features_are_forwarded_with_what_fills_them(self):
        sparse = tf.SparseTensorValue([[0, 0], [1, 1]], [3.0, 4.0], [2, 2])

        def inputs():
            x = tf.constant([1.0, 2.0])
            features = {"x": x, "s": tf.convert_to_tensor_or_sparse_tensor(sparse)}
            return features, None

        forwards = contrib.forward_features(self.estimator, ["s"], {"s": -1.0})
        self.assertAllEqual(next(forwards.predict(inputs))["s"], [3.0, -1.0])
        with self.assertRaisesRegex(ValueError, "should be a Tensor"):
            next(contrib.forward_features(self.estimator, ["s"]).predict(inputs))

    def test_gradients_are_clipped_by_the_norm_of_all(self):
        x, y = tf.get_variable("x", initializer=1.0), tf.get_variable("y", initializer=1.0)
        optimizer = contrib.clip_gradients_by_norm(tf.train.GradientDescentOptimizer(1.0), 1.0)
        self.assertEqual(optimizer.get_name(), "ClipByNormGradientDescent")
        step = optimizer.minimize(3.0 * x + 4.0 * y)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllClose(session.run([x, y]), [0.4, 0.2])


if __name__ == "__main__":
    unittest.main()
