"""Waits for checkpoints, and which parameter server a variable is placed on."""

import os
import unittest

import troupe as tf

training = tf.contrib.training


class ContribTrainingTest(tf.test.TestCase):
    def save(self, folder, steps):
        """Saves a checkpoint after each of so many steps; returns their paths."""
        v = tf.get_variable("v", initializer=1.0)
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(v.initializer)
            return [saver.save(session, os.path.join(folder, "model"), step) for step in steps]

    def test_checkpoints_are_given_once_until_no_more_come(self):
        folder = self.get_temp_dir()
        (path,) = self.save(folder, [7])
        asked = []

        def ends():
            asked.append(1)
            return len(asked) == 2

        found = list(tf.train.checkpoints_iterator(folder, timeout=0.01, timeout_fn=ends))
        self.assertEqual(found, [path])
        self.assertLen(asked, 2)
        self.assertEqual(list(training.checkpoints_iterator(folder, timeout=0)), [path])

    def test_a_checkpoint_is_waited_for_as_long_as_it_is_said(self):
        folder = self.get_temp_dir()
        wait = training.wait_for_new_checkpoint
        self.assertIsNone(wait(folder, seconds_to_sleep=0.01, timeout=0.03))
        first, second = self.save(folder, [1, 2])
        self.assertEqual(wait(folder, first), second)
        self.assertIsNone(wait(folder, second, seconds_to_sleep=0.01, timeout=0.03))

    def test_variables_are_placed_where_the_fewest_bytes_are(self):
        strategy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
        cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
        with tf.device(tf.train.replica_device_setter(cluster=cluster, ps_strategy=strategy)):
            placed = [
                tf.get_variable(f"v{size}", [size]).device[-1] for size in (100, 10, 20, 60, 15)
            ]
        # The loads: 400 and 0, 40, 120, 360, 420.
        self.assertEqual(placed, list("01111"))

    def test_names_choose_tasks_at_random_and_always_alike(self):
        strategy = training.RandomStrategy(3, seed=4)
        ops = [tf.no_op(name=f"n{i}") for i in range(30)]
        chosen = [strategy(op) for op in ops]
        self.assertEqual(set(chosen), {0, 1, 2})
        self.assertEqual(chosen, [training.RandomStrategy(3, seed=4)(op) for op in ops])

    def test_hooks_and_resolvers_have_all_their_names(self):
        self.assertIs(tf.estimator.SessionRunHook, tf.train.SessionRunHook)
        self.assertIs(tf.estimator.StopAtStepHook, tf.train.StopAtStepHook)
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec({"ps": ["a:1"]})
        )
        self.assertEqual(resolver.cluster_spec().job_tasks("ps"), ["a:1"])


if __name__ == "__main__":
    unittest.main()
