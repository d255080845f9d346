"""SessionManager: sessions of models that are restored, initialized, or another's."""

import os
import tempfile
import unittest

import troupe as tf


class SessionManagerTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.weight = tf.get_variable("w", initializer=1.0)
        self.ready = tf.report_uninitialized_variables()
        self.folder = tempfile.mkdtemp()

    def test_a_session_is_restored_and_else_initialized(self):
        manager, saver = tf.train.SessionManager(ready_op=self.ready), tf.train.Saver()
        init = tf.global_variables_initializer()
        given = []
        with manager.prepare_session(
            "", init, saver, self.folder, init_fn=given.append
        ) as session:
            self.assertEqual(given, [session])
            self.assertEqual(session.run(self.weight), 1)
            session.run(tf.assign(self.weight, 5.0))
            path = saver.save(session, os.path.join(self.folder, "model"), 3)
        with manager.prepare_session("", init, saver, self.folder) as session:
            self.assertEqual(session.run(self.weight), 5)
        session, is_restored = manager.recover_session(
            "", saver, checkpoint_filename_with_path=path
        )
        with session:
            self.assertTrue(is_restored)
            self.assertEqual(session.run(self.weight), 5)
        with self.assertRaisesRegex(ValueError, "both"):
            manager.recover_session("", saver, self.folder, path)

    def test_a_model_without_a_checkpoint_is_not_recovered(self):
        manager = tf.train.SessionManager(ready_op=self.ready)
        session, is_restored = manager.recover_session("", tf.train.Saver(), self.folder)
        with session:
            self.assertFalse(is_restored)
            value = session.graph.get_tensor_by_name("w:0")
            self.assertFalse(session.run(tf.is_variable_initialized(value)))
        with self.assertRaises(TypeError):
            tf.is_variable_initialized(value + 1)
        with self.assertRaisesRegex(RuntimeError, "no init_op"):
            manager.prepare_session("")
        with self.assertRaisesRegex(RuntimeError, "not initialized: w"):
            manager.prepare_session("", tf.no_op())

    def test_an_error_of_an_op_that_reads_variables_says_that_the_model_is_not_ready(self):
        manager = tf.train.SessionManager(ready_op=self.weight + 1)
        with self.assertRaisesRegex(RuntimeError, "'w' has no value"):
            manager.prepare_session("", tf.no_op())

    def test_a_session_is_closed_if_it_cannot_be_made_ready(self):
        manager, opened = tf.train.SessionManager(), []

        def fail(session):
            opened.append(session)
            raise KeyError("no such file")

        with self.assertRaisesRegex(KeyError, "no such file"):
            manager.prepare_session("", init_fn=fail)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            opened[0].run(self.ready)

    def test_local_variables_are_initialized_when_the_others_are(self):
        local = tf.get_variable(
            "local", initializer=self.weight.initialized_value() * 2,
            collections=[tf.GraphKeys.LOCAL_VARIABLES],
        )  # fmt: skip
        manager = tf.train.SessionManager(
            local_init_op=tf.local_variables_initializer(), ready_op=self.ready,
            ready_for_local_init_op=tf.report_uninitialized_variables(tf.global_variables()),
        )  # fmt: skip
        with manager.prepare_session("", tf.global_variables_initializer()) as session:
            self.assertEqual(session.run(local), 2)
        with self.assertRaisesRegex(RuntimeError, "ready for local_init.*w"):
            manager.prepare_session("", tf.no_op())
        with self.assertRaises(ValueError):
            tf.train.SessionManager(ready_for_local_init_op=self.ready)

    def test_a_wait_ends_when_the_model_is_ready_or_after_its_time(self):
        manager = tf.train.SessionManager(ready_op=self.ready, recovery_wait_secs=0.01)
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "was not ready"):
            manager.wait_for_session("", max_wait_secs=0.05)
        init = tf.global_variables_initializer()
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target) as chief:
            chief.run(init)
            with manager.wait_for_session(server.target) as session:
                self.assertEqual(session.run(self.weight), 1)


if __name__ == "__main__":
    unittest.main()
