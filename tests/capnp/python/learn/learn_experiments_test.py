"""Monitors, experiments and exports of `tf.contrib.learn`."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

layers, learn = tf.contrib.layers, tf.contrib.learn
monitors = learn.monitors


def inputs():
    return {"x": tf.constant([[1.0], [-1.0]])}, tf.constant([[1.0], [0.0]])


def columns():
    return [layers.real_valued_column("x")]


class Recorder(monitors.EveryN):
    """Keeps the steps in which it is active, and the values of the global step."""

    def __init__(self, stop_at=None):
        super().__init__(every_n_steps=3, first_n_steps=1)
        self.begun, self.ended, self.posted, self.stop_at = [], {}, [], stop_at

    def every_n_step_begin(self, step):
        self.begun.append(step)
        return ["linear/x/weight/part_0"]

    def every_n_step_end(self, step, outputs):
        self.ended[step] = outputs["linear/x/weight/part_0"].shape
        return step == self.stop_at

    def every_n_post_step(self, step, session):
        self.posted.append(step)


class LearnTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def model(self, **config):
        return learn.LinearClassifier(columns(), self.folder, config=learn.RunConfig(**config))


class MonitorsTest(LearnTest):
    def test_a_monitor_is_called_around_some_steps(self):
        monitor = Recorder()
        self.model().fit(input_fn=inputs, steps=9, monitors=[monitor])
        self.assertEqual(monitor.begun, [1, 4, 7])
        self.assertEqual(set(monitor.ended.values()), {(1, 1)})
        self.assertEqual(monitor.posted, [1, 4, 7, 9])

    def test_a_monitor_ends_a_training(self):
        model = self.model()
        model.fit(input_fn=inputs, steps=20, monitors=[Recorder(stop_at=7)])
        self.assertEqual(model.get_variable_value("global_step"), 7)
        model.fit(input_fn=inputs, monitors=[monitors.StopAtStep(num_steps=2)])
        self.assertEqual(model.get_variable_value("global_step"), 9)
        with self.assertRaisesRegex(ValueError, "must be specified"):
            monitors.StopAtStep()

    def test_monitors_keep_and_log_values(self):
        captured = monitors.CaptureVariable("linear/x/weight/part_0:0", every_n=4)
        with self.assertLogs("troupe", "INFO") as logs:
            tf.logging.set_verbosity(tf.logging.INFO)
            self.model().fit(input_fn=inputs, steps=5, monitors=[
                captured, monitors.PrintTensor({"w": "linear/x/weight/part_0"}),
                monitors.LoggingTrainable("linear/x"),
            ])  # fmt: skip
        self.assertEqual(list(captured.values), [1, 5])
        self.assertGreater(captured.values[5], captured.values[1])
        text = "\n".join(logs.output)
        self.assertIn("Step 1: w = [[", text)
        self.assertIn("Logging Trainable: Step 1: linear/x/weight/part_0:0 = [[", text)

    def test_a_loss_that_is_no_number_ends_a_training(self):
        def model_fn(features, labels):
            step = tf.assign_add(tf.train.get_global_step(), 1)
            w = tf.get_variable("w", initializer=0.0)
            tf.identity(w / w, name="ratio")
            return features["x"], w, step

        model = learn.Estimator(model_fn, self.folder)
        with self.assertRaises(learn.NanLossDuringTrainingError):
            model.fit(input_fn=inputs, steps=2, monitors=[monitors.NanLoss("ratio")])
        quiet = monitors.NanLoss("ratio", fail_on_nan_loss=False)
        model.fit(input_fn=inputs, steps=9, monitors=[quiet])
        self.assertLess(model.get_variable_value("global_step"), 9)

    def test_a_training_ends_when_evaluations_get_no_better(self):
        def metric(predictions):
            step = tf.cast(tf.train.get_global_step(), tf.float32)
            return tf.abs(step - 5.0), tf.no_op()

        monitor = monitors.ValidationMonitor(
            input_fn=inputs, eval_steps=1, every_n_steps=1, early_stopping_rounds=4,
            metrics={"far": learn.MetricSpec(metric, "classes")}, early_stopping_metric="far",
            check_interval_secs=None,
        )  # fmt: skip
        model = self.model(save_checkpoints_steps=1)
        model.fit(input_fn=inputs, steps=50, monitors=[monitor])
        self.assertTrue(monitor.early_stopped)
        # A step sees the checkpoint of the one before it.
        self.assertIn(monitor.best_step, (5, 6))
        self.assertEqual(monitor.best_value, 0.0)
        self.assertEqual(monitor.best_metrics["global_step"], 5)
        self.assertEqual(model.get_variable_value("global_step"), monitor.best_step + 4)
        with self.assertRaisesRegex(ValueError, "Either x or input_fn"):
            monitors.ValidationMonitor()

    def test_calls_in_the_wrong_order_are_refused(self):
        monitor = monitors.BaseMonitor()
        monitor.begin()
        for call in (monitor.begin, lambda: monitor.set_estimator(None),
                     lambda: monitor.step_begin(-1), lambda: monitor.step_end(1, {}),
                     lambda: monitor.epoch_end(0), lambda: monitor.epoch_begin(-1)):  # fmt: skip
            with self.assertRaises(ValueError):
                call()
        monitor.end()
        with self.assertRaises(ValueError):
            monitor.end()


class ExperimentsTest(LearnTest):
    def experiment(self, **options):
        config = learn.RunConfig(save_checkpoints_steps=5, model_dir=self.folder)
        model = learn.LinearClassifier(columns(), config=config)
        options = {"train_steps": 20, "eval_steps": 1, "eval_delay_secs": 0, **options}
        return learn.Experiment(model, inputs, inputs, **options)

    def strategy(self, **options):
        spec = layers.create_feature_spec_for_parsing(columns())
        return learn.make_export_strategy(learn.build_parsing_serving_input_fn(spec), **options)

    def test_an_experiment_is_trained_evaluated_and_exported(self):
        experiment = self.experiment(export_strategies=self.strategy())
        results, exports = experiment.train_and_evaluate()
        self.assertEqual((results["global_step"], results["accuracy"]), (20, 1.0))
        self.assertEqual(os.listdir(os.path.join(self.folder, "export")), ["Servo"])
        self.assertTrue(os.path.exists(os.path.join(os.fsdecode(exports[0]), "saved_model.pb")))

    def test_each_checkpoint_can_be_evaluated_and_exported(self):
        seen = []

        def export_fn(estimator, path, checkpoint_path, eval_result):
            seen.append((os.path.basename(path), eval_result["global_step"]))
            return path

        strategy = learn.ExportStrategy("own", export_fn)
        experiment = self.experiment(export_strategies=[strategy], checkpoint_and_export=True)
        results, _ = experiment.train_and_evaluate()
        self.assertEqual(results["global_step"], 20)
        self.assertEqual(seen[-1], ("own", 20))
        self.assertGreater(len(seen), 2)

    def test_checkpoints_are_evaluated_until_the_last_step(self):
        experiment = self.experiment(continuous_eval_throttle_secs=0)
        experiment.train()
        experiment.continuous_eval()
        experiment.continuous_eval_on_train_data()
        folders = set(os.listdir(self.folder))
        self.assertLessEqual({"eval_continuous", "eval_continuous_on_train_data"}, folders)
        calls = []
        other = self.experiment(continuous_eval_throttle_secs=0, train_steps=99)
        other.continuous_eval(continuous_eval_predicate_fn=lambda results: calls.append(results)
                              or len(calls) < 3, evaluate_checkpoint_only_once=False)  # fmt: skip
        self.assertEqual((calls[0], calls[1]["global_step"]), (None, 20))
        seen = []
        other.continuous_eval(
            continuous_eval_predicate_fn=lambda results, checkpoint_path: seen.append(
                (results, checkpoint_path and os.path.basename(checkpoint_path))
            ) or len(seen) < 3
        )  # fmt: skip
        self.assertEqual((seen[0], seen[2]), ((None, None), ({}, "model.ckpt-20")))

    def test_some_steps_are_trained_and_evaluated_again_and_again(self):
        experiment = self.experiment(train_steps_per_iteration=8)
        results, _ = experiment.continuous_train_and_eval()
        self.assertEqual(results["global_step"], 24)
        self.assertEqual(experiment.evaluate(name="own")["global_step"], 24)
        self.assertIn("eval_own", os.listdir(self.folder))

    def test_one_step_shows_that_all_of_it_works(self):
        self.assertEqual(self.experiment().test()["global_step"], 1)

    def test_estimators_of_the_newer_module_are_taken(self):
        newer = tf.estimator.LinearClassifier([tf.feature_column.numeric_column("x")], self.folder)
        experiment = learn.Experiment(newer, inputs, inputs, train_steps=5, eval_steps=1)
        results, _ = experiment.train_and_evaluate()
        self.assertEqual(results["global_step"], 5)
        with self.assertRaisesRegex(ValueError, "`eval_metrics` must be `None`"):
            learn.Experiment(newer, inputs, inputs, eval_metrics={})
        with self.assertRaisesRegex(ValueError, "must be one of"):
            learn.Experiment(object(), inputs, inputs)
        with self.assertRaisesRegex(ValueError, "must be an ExportStrategy"):
            self.experiment(export_strategies=["a"])

    def test_a_runner_chooses_the_method(self):
        run = learn.learn_runner.run

        def of_folder(output_dir):
            model = learn.LinearClassifier(columns(), output_dir)
            return learn.Experiment(model, inputs, inputs, train_steps=3, eval_steps=1)

        def of_config(run_config, hparams):
            model = learn.LinearClassifier(columns(), config=run_config)
            return learn.Experiment(model, inputs, inputs, train_steps=hparams.steps, eval_steps=1)

        results, _ = run(of_folder, output_dir=self.folder)
        self.assertEqual(results["global_step"], 3)
        config = learn.RunConfig(model_dir=self.folder, evaluation_master="a")
        hparams = tf.contrib.training.HParams(steps=5)
        trained = run(of_config, run_config=config, hparams=hparams, schedule="train")
        self.assertEqual(trained.get_variable_value("global_step"), 5)
        for call, kind, text in (
            (lambda: run(of_folder), ValueError, "Must set value"),
            (lambda: run(of_folder, "a", run_config=config), ValueError, "Cannot provide both"),
            (lambda: run("a", "b"), TypeError, "not callable"),
            (lambda: run(lambda output_dir: 1, "a"), TypeError, "did not return an Experiment"),
            (lambda: run(of_folder, self.folder, "fly"), ValueError, "non-existent task fly"),
            (lambda: run(of_folder, self.folder, "train_steps"), TypeError, "non-callable"),
            (lambda: run(lambda c, h: of_folder(self.folder), run_config=config), RuntimeError,
             "expected to be used by the `Estimator`"),
        ):  # fmt: skip
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                call()

    def test_old_exports_are_deleted(self):
        model = self.model()
        model.fit(input_fn=inputs, steps=1)
        base = os.path.join(self.folder, "exports")
        for name in ("1000000001", "1000000002", "other"):
            os.makedirs(os.path.join(base, name))
        made = self.strategy(exports_to_keep=2).export(model, base)
        left = {os.path.basename(os.fsdecode(made)), "1000000002", "other"}
        self.assertEqual(set(os.listdir(base)), left)

    def test_exports_parse_the_features_of_columns(self):
        model = self.model()
        model.fit(input_fn=inputs, steps=1)
        make = learn.utils.saved_model_export_utils.make_parsing_export_strategy
        newer = tf.estimator.LinearClassifier([tf.feature_column.numeric_column("x")],
                                              os.path.join(self.folder, "newer"))  # fmt: skip
        newer.train(inputs, steps=1)
        for estimator, is_core in ((model, False), (newer, True)):
            strategy = make(columns(), target_core=is_core)
            path = strategy.export(estimator, os.path.join(self.folder, f"exports_{is_core}"))
            with tf.Graph().as_default(), tf.Session() as session:
                loaded = tf.saved_model.loader.load(session, ["serve"], os.fsdecode(path))
                signature = loaded.signature_def["serving_default"]
                self.assertEqual(signature.inputs["inputs"].dtype, tf.string.as_datatype_enum)

    def test_better_models_only_are_exported(self):
        model = self.model()
        model.fit(input_fn=inputs, steps=1)
        spec = layers.create_feature_spec_for_parsing(columns())
        make = learn.utils.saved_model_export_utils.make_best_model_export_strategy
        strategy = make(learn.build_parsing_serving_input_fn(spec))
        results = [strategy.export(model, self.folder, eval_result={"loss": loss})
                   for loss in (2.0, 3.0, 1.0)]  # fmt: skip
        self.assertEqual([bool(each) for each in results], [True, False, True])
        with self.assertRaisesRegex(ValueError, "no loss is found"):
            strategy.export(model, self.folder, eval_result={"auc": 1.0})
        bad = learn.ExportStrategy("bad", lambda estimator, path, eval_result: None)
        with self.assertRaisesRegex(ValueError, "must also accept checkpoint_path"):
            bad.export(model, self.folder)


class FilesTest(LearnTest):
    def test_comma_separated_values_are_read(self):
        base = learn.datasets.base
        path = os.path.join(self.folder, "a.csv")
        with open(path, "w") as file:
            file.write("2,2,no,yes\n1.5,2.5,1\n3.5,4.5,0\n")
        data = base.load_csv_with_header(path, np.int64, np.float32)
        self.assertAllEqual(data.data, [[1.5, 2.5], [3.5, 4.5]])
        self.assertEqual((data.data.dtype, data.target.tolist()), (np.float32, [1, 0]))
        self.assertAllEqual(learn.datasets.load_iris(path).target, [1, 0])
        with open(path, "w") as file:
            file.write("1,1.5,2.5\n")
        data = base.load_csv_without_header(path, np.int64, np.float32, target_column=0)
        self.assertEqual((data.data.tolist(), data.target.tolist()), ([[1.5, 2.5]], [1]))
        with open(path, "w") as file:
            file.write("1,1\n1.5,2.5,1\n")
        with self.assertRaisesRegex(ValueError, "its header says"):
            base.load_csv_with_header(path, np.float32, np.float32)
        with self.assertRaisesRegex(ValueError, "data_path is missing"):
            learn.datasets.load_iris()


if __name__ == "__main__":
    unittest.main()
