"""Monitored sessions of a program's own creator of sessions."""

import unittest

import troupe as tf


class Creator(tf.train.SessionCreator):
    """Initializes the variables of each session that it makes."""

    def __init__(self):
        self.sessions = []

    def create_session(self):
        session = tf.Session()
        session.run(tf.get_collection("init"))
        self.sessions.append(session)
        return session


class Recorder(tf.train.SessionRunHook):
    def __init__(self, fetch, fails=()):
        self.fetch, self.fails, self.calls = fetch, list(fails), []

    def begin(self):
        self.calls.append("begin")

    def after_create_session(self, session, coord):
        self.calls.append("created")

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.fetch)

    def after_run(self, run_context, run_values):
        if self.fails:
            raise self.fails.pop()
        self.calls.append(run_values.results)

    def end(self, session):
        self.calls.append("end")


class CreatedSessionsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.step = tf.train.get_or_create_global_step()
        self.train = tf.assign_add(self.step, 1)
        tf.add_to_collection("init", tf.global_variables_initializer())

    def test_hooks_are_called_around_the_steps(self):
        creator, hook = Creator(), Recorder(tf.constant(7))
        x = tf.placeholder_with_default(1.0, [])
        doubled = x * 2.0
        with tf.train.MonitoredSession(creator, [hook]) as session:
            self.assertIn("chief", repr(session))
            self.assertEqual(session.run([self.train, x], {x: 3.0}), [1, 3])
            self.assertEqual(session.run({"x": doubled}), {"x": 2})
            self.assertTrue(session.graph.finalized)
            self.assertFalse(session.should_stop())
            session.request_stop()
            self.assertTrue(session.should_stop())
        self.assertEqual(hook.calls, ["begin", "created", 7, 7, "end"])
        with self.assertRaisesRegex(RuntimeError, "closed"):
            creator.sessions[0].run(x)

    def test_a_hook_stops_the_training(self):
        for stop in (tf.train.StopAtStepHook(last_step=3), tf.train.StopAtStepHook(3)):
            with tf.train.MonitoredSession(Creator(), [stop]) as session:
                steps = []
                while not session.should_stop():
                    steps.append(session.run(self.train))
                self.assertEqual(steps, [1, 2, 3])

    def test_another_session_is_created_where_a_task_is_lost(self):
        lost = tf.errors.UnavailableError(None, None, "a task is lost")
        creator, hook = Creator(), Recorder(None, [lost])
        with tf.train.MonitoredSession(creator, [hook]) as session:
            self.assertEqual(session.run(self.train), 1)
        self.assertEqual(hook.calls, ["begin", "created", "created", None, "end"])
        self.assertEqual(len(creator.sessions), 2)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            creator.sessions[0].run(self.step)

    def test_an_error_closes_the_session(self):
        creator, hook = Creator(), Recorder(None)
        with self.assertRaisesRegex(KeyError, "no such row"):
            with tf.train.MonitoredSession(creator, [hook]):
                raise KeyError("no such row")
        self.assertEqual(hook.calls, ["begin", "created"])
        with self.assertRaisesRegex(RuntimeError, "closed"):
            creator.sessions[0].run(self.step)

    def test_what_such_sessions_cannot_do_is_refused(self):
        x = tf.placeholder_with_default(1.0, [])
        saves = tf.train.CheckpointSaverHook(self.get_temp_dir(), save_steps=1)
        with self.assertRaisesRegex(ValueError, "ChiefSessionCreator"):
            tf.train.MonitoredSession(Creator(), [saves])
        creator = Creator()
        creator.create_session = lambda: "session"
        with self.assertRaisesRegex(TypeError, "must create a tf.Session"):
            tf.train.MonitoredSession(creator)
        feeds = tf.train.FeedFnHook(lambda: {x: 2.0})
        with tf.train.MonitoredSession(Creator()) as session:
            found = session.run_step_fn(lambda step_context: step_context.session.run(x))
            self.assertEqual(found, 1)
        with tf.train.MonitoredSession(Creator(), [feeds]) as session:
            self.assertEqual(session.run(x), 2)
            with self.assertRaisesRegex(RuntimeError, "fed twice"):
                session.run(x, {x: 3.0})


if __name__ == "__main__":
    unittest.main()
