"""Trainings of graphs that came in as messages."""

import unittest

import troupe as tf


class ImportedGraphTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        v = tf.get_variable("v", initializer=1.0)
        step = tf.train.get_or_create_global_step()
        tf.group(v.assign_add(1.0), step.assign_add(1), name="add")
        self.message = tf.train.export_meta_graph()

    def test_the_variables_of_a_graph_that_came_in_are_initialized_once(self):
        folder = self.get_temp_dir()
        for open_session in (
            tf.train.MonitoredTrainingSession,
            tf.train.SingularMonitoredSession,
            lambda: tf.train.Supervisor().managed_session(),
            lambda: tf.train.MonitoredTrainingSession(checkpoint_dir=folder),
        ):
            with tf.Graph().as_default():
                tf.train.import_meta_graph(self.message)
                with open_session() as session:
                    session.run("add")
                    self.assertEqual(session.run("v:0"), 2.0)
        with tf.Graph().as_default():
            tf.train.import_meta_graph(self.message)
            with tf.train.MonitoredTrainingSession(checkpoint_dir=folder) as session:
                self.assertEqual(session.run("v:0"), 2.0)

    def test_its_own_op_for_that_runs_instead(self):
        with tf.Graph().as_default():
            tf.train.import_meta_graph(self.message)
            (v, step) = tf.global_variables()
            own = tf.group(v.assign(5.0), step.initializer)
            tf.add_to_collection(tf.GraphKeys.INIT_OP, own)
            with tf.train.MonitoredTrainingSession() as session:
                self.assertEqual(session.run("v:0"), 5.0)


if __name__ == "__main__":
    unittest.main()
