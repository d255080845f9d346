"""A loader and a trainer on other nodes than their queue, which are killed and started again."""

import pathlib
import tempfile
import unittest

from nodes import Nodes, finish, start_program

import troupe as tf

COUNT = 1500
CAPACITY = 5


class Program:
    """A program of a user, which is killed and started again."""

    def __init__(self, name, *arguments):
        self._call = (name, *arguments)
        self._start()

    def _start(self):
        self._process = start_program(*self._call)
        self._process.stdout.readline()

    def kill(self):
        self._process.kill()
        self._process.communicate()

    def restart(self):
        self.kill()
        self._start()

    def finish(self):
        return finish(self._process)


class LinesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        with tf.device("/job:ps/task:0"):
            self.seen = tf.get_variable("seen", [COUNT], tf.int32, tf.zeros_initializer())
            lines = tf.FIFOQueue(CAPACITY, tf.string, shapes=(), shared_name="lines")
        self.total = tf.reduce_sum(self.seen)
        self.size = lines.size()

    def wait_for(self, session, part):
        while session.run(self.total) < part * COUNT:
            pass

    def wait_until_full(self, session):
        """Then the loader's next step, too, has a line, and waits with it."""
        for _ in range(100):
            while session.run(self.size) < CAPACITY:
                pass

    def test_lines_are_trained_on_once_each_though_loader_and_trainer_are_killed(self):
        with tempfile.TemporaryDirectory() as folder, Nodes(ps=1, worker=2) as nodes:
            path = pathlib.Path(folder) / "numbers"
            path.write_text("".join(f"{number}\n" for number in range(COUNT)))
            with tf.Session(nodes.target("ps")) as session:
                session.run(self.seen.initializer)
                loader = Program("load_lines.py", nodes.target("worker", 0), path)
                trainer = Program("train_on_lines.py", nodes.target("worker", 1), COUNT)
                self.wait_for(session, 1 / 4)
                loader.restart()
                self.wait_for(session, 2 / 4)
                trainer.restart()
                self.wait_for(session, 3 / 4)
                trainer.kill()
                self.wait_until_full(session)
                loader.restart()
                trainer.restart()
                loader.finish()
                self.assertEqual(trainer.finish(), "done")
                self.assertAllEqual(session.run(self.seen), [1] * COUNT)


if __name__ == "__main__":
    unittest.main()
