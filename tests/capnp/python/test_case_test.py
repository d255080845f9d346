"""What tests of programs inherit."""

import unittest

import troupe as tf


class TestCaseTest(tf.test.TestCase):
    def test_a_cached_session_stays_open_until_the_test_ends(self):
        v = tf.get_variable("v", initializer=1.0)
        with self.cached_session() as session:
            session.run(v.initializer)
            self.assertIs(tf.get_default_session(), session)
        self.assertIsNone(tf.get_default_session())
        with self.cached_session() as again:
            self.assertIs(again, session)
            self.assertEqual(again.run(v.assign_add(1.0)), 2.0)
        self.assertEqual(session.run(v), 2.0)

    def test_a_cached_session_has_one_graph_and_one_configuration(self):
        with self.cached_session():
            pass
        with self.assertRaisesRegex(ValueError, "The graph used to get the cached session"):
            with self.cached_session(graph=tf.Graph()):
                pass
        with self.assertRaisesRegex(ValueError, "The config used to get the cached session"):
            with self.cached_session(config=tf.ConfigProto(allow_soft_placement=True)):
                pass

    def test_a_session_is_closed_at_the_end_of_its_context(self):
        with self.session() as session:
            pass
        with self.assertRaisesRegex(RuntimeError, "closed"):
            session.run(tf.constant(1))

    def test_nodes_may_run_elsewhere_than_on_a_device_that_is_not_there(self):
        with tf.device("/device:GPU:99"):
            one = tf.constant(1) + 1
        for open_session in (self.session, self.cached_session):
            with open_session() as session:
                self.assertEqual(session.run(one), 2)
        for options in ({"force_gpu": True}, {"config": tf.ConfigProto()}):
            with self.session(**options) as session:
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "no device fits"):
                    session.run(one)


if __name__ == "__main__":
    unittest.main()
