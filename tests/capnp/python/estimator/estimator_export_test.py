"""Exported estimators: the SavedModels, their signatures, and when exporters write them."""

import os
import pathlib
import tempfile
import unittest

import numpy as np

import troupe as tf

export, ModeKeys = tf.estimator.export, tf.estimator.ModeKeys
ROWS = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, -1.0], [0.5, 0.5]], np.float32)
LABELS = ROWS @ np.array([[2.0], [-3.0]], np.float32)
SPEC = {"x": tf.FixedLenFeature([2], tf.float32)}


def model_fn(features, labels, mode):
    x = features["x"]
    y = tf.layers.dense(x, 1, name="d")
    if mode == ModeKeys.PREDICT:
        outputs = {
            "serving_default": export.PredictOutput({"y": y}),
            "value": export.RegressionOutput(y),
            "first": export.PredictOutput(x[:, :1]),
        }
        return tf.estimator.EstimatorSpec(mode, {"y": y}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, y)
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, y)}
    return tf.estimator.EstimatorSpec(mode, {"y": y}, loss, train_op, metrics)


def rows(num_epochs=None):
    return tf.estimator.inputs.numpy_input_fn({"x": ROWS}, LABELS, 4, num_epochs, shuffle=False)


def example(row):
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=row))
    features = tf.train.Features(feature={"x": feature})
    return tf.train.Example(features=features).SerializeToString()


def raw():
    x = tf.placeholder(tf.float32, [None, 2])
    return export.ServingInputReceiver({"x": x}, {"rows": x})


class ExportCase(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def trained(self, function=model_fn, **options):
        folder = os.path.join(self.folder, "model")
        estimator = tf.estimator.Estimator(function, folder, tf.estimator.RunConfig(**options))
        return estimator.train(rows(), steps=3)

    def values(self, path, key, inputs, tags=("serve",)):
        """The outputs of a signature."""
        with tf.Session(graph=tf.Graph()) as session:
            signature = tf.saved_model.load(session, tags, path).signature_def[key]
            feeds = {signature.inputs[name].name: value for name, value in inputs.items()}
            names = {name: info.name for name, info in signature.outputs.items()}
            return session.run(names, feeds)

    def predicted(self, estimator):
        kernel, bias = (estimator.get_variable_value(f"d/{name}") for name in ("kernel", "bias"))
        return ROWS @ kernel + bias


class ExportTest(ExportCase):
    def test_an_export_is_in_a_folder_named_by_the_time_and_runs(self):
        estimator = self.trained()
        base = os.path.join(self.folder, "exports")
        extra = pathlib.Path(self.folder, "labels.txt")
        extra.write_text("one")
        receiver_fn = export.build_parsing_serving_input_receiver_fn(SPEC)
        paths = [
            estimator.export_saved_model(base, receiver_fn, {"more/labels.txt": str(extra)}),
            estimator.export_savedmodel(base, receiver_fn, as_text=True),
        ]
        names = [os.path.basename(path).decode() for path in paths]
        self.assertEqual(sorted(os.listdir(base)), sorted(names))
        self.assertEqual([len(name) for name in names], [10, 10])
        self.assertLess(int(names[0]), int(names[1]))
        copied = pathlib.Path(os.fsdecode(paths[0]), "assets.extra", "more", "labels.txt")
        self.assertEqual(copied.read_text(), "one")
        self.assertIn("saved_model.pbtxt", os.listdir(os.fsdecode(paths[1])))
        for path in paths:
            found = self.values(path, "serving_default", {"examples": [*map(example, ROWS)]})
            self.assertAllClose(found, {"y": self.predicted(estimator)})

    def test_an_export_is_of_the_checkpoint_that_is_named(self):
        estimator = self.trained()
        first = estimator.latest_checkpoint()
        wanted = self.predicted(estimator)
        estimator.train(rows(), steps=2)
        path = estimator.export_saved_model(self.folder, raw, checkpoint_path=first)
        found = self.values(path, "serving_default", {"rows": ROWS})
        self.assertAllClose(found["y"], wanted)
        self.assertNotAllClose(self.predicted(estimator), wanted)

    def test_each_output_has_a_signature_if_it_fits_the_inputs(self):
        estimator = self.trained()

        def signatures(receiver_fn):
            path = estimator.export_saved_model(self.folder, receiver_fn)
            with tf.Session(graph=tf.Graph()) as session:
                found = tf.saved_model.load(session, ["serve"], path).signature_def
                return {key: signature.method_name for key, signature in found.items()}

        predict, regress = (f"tensorflow/serving/{name}" for name in ("predict", "regress"))
        self.assertEqual(signatures(raw), {"serving_default": predict, "first": predict})
        examples = export.build_parsing_serving_input_receiver_fn(SPEC, default_batch_size=4)
        three = {"serving_default": predict, "first": predict, "value": regress}
        self.assertEqual(signatures(examples), three)

        def both():
            text = tf.placeholder(tf.string, [None])
            x = tf.parse_example(text, SPEC)["x"]
            return export.ServingInputReceiver({"x": x}, text, {"rows": x})

        more = {"rows:serving_default": predict, "rows:first": predict}
        self.assertEqual(signatures(both), {**three, **more})

    def test_raw_features_are_placeholders_of_the_same_names_and_shapes(self):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [7, 2], name="x_in")
            receiver_fn = export.build_raw_serving_input_receiver_fn({"x": x})
        with tf.Graph().as_default() as graph:
            receiver = receiver_fn()
            fed = receiver.receiver_tensors["x"]
            self.assertEqual((fed.name, fed.shape.as_list()), ("x_in:0", [None, 2]))
            self.assertIs(receiver.features["x"], fed)
            self.assertIs(fed.graph, graph)
        estimator = self.trained()
        path = estimator.export_saved_model(self.folder, receiver_fn)
        found = self.values(path, "serving_default", {"x": ROWS})
        self.assertAllClose(found["y"], self.predicted(estimator))

    def test_a_graph_of_each_mode_shares_the_variables(self):
        estimator = self.trained()
        supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
            {"x": tf.placeholder(tf.float32, [None, 2])}, tf.placeholder(tf.float32, [None, 1])
        )
        modes = {ModeKeys.PREDICT: raw, ModeKeys.EVAL: supervised, ModeKeys.TRAIN: supervised}
        path = estimator.experimental_export_all_saved_models(self.folder, modes)
        inputs, wanted = {"x": ROWS, "label": LABELS}, self.predicted(estimator)
        for tag in ("train", "eval"):
            found = self.values(path, tag, inputs, [tag])
            self.assertAllClose(found["predictions/y"], wanted)
            self.assertAllClose(found["loss"], ((wanted - LABELS) ** 2).mean())
        self.assertIn("metrics/mae/value", found)
        self.assertAllClose(found["metrics/mae/update_op"], np.abs(wanted - LABELS).mean())
        found = self.values(path, "serving_default", {"rows": ROWS})
        self.assertAllClose(found["y"], wanted)

    def test_tables_of_a_model_are_initialized_once_it_is_loaded(self):
        vocabulary = pathlib.Path(self.folder, "words.txt")
        vocabulary.write_text("zero\none\n")

        def with_table(features, labels, mode):
            table = tf.contrib.lookup.index_table_from_file(str(vocabulary))
            found = table.lookup(features)
            loss = tf.get_variable("w", initializer=1.0)
            train_op = tf.assign_add(tf.train.get_global_step(), 1)
            return tf.estimator.EstimatorSpec(mode, found, loss, train_op)

        def words():
            text = tf.placeholder(tf.string, [None])
            return export.TensorServingInputReceiver(text, text)

        estimator = tf.estimator.Estimator(with_table, os.path.join(self.folder, "model"))
        estimator.train(lambda: tf.constant(["one"]), steps=1)
        path = estimator.export_saved_model(self.folder, words)
        vocabulary.unlink()
        found = self.values(path, "serving_default", {"input": ["one", "two"]})
        self.assertAllEqual(found["output"], [1, -1])

    def test_what_cannot_be_exported_leaves_no_folder(self):
        estimator = tf.estimator.Estimator(model_fn, os.path.join(self.folder, "model"))
        base = os.path.join(self.folder, "exports")
        with self.assertRaisesRegex(ValueError, "Couldn't find trained model"):
            estimator.export_saved_model(base, raw)
        estimator = self.trained()
        with self.assertRaisesRegex(ValueError, "must be defined"):
            estimator.export_saved_model(base, None)
        with self.assertRaisesRegex(ValueError, "No valid modes"):
            estimator.experimental_export_all_saved_models(base, {"serve": raw})

        def larger(features, labels, mode):
            tf.get_variable("more", [1])
            return model_fn(features, labels, mode)

        other = tf.estimator.Estimator(larger, estimator.model_dir)
        with self.assertRaisesRegex(ValueError, "Could not load all requested variables"):
            other.export_saved_model(base, raw)
        self.assertEqual(os.listdir(base), [])

    def test_receivers_refuse_what_is_no_tensor(self):
        x = tf.placeholder(tf.float32, [None, 2])
        for given in ((None, x), ({1: x}, x), ({"x": 3.0}, x), (x, {"x": [1.0]}), (x, x, x)):
            with self.assertRaises(ValueError):
                export.ServingInputReceiver(*given)
        self.assertEqual(set(export.ServingInputReceiver(x, x).features), {"feature"})
        self.assertIs(export.TensorServingInputReceiver(x, x).features, x)
        build = tf.estimator.experimental.build_raw_supervised_input_receiver_fn
        with self.assertRaisesRegex(ValueError, "distinct keys"):
            build({"x": x}, {"x": x})


class ExporterTest(ExportCase):
    def train_and_evaluate(self, exporters, max_steps=9, folder="model"):
        config = tf.estimator.RunConfig(save_checkpoints_steps=3)
        estimator = tf.estimator.Estimator(model_fn, os.path.join(self.folder, folder), config)
        train_spec = tf.estimator.TrainSpec(rows(), max_steps=max_steps)
        eval_spec = tf.estimator.EvalSpec(rows(1), exporters=exporters, throttle_secs=0)
        _, exported = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
        return estimator, exported

    def exports(self, name):
        base = os.path.join(self.folder, "model", "export", name)
        return sorted(os.listdir(base)) if os.path.isdir(base) else []

    def exported_values(self, name):
        base = os.path.join(self.folder, "model", "export", name)
        paths = [os.path.join(base, export) for export in self.exports(name)]
        return [self.values(path, "serving_default", {"rows": ROWS})["y"] for path in paths]

    def test_exporters_are_called_after_each_evaluation(self):
        calls = []

        class Each(tf.estimator.Exporter):
            name = "each"

            def export(
                self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
            ):
                step = eval_result["global_step"]
                path = os.path.relpath(export_path, estimator.model_dir)
                calls.append((step, checkpoint_path[-2:], path, is_the_final_export))
                return step

        _, exported = self.train_and_evaluate(Each())
        folder = os.path.join("export", "each")
        self.assertEqual(calls, [(step, f"-{step}", folder, step == 9) for step in (3, 6, 9)])
        self.assertEqual(exported, [9])

    def test_the_latest_exports_are_kept_and_the_final_one_is_one(self):
        estimator, exported = self.train_and_evaluate(
            [
                tf.estimator.LatestExporter("latest", raw, exports_to_keep=2),
                tf.estimator.LatestExporter("all", raw, exports_to_keep=None),
                tf.estimator.FinalExporter("final", raw),
            ]
        )
        counts = [len(self.exports(name)) for name in ("latest", "all", "final")]
        self.assertEqual(counts, [2, 3, 1])
        wanted = self.predicted(estimator)
        *kept, last = self.exported_values("all")[1:]
        self.assertNotAllClose(kept, [wanted])
        self.assertAllClose(last, wanted)
        self.assertAllClose(self.exported_values("latest"), [*kept, last])
        for path in exported:
            found = self.values(path, "serving_default", {"rows": ROWS})
            self.assertAllClose(found["y"], wanted)

    def test_the_best_model_is_exported_and_results_of_earlier_programs_count(self):
        def is_sixth(best_eval_result, current_eval_result):
            return current_eval_result["global_step"] == 6

        def is_worse(best_eval_result, current_eval_result):
            return best_eval_result["loss"] < current_eval_result["loss"]

        best = tf.estimator.BestExporter(serving_input_receiver_fn=raw, compare_fn=is_sixth)
        self.train_and_evaluate(best)
        self.assertEqual(len(self.exports("best_exporter")), 2)  # the first one, and step 6
        events = {"serving_input_receiver_fn": raw, "event_file_pattern": "eval/*.tfevents.*"}
        again = tf.estimator.BestExporter("again", **events)
        self.train_and_evaluate(again, 12)  # the loss falls
        worse = tf.estimator.BestExporter("worse", compare_fn=is_worse, **events)
        self.train_and_evaluate(worse, 15)
        self.assertEqual([len(self.exports(name)) for name in ("again", "worse")], [1, 0])

    def test_wrong_exporters_are_refused(self):
        with self.assertRaisesRegex(TypeError, "must be an Exporter"):
            tf.estimator.EvalSpec(rows(1), exporters=["latest"])
        twice = [tf.estimator.FinalExporter("a", raw), tf.estimator.LatestExporter("a", raw)]
        with self.assertRaisesRegex(ValueError, "unique names"):
            tf.estimator.EvalSpec(rows(1), exporters=twice)
        with self.assertRaisesRegex(ValueError, "positive number"):
            tf.estimator.LatestExporter("a", raw, exports_to_keep=0)
        with self.assertRaisesRegex(ValueError, "compare_fn"):
            tf.estimator.BestExporter("a", raw, compare_fn=None)


class CannedExportTest(ExportCase):
    def test_canned_models_have_the_signatures_of_their_kind(self):
        columns = [tf.feature_column.numeric_column("x", [2])]
        labels = np.array([0, 1, 1, 0])
        spec = tf.feature_column.make_parse_example_spec(columns)
        for kind, given, keys in (
            (tf.estimator.LinearClassifier, labels, {"classification", "predict", "regression"}),
            (tf.estimator.LinearRegressor, LABELS, {"predict", "regression"}),
        ):
            estimator = kind(columns, os.path.join(self.folder, kind.__name__))
            inputs = tf.estimator.inputs.numpy_input_fn({"x": ROWS}, given, 4, None, False)
            estimator.train(inputs, steps=2)
            receiver_fn = export.build_parsing_serving_input_receiver_fn(spec)
            path = estimator.export_saved_model(self.folder, receiver_fn)
            with tf.Session(graph=tf.Graph()) as session:
                signatures = tf.saved_model.load(session, ["serve"], path).signature_def
                self.assertEqual(set(signatures), keys | {"serving_default"})
            predictions = list(estimator.predict(inputs_of(ROWS)))
            examples = [*map(example, ROWS)]
            found = self.values(path, "serving_default", {"inputs": examples})
            if "scores" in found:
                wanted = [each["probabilities"] for each in predictions]
                self.assertAllClose(found["scores"], wanted)
                self.assertAllEqual(found["classes"][0], [b"0", b"1"])
            else:
                wanted = [each["predictions"] for each in predictions]
                self.assertAllClose(found["outputs"], wanted)


def inputs_of(features):
    return tf.estimator.inputs.numpy_input_fn({"x": features}, None, 4, 1, shuffle=False)


if __name__ == "__main__":
    unittest.main()
