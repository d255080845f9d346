"""Synchronous trainings, of which a worker's process is killed."""

import json
import signal
import unittest

from nodes import Nodes, finish, free_ports, output_of, start_program

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


class MirroredWorkersTest(tf.test.TestCase):
    def start(self, folder, steps, count):
        ports = [f"127.0.0.1:{port}" for port in free_ports(count)]
        cluster = {"chief": ports[:1], "worker": ports[1:]}
        programs = []
        for number in range(count):
            job = "worker" if number else "chief"
            task = {"type": job, "index": max(0, number - 1)}
            told = json.dumps({"cluster": cluster, "task": task})
            programs.append(start_program("mirrored_workers.py", folder, steps, TF_CONFIG=told))
            self.addCleanup(SyncReplicasTest.end, programs[-1])
        return programs

    def test_workers_train_as_one_program_with_the_batches_of_all(self):
        folder, alone = (self.create_tempdir(each).full_path for each in ("workers", "alone"))
        for program in self.start(folder, 10, 2):
            finish(program)
        output_of("mirrored_workers.py", alone, 10, "alone")
        found, expected = tf.train.load_checkpoint(folder), tf.train.load_checkpoint(alone)
        self.assertEqual(found.get_tensor("global_step"), 10)
        for name in ("dense/kernel", "dense/kernel/Adam_1", "dense/bias"):
            self.assertAllClose(found.get_tensor(name), expected.get_tensor(name))

    def test_all_workers_end_when_one_is_killed_and_go_on_from_the_checkpoint(self):
        folder = self.create_tempdir().full_path
        programs = self.start(folder, 100_000, 3)
        for program in programs:
            program.stdout.readline()  # it takes part
        programs[1].send_signal(signal.SIGKILL)
        for program in (programs[0], programs[2]):
            _, errors = program.communicate(timeout=60)
            self.assertNotEqual(program.returncode, 0)
            self.assertRegex(errors, "(Unavailable|Aborted)Error: .* /job:")
        saved = tf.train.load_checkpoint(folder).get_tensor("global_step")
        for program in self.start(folder, saved + 5, 3):
            finish(program)
        found = tf.train.load_checkpoint(folder)
        self.assertEqual(found.get_tensor("global_step"), saved + 5)


if __name__ == "__main__":
    unittest.main()
