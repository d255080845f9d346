"""What TF_CONFIG says of a program's place in a cluster."""

import json
import os
import unittest
from unittest import mock

import troupe as tf

CLUSTER = {"chief": ["a:1"], "ps": ["b:1", "c:1"], "worker": ["d:1", "e:1"]}


def config(tf_config=None, **options):
    with mock.patch.dict(os.environ, {"TF_CONFIG": json.dumps(tf_config or {})}):
        return tf.estimator.RunConfig(**options)


class RunConfigTest(unittest.TestCase):
    def test_a_program_without_a_cluster_is_the_chief(self):
        found = config()
        self.assertEqual((found.task_type, found.task_id, found.is_chief), ("worker", 0, True))
        self.assertEqual((found.master, found.num_worker_replicas), ("", 1))
        self.assertEqual((found.save_checkpoints_secs, found.save_checkpoints_steps), (600, None))

    def test_tasks_of_a_cluster_know_their_place(self):
        for kind, index, place in (("chief", 0, 0), ("worker", 1, 2), ("ps", 1, 4)):
            found = config({"cluster": CLUSTER, "task": {"type": kind, "index": index}})
            self.assertEqual((found.task_type, found.task_id), (kind, index))
            self.assertEqual(found.is_chief, kind == "chief")
            self.assertEqual(found.master, f"grpc://{CLUSTER[kind][index]}")
            self.assertEqual((found.num_ps_replicas, found.num_worker_replicas), (2, 3))
            self.assertEqual(found.global_id_in_cluster, place)
            self.assertEqual(found.cluster_spec, tf.train.ClusterSpec(CLUSTER))

    def test_an_evaluator_is_not_part_of_the_cluster(self):
        found = config({"cluster": CLUSTER, "task": {"type": "evaluator", "index": 0}})
        self.assertEqual((found.task_type, found.master, found.is_chief), ("evaluator", "", False))
        self.assertEqual((found.num_worker_replicas, found.global_id_in_cluster), (0, None))
        self.assertFalse(found.cluster_spec)

    def test_a_cluster_of_one_task_needs_no_target(self):
        found = config({"cluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}})
        self.assertEqual(found.master, "")

    def test_a_wrong_tf_config_is_refused(self):
        for cluster, task, text in (
            ({"worker": ["a:1"]}, {"type": "worker", "index": 0}, 'must have one "chief"'),
            ({"chief": ["a:1", "b:1"]}, {"type": "chief", "index": 0}, "only one"),
            (CLUSTER, {}, "task type must be set"),
            (CLUSTER, {"type": "ps"}, "task index must be set"),
            (CLUSTER, {"type": "ps", "index": -1}, "non-negative"),
            (CLUSTER, {"type": "ps", "index": 2}, "not a valid task_id"),
            (CLUSTER, {"type": "other", "index": 0}, "not a valid task_type"),
            ({}, {"type": "ps", "index": 0}, "without cluster"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                config({"cluster": cluster, "task": task})

    def test_options_are_checked_and_replaced(self):
        found = config(model_dir="/a", save_checkpoints_steps=5)
        self.assertEqual((found.save_checkpoints_secs, found.save_checkpoints_steps), (None, 5))
        other = found.replace(save_checkpoints_secs=7, model_dir="/b")
        self.assertEqual((other.save_checkpoints_secs, other.save_checkpoints_steps), (7, None))
        self.assertEqual((found.model_dir, other.model_dir), ("/a", "/b"))
        for options in (
            {"save_checkpoints_steps": 1, "save_checkpoints_secs": 1},
            {"model_dir": ""}, {"keep_checkpoint_max": -1}, {"log_step_count_steps": 0},
        ):  # fmt: skip
            with self.assertRaises(ValueError):
                config(**options)
        with self.assertRaisesRegex(ValueError, "Replacing master"):
            found.replace(master="x")
        with self.assertRaisesRegex(ValueError, "same value as the model_dir in TF_CONFIG"):
            config({"model_dir": "/a"}, model_dir="/b")
        self.assertEqual(config({"model_dir": "/a"}).model_dir, "/a")


if __name__ == "__main__":
    unittest.main()
