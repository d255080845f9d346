"""Synchronous trainings, of which a worker's process is killed."""

import json
import signal
import unittest

from nodes import Nodes, finish, free_ports, start_program

import troupe as tf


class SyncReplicasTest(tf.test.TestCase):
    def start(self, job, task, steps):
        program = start_program("synchronous.py", json.dumps(self.cluster), job, task, steps)
        self.addCleanup(self.end, program)
        return program

    @staticmethod
    def end(program):
        program.kill()
        program.communicate()

    def test_the_training_goes_on_when_one_of_four_workers_is_killed(self):
        ports = [f"127.0.0.1:{port}" for port in free_ports(5)]
        self.cluster = {"ps": ports[:1], "worker": ports[1:]}
        steps = 40
        self.start("ps", 0, steps)
        chief, *others = [self.start("worker", task, steps) for task in range(4)]
        others[1].stdout.readline()  # it takes part
        others[1].send_signal(signal.SIGKILL)
        lines = []
        while not lines or lines[-1].startswith("step"):
            lines.append(chief.stdout.readline())
        self.assertRegex(lines[-1], "^w ", chief.poll())
        # Each update is by the mean of three gradients of the same weight, 2 w.
        done = int(lines[-2].split()[1])
        self.assertGreaterEqual(done, steps)
        self.assertLess(float(lines[-1].split()[1]), 10 * 0.9**steps * 1.01)

    def test_digits_are_learnt_by_four_of_five_workers_of_which_one_is_killed(self):
        with Nodes(ps=1, worker=5) as nodes:
            words = ["--workers", 5, "--aggregate", 4]
            chief, *others = [
                start_program(
                    "digits.py", "--target", nodes.target("worker", task), "--task", task, *words
                )
                for task in range(5)
            ]
            for program in others:
                self.addCleanup(self.end, program)
            others[1].stdout.readline()  # it takes part
            others[1].send_signal(signal.SIGKILL)
            nodes.kill("worker", 2)
            accuracy = float(finish(chief).split()[-1])
        self.assertGreater(accuracy, 0.95)


if __name__ == "__main__":
    unittest.main()
