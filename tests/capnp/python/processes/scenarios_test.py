"""Programs of users on a cluster of node processes."""

import json
import os
import re
import tempfile
import threading
import time
import unittest

import numpy as np
from nodes import Nodes, finish, free_ports, output_of, start_program

import troupe as tf


class ScenariosTest(tf.test.TestCase):
    def test_a_session_on_any_node_computes_there(self):
        with Nodes(worker=2) as nodes:
            for task in range(2):
                output = output_of("anywhere.py", nodes.target("worker", task))
                self.assertEqual(output, f"3.0 on /job:worker/task:{task}/device:CPU:0")

    def test_a_program_counts_on_where_another_one_stopped_through_another_node(self):
        with Nodes(worker=2) as nodes:
            self.assertEqual(output_of("counter.py", nodes.target("worker", 0), "init"), "1.0")
            self.assertEqual(output_of("counter.py", nodes.target("worker", 1)), "2.0")

    def test_an_example_that_is_asked_for_help_says_its_usage(self):
        for name in ("counter.py", "pipeline.py", "replicas.py", "role.py"):
            asked = start_program(name, "--help")
            out, errors = asked.communicate(timeout=120)
            self.assertEqual((asked.returncode, errors), (0, ""))
            self.assertIn(f"\n{name} ", out)
            wrong = start_program(name, "--wrong")
            out, errors = wrong.communicate(timeout=120)
            self.assertEqual((wrong.returncode, out), (1, ""))
            self.assertIn(f"\n{name} ", errors)

    def test_variables_of_a_local_session_are_lost_and_those_of_a_cluster_are_kept(self):
        with Nodes(worker=1) as nodes:
            output = output_of("forgetting.py", nodes.target("worker"))
            self.assertEqual(output, "forgotten\nkept 1.0")

    def test_four_clients_share_two_containers(self):
        with Nodes(worker=2) as nodes:
            one, other = nodes.target("worker", 0), nodes.target("worker", 1)
            for container in ("", "my_problem_1"):
                self.assertEqual(output_of("client.py", one, container, "init"), "1.0")
            self.assertEqual(output_of("client.py", other, ""), "2.0")
            self.assertEqual(output_of("two_containers.py", one, "my_problem_1", ""), "1.0 2.0")
            self.assertEqual(output_of("client.py", other, "my_problem_1"), "2.0")

    def test_a_reset_frees_one_container_and_touches_nothing_else(self):
        with Nodes(worker=2) as nodes:
            one, other = nodes.target("worker", 0), nodes.target("worker", 1)
            for container in ("", "my_problem_1"):
                output_of("client.py", one, container, "init")
            self.assertEqual(output_of("reset.py", other, "my_problem_1"), "all tasks")
            self.assertEqual(output_of("client.py", other, ""), "2.0")
            with self.assertRaisesRegex(AssertionError, "FailedPreconditionError.*'x'"):
                output_of("client.py", other, "my_problem_1")
            self.assertEqual(output_of("client.py", other, "my_problem_1", "init"), "1.0")

    def test_a_reset_names_the_task_that_is_dead_and_resets_the_others(self):
        with Nodes(worker=2) as nodes:
            target = nodes.target("worker", 0)
            output_of("client.py", target, "", "init")
            nodes.kill("worker", 1)
            self.assertIn("all but /job:worker/task:1", output_of("reset.py", target, ""))
            with self.assertRaisesRegex(AssertionError, "FailedPreconditionError"):
                output_of("client.py", target, "")

    def test_several_nodes_share_one_machine(self):
        addresses = [f"localhost:{port}" for port in free_ports(3)]
        total, devices, ended = output_of("machine.py", *addresses).splitlines()
        self.assertEqual(total, "total 200.0")
        self.assertEqual(
            devices.split(),
            [
                "/job:ps/task:0/device:CPU:0",
                "/job:worker/task:0/device:CPU:0",
                "/job:worker/task:1/device:CPU:0",
            ],
        )
        self.assertEqual(ended, "ended with [0, 0]")

    def test_a_server_is_joined_until_a_signal_or_a_client_stops_it(self):
        def by_signal(program, target):
            program.terminate()

        def by_client(program, target):
            tf.train.stop_server(target)

        for stop in (by_signal, by_client):
            program = start_program("serving.py", *free_ports(1))
            target = program.stdout.readline().split()[-1]
            with tf.Session(target) as session:
                self.assertEqual(session.run(tf.constant(1)), 1)
            stop(program, target)
            self.assertEqual(finish(program, timeout=20), "ended")

    def test_each_worker_runs_partitions_of_the_sessions_of_the_other(self):
        with Nodes(ps=1, worker=2) as nodes:
            programs = [
                start_program("exchange.py", nodes.target("worker", task), task)
                for task in range(2)
            ]
            for task, program in enumerate(programs):
                value, there, here = finish(program).split()
                self.assertEqual(float(value), 50 * 201)
                self.assertEqual(there, f"/job:worker/task:{1 - task}/device:CPU:0")
                self.assertEqual(here, f"/job:worker/task:{task}/device:CPU:0")

    def test_a_server_is_what_its_definition_and_its_arguments_say(self):
        ports = free_ports(2)
        described, *served, refused = output_of("server_object.py", *ports).splitlines()
        self.assertEqual(described, f"worker 1 troupe://localhost:{ports[1]}")
        self.assertEqual(served, ["served", "served"])
        self.assertIn("task", refused)

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
        weights = [float(output.split()[1]) for output in outputs[1:] if output]
        self.assertGreater(max(weights), 2.5)

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


class ReplicasTest(tf.test.TestCase):
    """Two replicas, each split over two workers; variables on two parameter servers."""

    def loss_of_one_model(self):
        """The loss of one model in this process, trained on the batches of both replicas."""
        x = tf.placeholder(tf.float32, [None, 4])
        inner = tf.get_variable("inner", [4, 16], initializer=tf.glorot_uniform_initializer(seed=1))
        outer = tf.get_variable("outer", [16, 1], initializer=tf.glorot_uniform_initializer(seed=2))
        largest = tf.reduce_max(x, 1, keepdims=True)
        error = tf.matmul(tf.nn.relu(tf.matmul(x, inner)), outer) - largest
        loss = tf.reduce_mean(tf.square(error))
        train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
        random = np.random.default_rng(0)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(200):
                batches = [random.random((32, 4), np.float32) for _ in range(2)]
                _, last = session.run([train, loss], {x: np.concatenate(batches)})
        return last

    def steps_and_loss(self, output):
        steps, loss = re.fullmatch(r"steps (\d+) loss ([\d.]+)", output).groups()
        return int(steps), float(loss)

    def test_replicas_in_one_graph_train_as_one_model_that_sees_both_their_batches(self):
        with Nodes(ps=2, worker=4) as nodes:
            output = output_of("replicas.py", nodes.target("worker", 0))
        steps, loss = self.steps_and_loss(output)
        self.assertEqual(steps, 200)
        self.assertNear(loss, self.loss_of_one_model(), 2e-4)

    def test_replicas_in_two_programs_do_not_wait_for_each_other(self):
        with Nodes(ps=2, worker=4) as nodes:
            programs = [
                start_program("replicas.py", nodes.target("worker", 2 * replica), replica)
                for replica in range(2)
            ]
            for program in programs:
                steps, loss = self.steps_and_loss(finish(program))
                self.assertIn(steps, range(200, 401))
                self.assertLess(loss, 0.05)


class DigitsTest(unittest.TestCase):
    def train(self, nodes, *arguments, meanwhile=lambda: None):
        programs = [
            start_program("digits.py", "--target", nodes.target("worker", task),
                          "--task", str(task), "--workers", "2", *arguments)
            for task in range(2)
        ]  # fmt: skip
        meanwhile()
        outputs = [finish(program) for program in programs]
        return [self.accuracy(output) for output in outputs]

    @staticmethod
    def accuracy(output):
        return float(re.search(r"accuracy ([\d.]+)", output)[1])

    def test_one_worker_reads_as_many_digits_as_the_example_in_cpp(self):
        with Nodes(ps=1, worker=1) as nodes:
            output = output_of("digits.py", "--target", nodes.target("worker"))
            # 0.9889 of 359, with a margin for rounding on other machines.
            self.assertGreater(self.accuracy(output), 0.983)

    def test_two_workers_train_one_model_together(self):
        with Nodes(ps=1, worker=2) as nodes:
            self.assertGreater(max(self.train(nodes)), 0.975)

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
