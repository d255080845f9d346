"""Strategies of distribution by their names, and those with one replica in a program."""

import json
import os
from unittest import mock

import numpy as np

import troupe as tf


def linear_model(features, labels, mode):
    """One weight; the prediction is on whichever device the strategy says."""
    weight = tf.get_variable("weight", [1], initializer=tf.zeros_initializer())
    predicted = features["x"] * weight
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predicted)
    loss = tf.reduce_mean((predicted - labels) ** 2)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def batches():
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, 3 * x)).repeat().batch(8)


class StrategiesTest(tf.test.TestCase):
    def test_nodes_are_on_the_device_of_the_strategy(self):
        strategy = tf.distribute.OneDeviceStrategy("/device:CPU:0")
        outside = tf.constant(1.0)
        with strategy.scope():
            v = tf.Variable(2.0)
            doubled = strategy.experimental_run_v2(lambda x: x * v, (tf.constant(3.0),))
        self.assertEqual((outside.device, v.device), ("", "/device:CPU:0"))
        self.assertEqual(doubled.device, "/device:CPU:0")
        with self.session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(doubled), 6)

    def test_a_program_knows_whether_it_is_in_a_replica(self):
        self.assertFalse(tf.distribute.has_strategy())
        self.assertFalse(tf.distribute.in_cross_replica_context())
        self.assertEqual(tf.distribute.get_strategy().num_replicas_in_sync, 1)
        strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=0)

        def replica():
            context = tf.distribute.get_replica_context()
            self.assertIs(context.strategy, strategy)
            self.assertEqual(context.replica_id_in_sync_group, 0)
            self.assertEqual(context.all_reduce(tf.distribute.ReduceOp.SUM, 5), 5)

            def merged(in_scope, value):
                self.assertTrue(tf.distribute.in_cross_replica_context())
                return in_scope, value

            return context.merge_call(merged, (7,))

        with strategy.scope():
            self.assertTrue(tf.distribute.has_strategy())
            self.assertIsNone(tf.distribute.get_replica_context())
            self.assertEqual(strategy.experimental_run_v2(replica), (strategy, 7))

    def test_values_of_replicas_are_reduced(self):
        strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        value = tf.constant([1.0, 2.0, 3.0])
        with self.session() as session:
            self.assertEqual(session.run(strategy.reduce("mean", value, axis=0)), 2)
            total = strategy.reduce(tf.distribute.ReduceOp.SUM, value, axis=0)
            self.assertEqual(session.run(total), 6)
            self.assertAllEqual(session.run(strategy.reduce("sum", value)), [1, 2, 3])
        self.assertEqual(strategy.experimental_local_results(5), (5,))
        with self.assertRaisesRegex(ValueError, "SUM or MEAN"):
            strategy.reduce("max", value)

    def test_a_device_is_given_once(self):
        for devices in ([], ["/cpu:0", "/cpu:0"]):
            with self.assertRaisesRegex(ValueError, "needs devices, each once"):
                tf.distribute.MirroredStrategy(devices)
        with self.assertRaisesRegex(ValueError, "2 devices are given: MirroredStrategy"):
            tf.distribute.experimental.CentralStorageStrategy(["/gpu:0", "/gpu:1"])

    def test_workers_are_those_of_the_cluster(self):
        cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}

        def made(**task):
            tf_config = json.dumps({"cluster": cluster, "task": task})
            with mock.patch.dict(os.environ, {"TF_CONFIG": tf_config}):
                return tf.distribute.experimental.MultiWorkerMirroredStrategy()

        strategy = made(type="worker", index=1)
        self.assertEqual(strategy.num_replicas_in_sync, 3)
        self.assertEqual(
            strategy.extended.worker_devices, ("/job:worker/task:1/device:CPU:0",)
        )
        self.assertFalse(strategy.extended.should_checkpoint)
        self.assertTrue(made(type="chief", index=0).extended.should_checkpoint)
        self.assertEqual(made(type="evaluator", index=0).num_replicas_in_sync, 1)
        with self.assertRaisesRegex(ValueError, "/job:ps/task:0, which is none of the workers"):
            made(type="ps", index=0)
        alone = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        self.assertEqual(alone.num_replicas_in_sync, 1)

    def test_a_loop_over_an_iterator_trains(self):
        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
            weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
            optimizer = tf.train.GradientDescentOptimizer(0.1)
            data = tf.data.Dataset.from_tensor_slices(np.ones([8, 1], np.float32)).batch(2)
            iterator = strategy.make_dataset_iterator(data.repeat())

            def step(x):
                return optimizer.minimize(tf.reduce_mean((x * weight - 4) ** 2))

            train = strategy.experimental_run(step, iterator)
        with self.session() as session:
            session.run([tf.global_variables_initializer(), iterator.initialize()])
            for _ in range(60):
                session.run(train)
            self.assertAllClose(session.run(weight), 4, atol=1e-3)

    def test_an_input_function_is_told_of_the_replicas(self):
        strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        seen = []

        def input_fn(context):
            seen.append((context.num_input_pipelines, context.get_per_replica_batch_size(32)))
            return tf.data.Dataset.range(3)

        iterator = strategy.make_input_fn_iterator(input_fn)
        element = iterator.get_next()
        self.assertEqual(seen, [(1, 32)])
        with self.session() as session:
            session.run(iterator.initializer)
            self.assertEqual([session.run(element) for _ in range(3)], [0, 1, 2])

    def test_an_estimator_trains_and_evaluates_with_strategies(self):
        strategies = (
            tf.distribute.OneDeviceStrategy("/gpu:0"),  # softly on the CPU, where there is none
            tf.contrib.distribute.ParameterServerStrategy(),
        )
        for strategy in strategies:
            with self.subTest(strategy=type(strategy).__name__):
                config = tf.estimator.RunConfig(
                    self.get_temp_dir() + type(strategy).__name__,
                    train_distribute=strategy,
                    eval_distribute=strategy,
                )
                estimator = tf.estimator.Estimator(linear_model, config=config)
                estimator.train(batches, steps=60)
                self.assertLess(estimator.evaluate(batches, steps=5)["loss"], 1e-3)
                self.assertAllClose(estimator.get_variable_value("weight"), [3], atol=0.05)


if __name__ == "__main__":
    tf.test.main()
