"""Monitored sessions that are closed, that should stop, or whose threads have failed."""

import os
import threading
import unittest

import troupe as tf


class Recorder(tf.train.SessionRunHook):
    """Records its calls, and lets a function act in each session and before each step."""

    def __init__(self, in_session=None, in_step=None):
        self.calls, self.in_session, self.in_step = [], in_session, in_step

    def after_create_session(self, session, coord):
        self.calls.append("created")
        self.coord = coord
        if self.in_session:
            self.in_session(coord)

    def before_run(self, run_context):
        return self.in_step() if self.in_step else None

    def after_run(self, run_context, run_values):
        self.calls.append(bool(run_values.run_metadata.step_stats.dev_stats))

    def end(self, session):
        self.calls.append("end")


def fail(coord, error):
    """Fails in a thread that the coordinator knows, and waits for its end."""

    def work():
        with coord.stop_on_exception():
            raise error

    thread = threading.Thread(target=work)
    coord.register_thread(thread)
    thread.start()
    thread.join()


class MonitoredEndsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.step = tf.train.get_or_create_global_step()
        self.train = tf.assign_add(self.step, 1)

    def test_a_closed_session_runs_nothing_and_should_stop(self):
        with tf.train.MonitoredSession() as session:
            session.run(self.train)
        self.assertTrue(session.should_stop())
        session.request_stop()
        self.assertIn("closed", repr(session))
        with self.assertRaisesRegex(RuntimeError, "after the session was closed"):
            session.run(self.train)
        with self.assertRaisesRegex(RuntimeError, "after the session was closed"):
            session.run_step_fn(lambda step_context: None)
        with self.assertRaisesRegex(RuntimeError, "already closed"):
            session.close()

    def test_a_session_that_should_stop_runs_nothing(self):
        with tf.train.MonitoredSession() as session:
            session.request_stop()
            with self.assertRaisesRegex(RuntimeError, "should_stop requested"):
                session.run(self.train)
            self.assertEqual(session._tf_sess().run(self.step), 0)

    def test_a_thread_of_a_hook_stops_the_training(self):
        hook = Recorder()
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            self.assertEqual(session.run(self.train), 1)
            hook.coord.request_stop()
            self.assertTrue(session.should_stop())
            self.assertEqual(session.run(self.train), 2)
        self.assertEqual(hook.calls, ["created", False, False, "end"])

    def test_the_error_of_a_thread_is_that_of_the_training(self):
        hook = Recorder(lambda coord: fail(coord, KeyError("in a thread")))
        with self.assertRaisesRegex(KeyError, "in a thread"):
            with tf.train.MonitoredSession(hooks=[hook]) as session:
                self.assertTrue(session.should_stop())
                self.assertEqual(session.run(self.train), 1)  # a loop may be amid its steps
                raise ValueError("of the program")
        self.assertEqual(hook.calls, ["created", False])

    def test_a_session_is_closed_after_a_failed_step_though_a_thread_has_failed_too(self):
        def stop():
            fail(hook.coord, KeyError("in a thread"))
            raise ValueError("in a step")

        hook = Recorder(in_step=stop)
        session = tf.train.MonitoredSession(hooks=[hook])
        with self.assertRaisesRegex(ValueError, "in a step"):
            session.run(self.train)
        with self.assertRaisesRegex(KeyError, "in a thread"):
            session.close()
        self.assertEqual(hook.calls, ["created", "end"])
        self.assertIn("closed", repr(session))

    def test_a_program_may_begin_the_data_again_at_its_end(self):
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(2))
        element, hook, seen = iterator.get_next(), Recorder(), []
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            for _ in range(2):
                session.run(iterator.initializer)
                with self.assertRaises(tf.errors.OutOfRangeError):
                    while not session.should_stop():
                        seen.append(int(session.run(element)))
        self.assertEqual(seen, [0, 1, 0, 1])
        self.assertEqual(hook.calls, ["created"] + [False] * 6 + ["end"])

    def test_a_step_that_fails_is_not_the_last_one(self):
        failures = [ValueError("in a hook")]

        def fail_once():
            if failures:
                raise failures.pop()

        hook, x = Recorder(in_step=fail_once), tf.placeholder(tf.float32, [])
        checked = tf.check_numerics(x, "not a number")
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            with self.assertRaisesRegex(ValueError, "in a hook"):
                session.run(self.train)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "not a number"):
                session.run(checked, {x: float("nan")})
            self.assertFalse(session.should_stop())
            self.assertEqual(session.run(checked, {x: 2.0}), 2)
        self.assertEqual(hook.calls, ["created", False, "end"])

    def test_the_options_of_a_step_are_those_that_hooks_ask_for_in_this_step(self):
        full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        asked = [full, None, full, None]
        hook = Recorder(in_step=lambda: tf.train.SessionRunArgs(None, options=asked.pop()))
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            for _ in range(4):
                session.run(self.train)
        self.assertEqual(hook.calls, ["created", False, True, False, True, "end"])

    def test_tasks_that_threads_lose_are_those_of_the_training(self):
        lost = [tf.errors.UnavailableError(None, None, "a task is lost")] * 2
        hook = Recorder(lambda coord: lost and fail(coord, lost.pop()))
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            for opened in (2, 3):
                self.assertFalse(session.should_stop())  # opens a session in place of the lost one
                self.assertEqual(hook.calls, ["created"] * opened)
            self.assertEqual(session.run(self.train), 1)
        self.assertEqual(hook.calls, ["created"] * 3 + [False, "end"])

    def test_without_hooks_the_program_may_have_threads_too(self):
        lost = tf.errors.UnavailableError(None, None, "a task is lost")
        with tf.train.MonitoredSession() as session:
            fail(session._coordinated_creator.coord, lost)
            self.assertFalse(session.should_stop())
            self.assertEqual(session.run(self.train), 1)
            coords = [session._coordinated_creator.coord]
        with self.assertRaisesRegex(ValueError, "of the program"):
            with tf.train.MonitoredSession() as session:
                coords.append(session._coordinated_creator.coord)
                raise ValueError("of the program")
        self.assertEqual([coord.should_stop() for coord in coords], [True, True])

    def test_threads_stop_though_a_hook_cannot_end(self):
        hook = Recorder()
        hook.end = lambda session: self.fail("at the end")
        with self.assertRaisesRegex(AssertionError, "at the end"):
            with tf.train.MonitoredSession(hooks=[hook]) as session:
                session.run(self.train)
        self.assertTrue(hook.coord.should_stop())

    def test_a_step_function_begins_again_where_a_thread_has_lost_a_task(self):
        lost = [tf.errors.UnavailableError(None, None, "a task is lost")]
        hook, calls = Recorder(), []

        def step_fn(step_context):
            calls.append(step_context.session)
            if lost:
                fail(hook.coord, lost.pop())
            return step_context.run_with_hooks(self.train)

        with tf.train.MonitoredSession(hooks=[hook]) as session:
            self.assertEqual(session.run_step_fn(step_fn), 1)
        self.assertEqual(hook.calls, ["created", "created", False, "end"])
        self.assertEqual(len(calls), 2)

    def test_chiefs_save_checkpoints_and_call_their_hooks_and_workers_do_not(self):
        server = tf.train.Server.create_local_server()
        saved = {}
        for is_chief in (True, False):
            folder = os.path.join(self.get_temp_dir(), str(is_chief))
            every, chiefs = Recorder(), Recorder()
            with tf.train.MonitoredTrainingSession(
                server.target, is_chief, folder, hooks=[every], chief_only_hooks=[chiefs]
            ) as session:
                session.run(self.train)
            self.assertEqual(every.calls, ["created", False, "end"])
            self.assertEqual(chiefs.calls, every.calls if is_chief else [])
            saved[is_chief] = tf.train.latest_checkpoint(folder)
        server.stop()
        self.assertRegex(saved[True], "model.ckpt-1$")
        self.assertIsNone(saved[False])

    def test_checkpoints_are_saved_after_seconds_or_after_steps(self):
        for given, count in [({}, 2), ({"save_checkpoint_secs": 1e-9}, 4)]:
            folder = os.path.join(self.get_temp_dir(), str(count))
            with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, **given) as session:
                for _ in range(3):
                    session.run(self.train)
            state = tf.train.get_checkpoint_state(folder)
            self.assertEqual(len(state.all_model_checkpoint_paths), count)
            tf.reset_default_graph()
            self.setUp()
        with self.assertRaisesRegex(ValueError, "exactly one"):
            tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder, save_checkpoint_secs=1, save_checkpoint_steps=1
            )


if __name__ == "__main__":
    unittest.main()
