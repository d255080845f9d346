"""Runners that a program leaves on a cluster of processes."""

import pathlib
import tempfile
import time
import unittest

from nodes import Nodes, output_of

import troupe as tf

COUNT = 300


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it never came to that")


class RunnersTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.nodes = Nodes(ps=1, worker=2)
        self.addCleanup(self.nodes.close)
        self.target = self.nodes.target("worker", 1)
        with tf.device("/job:ps/task:0"):
            self.queue = tf.FIFOQueue(5, tf.string, shapes=(), shared_name="lines")
        self.take = self.queue.dequeue()

    def runner(self, name):
        (found,) = [each for each in tf.queue.list_runners(self.target) if each.name == name]
        return found

    def leave(self, element, name="filling", container=""):
        runner = tf.train.QueueRunner(self.queue, [self.queue.enqueue(element)] * 2)
        with tf.Session(self.nodes.target("worker", 0)) as session:
            runner.leave_on_cluster(session, name, container)

    def test_lines_of_a_file_come_once_and_in_order_when_the_program_that_reads_it_has_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "numbers"
            path.write_text("".join(f"{number}\n" for number in range(COUNT)))
            output_of("leave_runners.py", self.nodes.target("worker", 0), path)
            found = []
            with tf.Session(self.target) as session, self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    if len(found) % 50 == 20:
                        tf.queue.pause_runner(self.target, "reading")
                        self.assertEqual(self.runner("reading").state, "paused")
                        tf.queue.resume_runner(self.target, "reading")
                    found.append(int(session.run(self.take)))
        self.assertEqual(found, list(range(COUNT)))
        wait_until(lambda: self.runner("naming").state == "ended")
        for name in ("naming", "reading"):
            runner = self.runner(name)
            self.assertEqual((runner.state, runner.error), ("ended", None))
            self.assertEqual((runner.failures, runner.last_error), (0, None))
            self.assertEqual(runner.task, "/job:worker/task:0")
            tf.queue.stop_runner(self.target, name)
        self.assertEqual(tf.queue.list_runners(self.target), [])

    def test_a_runner_goes_on_when_the_node_of_its_queue_was_killed_and_is_back(self):
        self.leave(tf.constant("x"))
        wait_until(lambda: self.runner("filling").steps == 5)
        self.nodes.restart("ps", 0)
        wait_until(lambda: self.runner("filling").steps >= 10)
        runner = self.runner("filling")
        self.assertEqual((runner.state, runner.error), ("running", None))
        self.assertIsInstance(
            runner.last_error, (tf.errors.UnavailableError, tf.errors.AbortedError)
        )
        self.assertGreater(runner.failures, 0)
        with tf.Session(self.target) as session:
            self.assertEqual(session.run(self.take), b"x")

    def test_stopping_a_runner_closes_its_queue_and_the_reset_of_its_container_does_not(self):
        self.leave(tf.constant("x"), container="ours")
        (listed,) = [
            found for found in tf.Session.list_resources(self.target) if found.kind == "runner"
        ]
        self.assertEqual((listed.name, listed.container), ("filling", "ours"))
        tf.Session.reset(self.target, ["ours"])
        self.assertEqual(tf.queue.list_runners(self.target), [])
        self.leave(tf.constant("x"))
        tf.queue.stop_runner(self.target, "filling")
        with tf.Session(self.target) as session:
            with self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    session.run(self.take)

    def test_an_error_ends_a_runner_and_is_listed(self):
        self.leave(tf.get_variable("unset", initializer="x").value())
        wait_until(lambda: self.runner("filling").state == "ended")
        self.assertIsInstance(self.runner("filling").error, tf.errors.FailedPreconditionError)
        self.assertIn("unset", str(self.runner("filling").error))
        with self.assertRaises(tf.errors.FailedPreconditionError):
            tf.queue.resume_runner(self.target, "filling")

    def test_wrong_words_are_errors(self):
        self.leave(tf.constant("x"))
        with self.assertRaises(tf.errors.AlreadyExistsError):
            self.leave(tf.constant("x"))
        for act in (tf.queue.pause_runner, tf.queue.resume_runner, tf.queue.stop_runner):
            with self.assertRaises(tf.errors.NotFoundError):
                act(self.target, "emptying")
            with self.assertRaises(tf.errors.NotFoundError):
                act(self.target, "filling", container="ours")
        unshared = tf.FIFOQueue(5, tf.string, shapes=())
        runner = tf.train.QueueRunner(unshared, [unshared.enqueue("x")])
        with tf.Session(self.target) as session:
            with self.assertRaisesRegex(ValueError, "no shared_name"):
                runner.leave_on_cluster(session, "other")
        with tf.Session() as session, self.assertRaisesRegex(ValueError, "in this process"):
            runner.leave_on_cluster(session, "other")
        with self.assertRaisesRegex(TypeError, "str"):
            runner.leave_on_cluster(self.target, "other")


if __name__ == "__main__":
    unittest.main()
