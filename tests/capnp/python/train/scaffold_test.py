"""Scaffolds that are finalized, functions of steps, and the end of monitored sessions."""

import unittest

import troupe as tf


class ScaffoldTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_finalize_adds_what_was_not_given(self):
        tf.Variable(1, name="v")
        tf.Variable(2, name="w", collections=[tf.GraphKeys.LOCAL_VARIABLES])
        scaffold = tf.train.Scaffold()
        self.assertIsNone(scaffold.ready_op)
        self.assertIsNone(scaffold.ready_for_local_init_op)
        self.assertIs(scaffold.finalize(), scaffold)
        self.assertTrue(tf.get_default_graph().finalized)
        self.assertIsInstance(scaffold.saver, tf.train.Saver)
        with tf.Session() as session:
            self.assertEqual(set(session.run(scaffold.ready_op)), {b"v", b"w"})
            self.assertEqual(session.run(scaffold.ready_for_local_init_op).tolist(), [b"v"])
            session.run(scaffold.init_op)
            self.assertEqual(session.run(scaffold.ready_for_local_init_op).tolist(), [])
            session.run(scaffold.local_init_op)
            self.assertEqual(session.run(scaffold.ready_op).tolist(), [])
        again = tf.train.Scaffold().finalize()
        for name in ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "saver"):
            self.assertIs(getattr(again, name), getattr(scaffold, name))

    def test_a_finalized_scaffold_begins_a_training(self):
        v = tf.Variable(3)
        scaffold = tf.train.Scaffold().finalize()
        with tf.train.MonitoredTrainingSession(scaffold=scaffold) as session:
            self.assertEqual(session.run(v), 3)
        self.assertTrue(tf.get_default_graph().finalized)

    def test_an_own_local_init_op_runs_once_variables_have_values(self):
        v = tf.Variable(3)
        local = tf.get_variable("local", initializer=0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        after = tf.get_variable("after", initializer=0)
        fill = tf.group(local.assign(v * 2), after.assign(v + 1))
        scaffold = tf.train.Scaffold(local_init_op=fill)
        with tf.train.MonitoredTrainingSession(scaffold=scaffold) as session:
            self.assertEqual(session.run([local, after]), [6, 4])

    def test_a_graph_without_variables_has_them_all(self):
        scaffold = tf.train.Scaffold().finalize()
        with tf.Session() as session:
            self.assertEqual(session.run(scaffold.ready_op).tolist(), [])
            session.run([scaffold.init_op, scaffold.local_init_op])

    def test_given_values_stay(self):
        ready = tf.constant([], tf.string)
        scaffold = tf.train.Scaffold(ready_op=ready, ready_for_local_init_op=ready)
        copy = tf.train.Scaffold(copy_from_scaffold=scaffold)
        self.assertIs(copy.ready_op, ready)
        self.assertIs(copy.finalize().ready_for_local_init_op, ready)
        with self.assertRaises(TypeError):
            tf.train.Scaffold(copy_from_scaffold=1)

    def test_of_several_savers_none_is_chosen(self):
        tf.Variable(1)
        for _ in range(2):
            tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
        with self.assertRaisesRegex(RuntimeError, "More than one item"):
            tf.train.Scaffold().finalize()


class EndTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.value = tf.constant(2.0)

    def test_a_session_is_closed_once(self):
        with self.assertRaisesRegex(RuntimeError, "Session is already closed"):
            with tf.train.MonitoredSession() as session:
                session.close()
        with tf.train.SingularMonitoredSession() as session:
            self.assertEqual(session.raw_session().run(self.value), 2.0)
        self.assertIsNone(session.raw_session())
        with self.assertRaises(RuntimeError):
            session.close()

    def test_a_step_function_takes_a_step_context_alone(self):
        class Model:
            def step(self, step_context):
                return step_context.run_with_hooks(value)

        value = self.value
        with tf.train.MonitoredSession() as session:
            self.assertEqual(session.run_step_fn(Model().step), 2.0)
            for wrong in (lambda: 1, lambda context: 1, lambda step_context, more: 1):
                with self.assertRaisesRegex(ValueError, "may either have one `step_context`"):
                    session.run_step_fn(wrong)
        with self.assertRaisesRegex(RuntimeError, "after the session was closed"):
            session.run_step_fn(Model().step)

    def test_a_stop_of_a_step_function_ends_the_block_and_no_more(self):
        session = tf.train.MonitoredSession()
        with self.assertRaises(StopIteration):
            session.run_step_fn(lambda step_context: step_context.request_stop())
        self.assertFalse(session.should_stop())
        with session:
            session.run_step_fn(lambda step_context: step_context.request_stop())
        self.assertTrue(session.should_stop())


class NoFolderTest(tf.test.TestCase):
    def test_a_folder_without_a_name_is_none(self):
        for folder in (None, ""):
            with tf.Graph().as_default():
                count = tf.train.get_or_create_global_step().assign_add(1)
                tf.summary.scalar("count", count)
                with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=folder, save_checkpoint_secs=1, save_summaries_steps=1
                ) as session:
                    self.assertEqual(session.run(count), 1)


if __name__ == "__main__":
    unittest.main()
