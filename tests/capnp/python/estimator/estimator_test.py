"""Estimators: trainings that go on, evaluations, predictions, and what input functions give."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

ROWS = np.random.RandomState(0).rand(100, 2).astype(np.float32)
LABELS = ROWS @ np.array([[2.0], [-3.0]], np.float32)


def model_fn(features, labels, mode, params):
    y = tf.layers.dense(features["x"], 1, name="d")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y, "x": features["x"]})
    loss = tf.losses.mean_squared_error(labels, y)
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, y)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def rows(batch_size=20, num_epochs=None, shuffle=False):
    return tf.estimator.inputs.numpy_input_fn({"x": ROWS}, LABELS, batch_size, num_epochs, shuffle)


def dataset():
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS)).repeat().batch(10)


class EstimatorTest(tf.test.TestCase):
    def estimator(self, folder=None, warm_start_from=None, params=None, **options):
        folder = folder or self.folder()
        return tf.estimator.Estimator(
            model_fn,
            folder,
            tf.estimator.RunConfig(**options),
            params or {"rate": 0.1},
            warm_start_from,
        )

    def folder(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return made.name

    def test_a_folder_that_was_moved_has_its_checkpoints(self):
        estimator = self.estimator()
        estimator.train(rows(), steps=3)
        moved = os.path.join(self.folder(), "moved")
        os.rename(estimator.model_dir, moved)
        os.mkdir(estimator.model_dir)  # so that its end finds it
        self.assertEqual(self.estimator(moved).get_variable_value("global_step"), 3)

    def test_a_training_goes_on_from_the_latest_checkpoint(self):
        estimator = self.estimator()
        self.assertIs(estimator.train(rows(), steps=3), estimator)
        self.assertTrue(estimator.latest_checkpoint().endswith("model.ckpt-3"))
        estimator.train(dataset, steps=2)
        self.assertEqual(estimator.get_variable_value("global_step"), 5)
        self.assertEqual(estimator.get_variable_names(), ["d/bias", "d/kernel", "global_step"])
        again = self.estimator(estimator.model_dir)
        again.train(rows(), max_steps=6)
        self.assertEqual(again.get_variable_value("global_step"), 6)
        again.train(rows(), max_steps=6)
        self.assertEqual(again.get_variable_value("global_step"), 6)
        again.train(rows(), max_steps=15 / 2)  # a quotient, as of rows by a batch
        self.assertEqual(again.get_variable_value("global_step"), 8)

    def test_a_training_ends_with_its_input(self):
        estimator = self.estimator()
        estimator.train(rows(num_epochs=2))
        self.assertEqual(estimator.get_variable_value("global_step"), 10)

    def test_an_evaluation_has_the_metrics_the_loss_and_the_step(self):
        estimator = self.estimator().train(rows(), steps=4)
        results = estimator.evaluate(rows(num_epochs=1, batch_size=50))
        kernel, bias = (estimator.get_variable_value(f"d/{name}") for name in ("kernel", "bias"))
        errors = ROWS @ kernel + bias - LABELS
        self.assertAllClose(results["mae"], np.abs(errors).mean())
        self.assertAllClose(results["loss"], (errors**2).mean())
        self.assertEqual(results["global_step"], 4)
        (events,) = os.listdir(os.path.join(estimator.model_dir, "eval"))
        path = os.path.join(estimator.model_dir, "eval", events)
        values = [
            (event.step, value.tag, value.simple_value)
            for event in tf.train.summary_iterator(path)
            for value in event.summary.value
        ]
        self.assertIn((4, "mae", float(results["mae"])), values)

    def test_an_evaluation_has_so_many_steps_and_another_folder_for_a_name(self):
        estimator = self.estimator()
        seen = []

        class Count(tf.train.SessionRunHook):
            def after_run(self, run_context, run_values):
                seen.append(1)

        results = estimator.evaluate(rows(), steps=3, hooks=[Count()], name="small")
        self.assertEqual((len(seen), results["global_step"]), (3, 0))
        self.assertTrue(os.path.isdir(os.path.join(estimator.model_dir, "eval_small")))

    def test_predictions_are_those_of_each_example_or_of_batches(self):
        estimator = self.estimator().train(rows(), steps=1)
        found = list(estimator.predict(rows(30, num_epochs=1)))
        self.assertEqual(len(found), 100)
        self.assertAllClose(found[77]["x"], ROWS[77])
        self.assertEqual(list(next(estimator.predict(rows(), predict_keys="y"))), ["y"])
        batches = estimator.predict(rows(30, num_epochs=1), yield_single_examples=False)
        self.assertEqual([len(batch["y"]) for batch in batches], [30, 30, 30, 10])

    def test_a_model_begins_with_the_values_of_another_one(self):
        first = self.estimator().train(rows(), steps=5)
        settings = tf.estimator.WarmStartSettings(first.model_dir, vars_to_warm_start=".*kernel")
        for given, bias in ((first.model_dir, first.get_variable_value("d/bias")), (settings, [0])):
            other = self.estimator(warm_start_from=given, params={"rate": 0.0})
            other.train(rows(), steps=1)
            self.assertAllClose(
                other.get_variable_value("d/kernel"), first.get_variable_value("d/kernel")
            )
            self.assertAllClose(other.get_variable_value("d/bias"), bias)
            self.assertEqual(other.get_variable_value("global_step"), 1)

    def test_listeners_are_called_around_each_checkpoint_and_end_the_training(self):
        calls = []

        class Listener(tf.train.CheckpointSaverListener):
            def begin(self):
                calls.append("begin")

            def before_save(self, session, global_step_value):
                calls.append(("before", global_step_value))

            def after_save(self, session, global_step_value):
                calls.append(("after", global_step_value))
                return global_step_value == 4

            def end(self, session, global_step_value):
                calls.append(("end", global_step_value))

        estimator = self.estimator(save_checkpoints_steps=2)
        estimator.train(rows(), steps=10, saving_listeners=[Listener()])
        steps = [(when, step) for step in (0, 2, 4) for when in ("before", "after")]
        self.assertEqual(calls, ["begin", *steps, ("end", 4)])
        with self.assertRaisesRegex(ValueError, "There should be a CheckpointSaverHook"):
            self.estimator(save_checkpoints_steps=None).train(
                rows(), steps=1, saving_listeners=[Listener()]
            )

    def test_checkpoints_are_evaluated_between_the_steps(self):
        estimator = self.estimator(save_checkpoints_steps=10)
        train_spec = tf.estimator.TrainSpec(dataset, max_steps=25)
        eval_spec = tf.estimator.EvalSpec(rows(num_epochs=1), throttle_secs=0)
        with self.assertLogs("troupe", "INFO") as logs:
            results, exported = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
        self.assertEqual((results["global_step"], exported), (25, []))
        saved = [line for line in logs.output if "Saving dict for global step" in line]
        self.assertEqual(
            [int(line.split("step ")[1].split(":")[0]) for line in saved], [10, 20, 25]
        )

    def test_input_functions_get_the_arguments_that_they_have(self):
        given = []

        def input_fn(mode, params):
            given.append((mode, params))
            return dataset()

        estimator = self.estimator()
        estimator.train(input_fn, steps=1)
        estimator.evaluate(input_fn, steps=1)
        self.assertEqual(given, [("train", {"rate": 0.1}), ("eval", {"rate": 0.1})])

    def test_wrong_arguments_are_refused(self):
        estimator = self.estimator()
        with self.assertRaisesRegex(ValueError, "both steps and max_steps"):
            estimator.train(rows(), steps=1, max_steps=1)
        with self.assertRaisesRegex(ValueError, "steps > 0"):
            estimator.evaluate(rows(), steps=0)
        with self.assertRaisesRegex(TypeError, "SessionRunHook"):
            estimator.train(rows(), hooks=["hook"], steps=1)
        with self.assertRaisesRegex(ValueError, "must include features"):
            tf.estimator.Estimator(lambda x: x, self.folder())
        with self.assertRaisesRegex(ValueError, "does not include params"):
            tf.estimator.Estimator(lambda features: None, self.folder(), params={})
        with self.assertRaisesRegex(ValueError, "not expected args: {'extra'}"):
            tf.estimator.Estimator(lambda features, extra: None, self.folder())
        with self.assertRaisesRegex(ValueError, "EstimatorSpec"):
            tf.estimator.Estimator(lambda features, labels: None, self.folder()).train(rows())
        with self.assertRaisesRegex(ValueError, "trained yet"):
            estimator.get_variable_names()


class SpecTest(tf.test.TestCase):
    def test_what_a_mode_needs_must_be_there(self):
        loss, op, modes = tf.constant(1.0), tf.no_op(), tf.estimator.ModeKeys
        make = tf.estimator.EstimatorSpec
        with self.assertRaisesRegex(ValueError, "Missing loss"):
            make(modes.TRAIN, train_op=op)
        with self.assertRaisesRegex(ValueError, "Missing train_op"):
            make(modes.TRAIN, loss=loss)
        with self.assertRaisesRegex(ValueError, "Missing predictions"):
            make(modes.PREDICT)
        with self.assertRaisesRegex(ValueError, "Loss must be scalar"):
            make(modes.EVAL, loss=[1.0, 2.0])
        with self.assertRaisesRegex(TypeError, "metric_value, update_op"):
            make(modes.EVAL, loss=loss, eval_metric_ops={"a": loss})
        spec = make(modes.EVAL, loss=[1.0])
        self.assertEqual((spec.loss.shape, spec.predictions), ([], {}))

    def test_one_signature_is_the_default_one_of_several_must_be_named(self):
        y = tf.constant([1.0])
        output = tf.estimator.export.PredictOutput(y)
        make = lambda **outputs: tf.estimator.EstimatorSpec(  # noqa: E731
            "infer", predictions=y, export_outputs=outputs
        )
        self.assertEqual(set(make(one=output).export_outputs), {"one", "serving_default"})
        with self.assertRaisesRegex(ValueError, "none of them is specified as the default"):
            make(one=output, other=output)


class InputsTest(tf.test.TestCase):
    def batches(self, input_fn):
        found = []
        with tf.Graph().as_default(), tf.Session() as session:
            batch = input_fn()
            try:
                while True:
                    found.append(session.run(batch))
            except tf.errors.OutOfRangeError:
                return found

    def test_arrays_are_cut_into_batches_over_the_ends_of_epochs(self):
        make = tf.estimator.inputs.numpy_input_fn
        x, y = np.arange(5), np.array([b"a", b"b", b"c", b"d", b"e"])
        found = self.batches(make(x, y, batch_size=4, num_epochs=2, shuffle=False))
        self.assertEqual([list(a) for a, _ in found], [[0, 1, 2, 3], [4, 0, 1, 2], [3, 4]])
        self.assertEqual(list(found[1][1]), [b"e", b"a", b"b", b"c"])

    def test_shuffled_epochs_have_each_example_once(self):
        make = tf.estimator.inputs.numpy_input_fn
        found = self.batches(make({"x": np.arange(50)}, batch_size=50, num_epochs=2, shuffle=True))
        self.assertNotEqual(list(found[0]["x"]), list(found[1]["x"]))
        self.assertEqual([sorted(batch["x"]) for batch in found], [list(range(50))] * 2)

    def test_wrong_arrays_are_refused(self):
        make = tf.estimator.inputs.numpy_input_fn
        with self.assertRaisesRegex(ValueError, "shuffle must be"):
            make(np.arange(2))
        for x, y, error, text in (
            ([1], None, TypeError, "must be a dict or array"),
            ({}, None, ValueError, "empty dict"),
            ({"a": np.arange(2)}, np.arange(3), ValueError, "mismatched"),
            ({"a": np.arange(2)}, {"a": np.arange(2)}, ValueError, "in both x and y"),
        ):
            with self.assertRaisesRegex(error, text):
                make(x, y, shuffle=False)()


if __name__ == "__main__":
    unittest.main()
