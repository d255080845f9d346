"""Functions of Python in a cluster with nodes that have no Python."""

import unittest

from nodes import Nodes

import troupe as tf

PLAIN, OWN = "/job:worker/task:0", "/job:worker/task:1"


class FunctionsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        nodes = Nodes(worker=2)
        self.addCleanup(nodes.close)
        nodes.kill("worker", 1)
        self.target = nodes.target("worker", 0)
        server = tf.train.Server(nodes.cluster, "worker", 1)
        self.addCleanup(server.stop)
        self.own_target = server.target

    def error_of(self, target, fetch):
        with tf.Session(target) as session:
            with self.assertRaises(tf.errors.UnimplementedError) as caught:
                session.run(fetch)
            self.assertEqual(session.run(tf.constant(7)), 7)
        return str(caught.exception)

    def test_a_function_runs_on_the_server_of_its_program_for_any_session(self):
        with tf.device(PLAIN):
            x = tf.placeholder(tf.float32)
        with tf.device(OWN):
            y = tf.py_func(lambda a: a + 1, [x * 2.0], tf.float32)
        with tf.device(PLAIN):
            z = y * 10.0
        for target in (self.target, self.own_target):
            with tf.Session(target) as session:
                self.assertEqual(session.run(z, {x: 3}), 70)

    def test_a_plain_node_answers_where_functions_can_run(self):
        with tf.device(PLAIN):
            there = tf.py_func(lambda: None, [], [], name="f")
        for fetch in (there, tf.py_func(lambda: None, [], [], name="f")):
            text = self.error_of(self.target, fetch)
            self.assertIn(f"no device that fits '{PLAIN}", text)
            self.assertIn(f"has a kernel for op PyFunc [node '{fetch.name}' (PyFunc)]", text)
            self.assertIn("a Python function runs in the program that added it", text)
        self.assertIn(f"these have one: {OWN}/device:CPU:0", self.error_of(self.own_target, there))


if __name__ == "__main__":
    unittest.main()
