"""What finds the tasks of a cluster."""

import json
import os
import unittest
from unittest import mock

import troupe as tf

resolvers = tf.contrib.cluster_resolver
CLUSTER = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})


def environment(**found):
    return mock.patch.dict(os.environ, {"TF_CONFIG": json.dumps(found)})


class SimpleTest(unittest.TestCase):
    def test_the_target_is_the_given_one_or_that_of_a_task(self):
        resolver = resolvers.SimpleClusterResolver(CLUSTER, "d:1", "worker", 1, "here", {"GPU": 2})
        self.assertEqual(resolver.cluster_spec(), CLUSTER)
        self.assertEqual(resolver.master(), "d:1")
        self.assertEqual(resolver.master("worker", 1, rpc_layer="grpc"), "grpc://c:1")
        self.assertEqual((resolver.task_type, resolver.task_id), ("worker", 1))
        self.assertEqual((resolver.environment, resolver.num_accelerators()), ("here", {"GPU": 2}))

    def test_wrong_arguments_are_refused(self):
        with self.assertRaisesRegex(TypeError, "must be a ClusterSpec"):
            resolvers.SimpleClusterResolver({"ps": ["a:1"]})
        with self.assertRaisesRegex(TypeError, "master must be a string"):
            resolvers.SimpleClusterResolver(CLUSTER, 3)


class TFConfigTest(unittest.TestCase):
    def test_the_environment_is_read_at_each_call(self):
        resolver = resolvers.TFConfigClusterResolver()
        task = {"type": "worker", "index": 1}
        with environment(cluster=CLUSTER.as_dict(), task=task, rpc_layer="grpc"):
            self.assertEqual(resolver.cluster_spec(), CLUSTER)
            self.assertEqual((resolver.task_type, resolver.task_id), ("worker", 1))
            self.assertEqual(resolver.master(), "grpc://c:1")
            self.assertEqual(resolver.master("ps", 0), "grpc://a:1")
        with environment():
            self.assertEqual((resolver.task_type, resolver.task_id), (None, None))
            self.assertEqual(resolver.master(), "")

    def test_arguments_have_precedence(self):
        with environment(cluster=CLUSTER.as_dict(), task={"type": "ps", "index": 0}):
            resolver = resolvers.TFConfigClusterResolver("worker", 0, "x")
            self.assertEqual(resolver.master(), "x://b:1")
        with environment(cluster=CLUSTER.as_dict(), session_master="y:1"):
            self.assertEqual(resolver.master(), "y:1")

    def test_a_cluster_without_a_task_has_no_target(self):
        with environment(cluster=CLUSTER.as_dict()):
            with self.assertRaisesRegex(ValueError, "has no task"):
                resolvers.TFConfigClusterResolver().master()

    def test_a_process_alone_counts_its_accelerators(self):
        with environment():
            self.assertNotIn("CPU", resolvers.TFConfigClusterResolver().num_accelerators())


class UnionTest(unittest.TestCase):
    def union(self, *clusters, **options):
        simple = [
            resolvers.SimpleClusterResolver(tf.train.ClusterSpec(each), f"m{index}:1", "worker", 0)
            for index, each in enumerate(clusters)
        ]
        return resolvers.UnionClusterResolver(*simple, **options)

    def test_tasks_of_a_job_come_one_after_the_other(self):
        second = {"worker": ["b:1"], "ps": ["c:1"]}
        union = self.union({"worker": ["a:1"]}, second, rpc_layer="grpc")
        self.assertEqual(union.cluster_spec().as_dict(), {"worker": ["a:1", "b:1"], "ps": ["c:1"]})
        self.assertEqual(union.master(), "grpc://m0:1")
        self.assertEqual(union.master("ps", 0), "grpc://c:1")
        self.assertEqual((union.task_type, union.task_id), ("worker", 0))

    def test_numbered_tasks_keep_their_numbers(self):
        union = self.union({"worker": ["a:1"]}, {"worker": {2: "b:1"}})
        self.assertEqual(union.cluster_spec().as_dict(), {"worker": {0: "a:1", 2: "b:1"}})
        with self.assertRaisesRegex(KeyError, "Duplicate keys"):
            self.union({"worker": {3: "a:1"}}, {"worker": {3: "b:1"}}).cluster_spec()

    def test_wrong_arguments_are_refused(self):
        with self.assertRaisesRegex(ValueError, "At least one"):
            resolvers.UnionClusterResolver()
        with self.assertRaisesRegex(TypeError, "must be a sub-class"):
            resolvers.UnionClusterResolver(3)
        with self.assertRaisesRegex(ValueError, "Unexpected kwargs"):
            self.union({"ps": ["a:1"]}, other=3)


class TPUTest(unittest.TestCase):
    def test_without_a_name_there_is_nothing_to_find(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("TPU_NAME", None)
            with self.assertRaisesRegex(ValueError, "Please provide a TPU Name"):
                resolvers.TPUClusterResolver()

    def test_a_name_is_an_error_that_says_what_to_do(self):
        with self.assertRaisesRegex(RuntimeError, "TPU 'mine'.*use_tpu=False"):
            resolvers.TPUClusterResolver("mine")


if __name__ == "__main__":
    unittest.main()
