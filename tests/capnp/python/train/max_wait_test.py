"""How long a monitored session waits until it has its first session."""

import socket
import time
import unittest

import troupe as tf


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class MaxWaitTest(unittest.TestCase):
    LIMIT_S = 3

    def setUp(self):
        tf.reset_default_graph()

    def check_gives_up(self, target, message, is_chief=False):
        began = time.monotonic()
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "gave up after 3.0 s: ") as up:
            tf.train.MonitoredTrainingSession(
                target, is_chief=is_chief, max_wait_secs=self.LIMIT_S
            )
        self.assertRegex(up.exception.message, message)
        self.assertLess(time.monotonic() - began, self.LIMIT_S + 1.2)

    def test_it_binds_while_the_chief_has_not_given_the_variables_values(self):
        tf.get_variable("w", [])
        server = tf.train.Server.create_local_server()
        self.check_gives_up(server.target, "no value yet: 'w'")
        server.stop(0)

    def test_it_binds_where_no_node_takes_connections(self):
        for is_chief in (True, False):
            self.check_gives_up("troupe://localhost:1", "Connection refused", is_chief)

    def test_it_binds_where_a_node_takes_connections_and_is_silent(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            self.check_gives_up(f"troupe://127.0.0.1:{silent.getsockname()[1]}", "it hangs")

    def test_it_binds_where_the_task_of_a_variable_is_away(self):
        with tf.device("/job:ps/task:0"):
            tf.get_variable("w", [])
        cluster = {"ps": [f"localhost:{free_port()}"], "worker": [f"localhost:{free_port()}"]}
        server = tf.train.Server(cluster, "worker", 0)
        for is_chief in (True, False):
            self.check_gives_up(server.target, "/job:ps/task:0", is_chief)
        server.stop(0)

    def test_it_binds_in_a_supervisor(self):
        tf.get_variable("w", [])
        server = tf.train.Server.create_local_server()
        supervisor = tf.train.Supervisor(is_chief=False, logdir=None)
        began = time.monotonic()
        with self.assertRaises(tf.errors.DeadlineExceededError):
            supervisor.prepare_or_wait_for_session(server.target, max_wait_secs=self.LIMIT_S)
        self.assertLess(time.monotonic() - began, self.LIMIT_S + 1.2)
        server.stop(0)


if __name__ == "__main__":
    unittest.main()
