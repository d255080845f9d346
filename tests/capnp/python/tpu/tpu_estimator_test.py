"""Estimators of programs for TPUs, without TPUs."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf

tpu = tf.contrib.tpu

ROWS = np.random.RandomState(0).rand(40, 2).astype(np.float32)
LABELS = ROWS @ np.array([[2.0], [-3.0]], np.float32)
TRAIN, EVAL, PREDICT = (
    tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.EVAL, tf.estimator.ModeKeys.PREDICT,
)  # fmt: skip


def input_fn(params):
    rows = tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS))
    is_dict = isinstance(params, dict)
    return rows.batch(params["batch_size"] if is_dict else params.batch_size)


class Model:
    """A model function that keeps the `params` of its calls."""

    def __init__(self, **more):
        self.seen, self.more = {}, more

    def __call__(self, features, labels, mode, params):
        self.seen[mode] = params
        y = tf.layers.dense(features["x"], 1, name="d")
        if mode == PREDICT:
            return tpu.TPUEstimatorSpec(mode, predictions={"y": y})
        loss = tf.losses.mean_squared_error(labels, y)
        optimizer = tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.1))
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return tpu.TPUEstimatorSpec(
            mode,
            loss=loss,
            train_op=train_op,
            eval_metrics=(lambda a, b: {"mae": tf.metrics.mean_absolute_error(a, b)}, [labels, y]),
            **{key: make(loss) for key, make in self.more.items()},
        )


class TPUEstimatorTest(tf.test.TestCase):
    def folder(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return made.name

    def estimator(self, model=None, use_tpu=False, folder=None, config=None, **options):
        config = config or tpu.RunConfig(model_dir=folder or self.folder())
        sizes = {"train_batch_size": 8, "eval_batch_size": 5, "predict_batch_size": 4}
        return tpu.TPUEstimator(
            model or Model(), config=config, use_tpu=use_tpu, **{**sizes, **options}
        )

    def test_functions_are_given_the_batch_size_of_the_mode(self):
        model = Model()
        estimator = self.estimator(model, params={"rate": 3})
        estimator.train(input_fn)
        self.assertEqual(estimator.get_variable_value("global_step"), 5)
        estimator.evaluate(input_fn)
        batches = estimator.predict(input_fn, yield_single_examples=False)
        self.assertEqual([len(batch["y"]) for batch in batches], [4] * 10)
        for mode, size in ((TRAIN, 8), (EVAL, 5), (PREDICT, 4)):
            expected = {"rate": 3, "batch_size": size, "use_tpu": False}
            self.assertEqual(model.seen[mode], expected)
        self.assertEqual(estimator.params, {"rate": 3})

    def test_hyperparameters_may_be_an_object(self):
        model = Model()
        estimator = self.estimator(model, params=tf.contrib.training.HParams(rate=3))
        estimator.train(input_fn, steps=1)
        self.assertEqual(model.seen[TRAIN].batch_size, 8)
        self.assertEqual(model.seen[TRAIN].rate, 3)

    def test_metrics_are_those_of_the_function(self):
        estimator = self.estimator().train(input_fn)
        results = estimator.evaluate(input_fn)
        kernel, bias = (estimator.get_variable_value(f"d/{name}") for name in ("kernel", "bias"))
        self.assertAllClose(results["mae"], np.abs(ROWS @ kernel + bias - LABELS).mean())

    def test_the_scaffold_is_made_by_the_function(self):
        def scaffold_fn():
            kernel = tf.trainable_variables()[0]
            ready = tf.assign(kernel, [[7.0], [8.0]])
            return tf.train.Scaffold(init_fn=lambda _, session: session.run(ready))

        estimator = self.estimator(Model(scaffold_fn=lambda loss: scaffold_fn))
        results = estimator.evaluate(input_fn, steps=1)
        self.assertEqual(results["global_step"], 0)
        wanted = np.abs(ROWS[:5] @ [[7.0], [8.0]] - LABELS[:5]).mean()
        self.assertAllClose(results["mae"], wanted)

    def test_host_calls_are_run_with_each_step_and_write_summaries(self):
        folder = self.folder()

        def host_call(loss):
            def write(value):
                writer = tf.contrib.summary.create_file_writer(folder)
                with writer.as_default(), tf.contrib.summary.always_record_summaries():
                    tf.contrib.summary.scalar("seen", value[0])
                    return tf.contrib.summary.all_summary_ops()

            return (write, [tf.reshape(loss, [1])])

        self.estimator(Model(host_call=host_call)).train(input_fn, steps=3)
        (events,) = os.listdir(folder)
        tags = [
            value.tag
            for event in tf.train.summary_iterator(os.path.join(folder, events))
            for value in event.summary.value
        ]
        self.assertEqual(tags, ["seen"] * 3)

    def test_hooks_of_the_spec_are_called(self):
        calls = []

        class Hook(tf.train.SessionRunHook):
            def after_run(self, run_context, run_values):
                calls.append(1)

        model = Model(training_hooks=lambda loss: [Hook()])
        self.estimator(model).train(input_fn, steps=2)
        self.assertEqual(len(calls), 2)

    def test_a_plain_spec_will_do(self):
        def model_fn(features, labels, mode, params):
            loss = tf.reduce_mean(tf.get_variable("v", [2]) * features["x"])
            step = tf.assign_add(tf.train.get_global_step(), 1)
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

        estimator = self.estimator(model_fn).train(input_fn, steps=2)
        self.assertEqual(estimator.get_variable_value("global_step"), 2)

    def test_the_examples_per_second_are_written(self):
        folder = self.folder()
        config = tpu.RunConfig(model_dir=folder, log_step_count_steps=2)
        self.estimator(config=config).train(input_fn)
        (events,) = (name for name in os.listdir(folder) if "tfevents" in name)
        values = {
            value.tag: value.simple_value
            for event in tf.train.summary_iterator(os.path.join(folder, events))
            for value in event.summary.value
        }
        self.assertGreater(values["examples/sec"], 0)

    def test_an_export_has_no_batch_size(self):
        model = Model()
        estimator = self.estimator(model, export_to_tpu=False).train(input_fn, steps=1)
        features = {"x": tf.float32}

        def receiver():
            x = {key: tf.placeholder(dtype, [None, 2]) for key, dtype in features.items()}
            return tf.estimator.export.ServingInputReceiver(x, x)

        made = estimator.export_savedmodel(self.folder(), receiver)
        self.assertTrue(os.path.exists(os.path.join(made, b"saved_model.pb")))
        self.assertEqual(model.seen[PREDICT], {"use_tpu": False})
        with self.assertRaisesRegex(ValueError, "export_to_cpu is False"):
            other = self.estimator(folder=estimator.model_dir, export_to_cpu=False)
            other.export_savedmodel(self.folder(), receiver)

    def test_a_model_for_tpus_is_an_error_where_it_is_used(self):
        estimator = self.estimator(use_tpu=True)
        uses = (estimator.train, estimator.evaluate, lambda call: next(estimator.predict(call)))
        for use in uses:
            with self.assertRaisesRegex(RuntimeError, "any TPU cores.*Pass use_tpu=False"):
                use(input_fn)

    def test_an_evaluation_beside_tpus_needs_none(self):
        estimator = self.estimator(use_tpu=True, eval_on_tpu=False)
        self.assertIn("mae", estimator.evaluate(input_fn))

    def test_wrong_arguments_are_refused(self):
        with self.assertRaisesRegex(ValueError, "`config` must be provided"):
            self.estimator(config=tf.estimator.RunConfig())
        with self.assertRaisesRegex(ValueError, "reserved keys"):
            self.estimator(params={"batch_size": 3})
        with self.assertRaisesRegex(ValueError, "`train_batch_size` cannot be `None`"):
            self.estimator(use_tpu=True, train_batch_size=None)
        with self.assertRaisesRegex(TypeError, "eval_batch_size must be int"):
            self.estimator(use_tpu=True, eval_batch_size=1.5)
        with self.assertRaisesRegex(ValueError, "input_fn .* does not include params"):
            self.estimator().train(lambda: None)
        options = tpu.TPUConfig(eval_training_input_configuration=tpu.InputPipelineConfig.SLICED)
        sliced = tpu.RunConfig(options, model_dir=self.folder())
        with self.assertRaisesRegex(ValueError, "SLICED mode only works on use_tpu"):
            self.estimator(config=sliced).evaluate(input_fn)
        with self.assertRaisesRegex(ValueError, "model_fn .* does not include params"):
            self.estimator(lambda features, labels, mode: None).train(input_fn)


class TPUEstimatorSpecTest(tf.test.TestCase):
    def test_functions_and_their_tensors_are_checked(self):
        for given, error, text in (
            (3, ValueError, "should be tuple or list"),
            ((len,), ValueError, "should have two elements"),
            ((3, []), TypeError, "should be callable"),
            ((len, 3), ValueError, "should be tuple or list, or dict"),
            ((lambda a, b: a, [1]), RuntimeError, "length of tensors 1 .* takes 2"),
        ):
            for name in ("eval_metrics", "host_call"):
                with self.assertRaisesRegex(error, text):
                    tpu.TPUEstimatorSpec("eval", **{name: given})
        with self.assertRaisesRegex(TypeError, "SessionRunHook"):
            tpu.TPUEstimatorSpec("eval", evaluation_hooks=[3])

    def test_tensors_may_have_names(self):
        def metrics(a, b):
            return {"m": tf.metrics.mean(a - b)}

        ones, loss = tf.ones([2]), tf.constant(0.0)
        named = {"a": ones, "b": ones}
        found = tpu.TPUEstimatorSpec("eval", loss=loss, eval_metrics=(metrics, named))
        self.assertEqual(list(found.as_estimator_spec().eval_metric_ops), ["m"])
        wrong = tpu.TPUEstimatorSpec("eval", loss=loss, eval_metrics=(metrics, {"c": ones}))
        with self.assertRaises(TypeError):
            wrong.as_estimator_spec()


class ConfigTest(unittest.TestCase):
    def test_options_are_checked(self):
        config = tpu.TPUConfig(per_host_input_for_training=False)
        self.assertEqual(config.per_host_input_for_training, tpu.InputPipelineConfig.PER_SHARD_V1)
        self.assertEqual(tpu.TPUConfig("30s").iterations_per_loop, "30s")
        for options in (
            {"iterations_per_loop": 0}, {"iterations_per_loop": "3d"}, {"num_shards": 0},
            {"num_cores_per_replica": 3}, {"input_partition_dims": [1]},
            {"eval_training_input_configuration": 4}, {"initial_infeed_sleep_secs": -1},
        ):  # fmt: skip
            with self.assertRaises(ValueError, msg=options):
                tpu.TPUConfig(**options)

    def test_targets_are_given_or_those_of_a_resolver(self):
        config = tpu.RunConfig(master="grpc://a:1", model_dir="/a")
        self.assertEqual((config.master, config.evaluation_master), ("grpc://a:1", "grpc://a:1"))
        cluster = tf.train.ClusterSpec({"worker": ["b:1"]})
        resolver = tf.contrib.cluster_resolver.SimpleClusterResolver(cluster, master="b:1")
        config = tpu.RunConfig(cluster=resolver, evaluation_master="c:1")
        self.assertEqual((config.master, config.evaluation_master), ("b:1", "c:1"))
        self.assertEqual(config.cluster_spec, cluster)
        self.assertEqual(list(config.session_config.device_filters), [])
        with self.assertRaisesRegex(ValueError, "Both master and cluster"):
            tpu.RunConfig(cluster=resolver, master="")

    def test_a_copy_keeps_the_options_or_has_others(self):
        options, others = tpu.TPUConfig(7), tpu.TPUConfig(8)
        config = tpu.RunConfig(tpu_config=options)
        self.assertIs(config.replace(model_dir="/a").tpu_config, options)
        self.assertIs(config.replace(tpu_config=others).tpu_config, others)
        self.assertIs(config.tpu_config, options)


class ShardsTest(tf.test.TestCase):
    def test_one_core_has_the_gradients_and_slots_of_the_other_optimizer(self):
        v = tf.get_variable("v", initializer=3.0)
        optimizer = tpu.CrossShardOptimizer(tf.train.MomentumOptimizer(0.5, 0.9), "weighted_sum")
        ((gradient, variable),) = optimizer.compute_gradients(v * v)
        self.assertIs(variable, v)
        step = optimizer.apply_gradients([(gradient, v)])
        self.assertEqual(optimizer.get_slot_names(), ["momentum"])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllClose(session.run(v), 0.0)
            self.assertAllClose(session.run(optimizer.get_slot(v, "momentum")), 6.0)

    def test_groups_are_those_of_one_core(self):
        self.assertAllEqual(self.evaluate(tf.tpu.cross_replica_sum([1, 2], [[0]])), [1, 2])
        with self.assertRaisesRegex(ValueError, "permutation"):
            tf.tpu.cross_replica_sum([1], [[0, 1]])
        with self.assertRaisesRegex(ValueError, "Unsupported reduction"):
            tpu.CrossShardOptimizer(tf.train.AdamOptimizer(), reduction="none")

    def test_variables_of_bfloat16_are_kept_as_float32(self):
        with tf.tpu.bfloat16_scope():
            read = tf.get_variable("w", [2], tf.bfloat16, tf.ones_initializer())
            whole = tf.get_variable("i", [2], tf.int32, tf.zeros_initializer())
        self.assertEqual(read.dtype, tf.bfloat16)
        kept = [variable.dtype.base_dtype for variable in tf.global_variables()]
        self.assertEqual(kept, [tf.float32, tf.int32])
        self.assertIsInstance(whole, tf.Variable)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(read), [1, 1])


if __name__ == "__main__":
    tf.test.main()
