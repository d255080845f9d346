"""What users do with a cluster of nodes, as programs of their own."""

import json
import os
import re
import tempfile
import threading
import time
import unittest

from nodes import Nodes, finish, free_ports, start_program

import troupe as tf


class ScenesTest(tf.test.TestCase):
    def test_a_session_on_any_node_computes_there(self):
        with Nodes(worker=2) as nodes, tf.Session(nodes.target("worker", 1)) as session:
            self.assertEqual(session.run((tf.constant(1.0) + 0.0) * 3.0), 3)
            self.assertEqual(len(session.list_devices()), 2)

    def test_a_program_counts_on_where_another_one_stopped_through_another_node(self):
        with Nodes(worker=2) as nodes:
            one = start_program("counter.py", nodes.target("worker", 0), "init")
            self.assertEqual(finish(one), "1.0")
            other = start_program("counter.py", nodes.target("worker", 1))
            self.assertEqual(finish(other), "2.0")

    def test_a_reset_names_the_task_that_is_dead_and_resets_the_others(self):
        v = tf.Variable(1.0, name="v")
        with Nodes(worker=2) as nodes:
            target = nodes.target("worker", 0)
            with tf.Session(target) as session:
                session.run(v.initializer)
            nodes.kill("worker", 1)
            with self.assertRaisesRegex(tf.errors.UnavailableError, "/job:worker/task:1"):
                tf.Session.reset(target, [""])
            with tf.Session(target) as session:
                self.assertFalse(session.run(tf.is_variable_initialized(v)))

    def test_one_program_takes_its_role_from_tf_config(self):
        ports = free_ports(3)
        cluster = {
            "ps": [f"localhost:{ports[0]}"],
            "worker": [f"localhost:{port}" for port in ports[1:]],
        }
        programs = []
        for job, task in (("ps", 0), ("worker", 0), ("worker", 1)):
            config = json.dumps({"cluster": cluster, "task": {"type": job, "index": task}})
            programs.append(start_program("role.py", TF_CONFIG=config))
        outputs = [finish(program) for program in programs]
        self.assertEqual(outputs[0], "")
        for output in outputs[1:]:
            self.assertGreater(float(output.split()[1]), 2.5)

    def test_a_step_fails_with_the_name_of_the_node_that_died(self):
        with Nodes(worker=2) as nodes:
            with tf.device("/job:worker/task:1"):
                size = 1500
                slow = tf.ones([size, size])
                for _ in range(200):
                    slow = tf.matmul(slow, tf.ones([size, size])) / float(size)
            with tf.Session(nodes.target("worker", 0)) as session:
                killer = threading.Timer(1.0, nodes.kill, ("worker", 1))
                killer.start()
                started = time.monotonic()
                with self.assertRaisesRegex(tf.errors.UnavailableError, "/job:worker/task:1"):
                    session.run(slow.op)
                self.assertLess(time.monotonic() - started, 10)
                killer.join()


class DigitsTest(unittest.TestCase):
    def train(self, nodes, *arguments, meanwhile=lambda: None):
        programs = [
            start_program("digits.py", "--target", nodes.target("worker", task),
                          "--task", str(task), "--workers", "2", *arguments)
            for task in range(2)
        ]  # fmt: skip
        meanwhile()
        outputs = [finish(program) for program in programs]
        return [float(re.search(r"accuracy ([\d.]+)", output)[1]) for output in outputs]

    def test_two_workers_train_to_the_accuracy_of_the_example_in_cpp(self):
        with Nodes(ps=1, worker=2) as nodes:
            self.assertGreater(max(self.train(nodes)), 0.96)

    def test_a_training_survives_its_parameter_server(self):
        with tempfile.TemporaryDirectory() as folder, Nodes(ps=1, worker=2) as nodes:

            def kill():
                deadline = time.monotonic() + 30
                while not os.path.exists(os.path.join(folder, "checkpoint")):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                nodes.restart("ps", 0)

            arguments = ("--checkpoints", folder, "--epochs", "60")
            self.assertGreater(max(self.train(nodes, *arguments, meanwhile=kill)), 0.96)


if __name__ == "__main__":
    unittest.main()
