"""Trainings that lose a task whose process is killed."""

import unittest

from nodes import Nodes

import troupe as tf


class Losing(tf.train.SessionRunHook):
    """Restarts the parameter server, and then runs a step of its own, which fails."""

    def __init__(self, nodes, call):
        self.nodes, self.call, self.count, self.sessions = nodes, call, 0, 0

    def after_create_session(self, session, coord):
        self.sessions += 1

    def run_step(self, call, run_context):
        if call != self.call:
            return
        self.count += 1
        if self.count == 3:
            self.nodes.restart("ps", 0)
        run_context.session.run("w/read:0")

    def before_run(self, run_context):
        self.run_step("before_run", run_context)

    def after_run(self, run_context, run_values):
        self.run_step("after_run", run_context)


class RecoveryTest(tf.test.TestCase):
    def test_a_step_of_a_hook_may_be_the_first_to_fail_with_the_lost_task(self):
        for call in ("before_run", "after_run"):
            tf.reset_default_graph()
            with self.subTest(call), Nodes(ps=1, worker=1) as nodes:
                with tf.device("/job:ps/task:0"):
                    w = tf.get_variable("w", initializer=0.0)
                bump = w.assign_add(1.0)
                hook = Losing(nodes, call)
                with tf.train.MonitoredTrainingSession(
                    nodes.target("worker"), hooks=[hook]
                ) as session:
                    values = [session.run(bump) for _ in range(4)]
                # The count is lost with the task, as there is no checkpoint.
                self.assertEqual(values, [1, 2, 1, 2])
                self.assertEqual(hook.sessions, 2)

    def test_workers_go_on_without_the_one_that_had_a_variable_without_a_device(self):
        with Nodes(ps=1, worker=2) as nodes:
            count = tf.get_variable("count", initializer=0.0)
            bump = count.assign_add(1.0)
            with tf.train.MonitoredTrainingSession(nodes.target("worker", 0)) as first:
                self.assertEqual(first.run(bump), 1)  # on this worker from now on
            with tf.train.MonitoredTrainingSession(nodes.target("worker", 1)) as session:
                self.assertEqual(session.run(bump), 2)
                nodes.kill("worker", 0)
                self.assertEqual([session.run(bump) for _ in range(2)], [1, 2])


if __name__ == "__main__":
    unittest.main()
