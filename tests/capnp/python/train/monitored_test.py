"""Checkpoints, monitored sessions and their hooks."""

import os
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

import numpy as np

import troupe as tf


class SaverTest(tf.test.TestCase):
    def test_values_come_back_from_a_checkpoint(self):
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        w = tf.get_variable("w", initializer=3)
        saver = tf.train.Saver()
        prefix = os.path.join(self.get_temp_dir(), "model")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(saver.save(session, prefix, global_step=7), prefix + "-7")
        with tf.Session() as session:
            saver.restore(session, tf.train.latest_checkpoint(self.get_temp_dir()))
            self.assertAllEqual(session.run(v), [1, 2])
            self.assertEqual(session.run(w), 3)

    def test_variables_may_have_other_names_in_checkpoints(self):
        v = tf.get_variable("v", initializer=1.0)
        prefix = os.path.join(self.get_temp_dir(), "model")
        with tf.Session() as session:
            session.run(v.initializer)
            tf.train.Saver({"old": v}).save(session, prefix)
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", [])
            tf.train.Saver({"old": w}).restore(session, prefix)
            self.assertEqual(session.run(w), 1)
            with self.assertRaisesRegex(tf.errors.NotFoundError, "w"):
                tf.train.Saver([w]).restore(session, prefix)

    def test_only_the_last_checkpoints_are_kept(self):
        tf.get_variable("v", initializer=1.0)
        saver = tf.train.Saver(max_to_keep=2)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in range(4):
                saver.save(session, os.path.join(self.get_temp_dir(), "model"), step)
        names = [os.path.basename(path) for path in saver.last_checkpoints]
        self.assertEqual(names, ["model-2", "model-3"])
        state = tf.train.get_checkpoint_state(self.get_temp_dir())
        self.assertEqual(len(state.all_model_checkpoint_paths), 2)

    def test_a_graph_without_variables_has_nothing_to_save(self):
        with self.assertRaisesRegex(ValueError, "No variables to save"):
            tf.train.Saver()

    def test_a_checkpoint_exists_until_it_is_removed(self):
        v = tf.get_variable("v", initializer=1.0)
        prefix = os.path.join(self.get_temp_dir(), "model")
        with tf.Session() as session:
            session.run(v.initializer)
            saver = tf.train.Saver()
            for name in (prefix, prefix + "2"):
                saver.save(session, name)
            self.assertTrue(tf.train.checkpoint_exists(prefix))
            tf.train.remove_checkpoint(prefix)
            self.assertFalse(tf.train.checkpoint_exists(prefix))
            self.assertTrue(tf.train.checkpoint_exists(prefix + "2"))
            with self.assertRaisesRegex(ValueError, "not a valid checkpoint"):
                saver.restore(session, prefix)
            folder = os.path.join(self.get_temp_dir(), "new")
            with self.assertRaisesRegex(ValueError, "Parent directory"):
                saver.save(session, os.path.join(folder, "inner", "model"))
            path = saver.save(session, os.path.join(folder, "model"))  # as in TensorFlow
            self.assertTrue(tf.train.checkpoint_exists(path))

    def test_a_checkpoint_is_read_without_a_graph_of_its_variables(self):
        tf.get_variable("v", initializer=[1.0, 2.0])
        tf.get_variable("scope/w", [2, 1], tf.bfloat16, tf.ones_initializer())
        folder = self.get_temp_dir()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver(sharded=True).save(session, os.path.join(folder, "model"), 1)
        self.assertEqual(tf.train.list_variables(folder), [("scope/w", [2, 1]), ("v", [2])])
        self.assertAllEqual(tf.train.load_variable(folder, "v"), [1, 2])
        reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(folder))
        self.assertAllEqual(reader.get_tensor("scope/w"), [[1], [1]])
        self.assertEqual(reader.get_variable_to_dtype_map()["scope/w"], tf.bfloat16)
        self.assertTrue(reader.has_tensor("v") and not reader.has_tensor("w"))
        with self.assertRaisesRegex(tf.errors.NotFoundError, "Key w not found"):
            reader.get_tensor("w")
        with self.assertRaisesRegex(ValueError, "Couldn't find"):
            tf.train.load_checkpoint(tempfile.mkdtemp(dir=folder))

    def test_a_folder_without_checkpoints_has_none(self):
        self.assertIsNone(tf.train.latest_checkpoint(self.get_temp_dir()))


class CountingHook(tf.train.SessionRunHook):
    """Records its calls."""

    def __init__(self, x, stop_after=3):
        self.calls = []
        self.x = x
        self.stop_after = stop_after

    def begin(self):
        self.calls.append("begin")
        self.doubled = self.x * 2.0  # the graph can still grow

    def after_create_session(self, session, coord):
        self.calls.append(f"session {session.run(self.doubled)}")

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"doubled": self.doubled, "both": [self.x, self.doubled]})

    def after_run(self, run_context, run_values):
        self.calls.append(f"{run_values.results['doubled']} {run_values.results['both'][0]}")
        self.calls.append(str(run_context.session.run(self.x)))
        if len(self.calls) > 2 * self.stop_after:
            run_context.request_stop()

    def end(self, session):
        self.calls.append(f"end {session.run(self.x)}")


class MonitoredSessionTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.step = tf.train.get_or_create_global_step()
        self.w = tf.get_variable("w", initializer=1.0)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train = optimizer.minimize(self.w * self.w, global_step=self.step)

    def test_it_initializes_the_variables_and_stops_at_a_step(self):
        hooks = [tf.train.StopAtStepHook(last_step=5)]
        steps = 0
        with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
            while not session.should_stop():
                session.run(self.train)
                steps += 1
        self.assertEqual(steps, 5)

    def test_hooks_of_python_are_called_around_each_step(self):
        hook = CountingHook(tf.constant(2.0))
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            while not session.should_stop():
                self.assertEqual(session.run(hook.x), 2)
        self.assertEqual(
            hook.calls,
            [
                "begin",
                "session 4.0",
                "4.0 2.0",
                "2.0",
                "4.0 2.0",
                "2.0",
                "4.0 2.0",
                "2.0",
                "end 2.0",
            ],
        )

    def test_an_error_of_a_hook_is_the_error_of_the_step(self):
        class Failing(tf.train.SessionRunHook):
            def after_run(self, run_context, run_values):
                raise ZeroDivisionError("on purpose")

        with self.assertRaisesRegex(ZeroDivisionError, "on purpose"):
            with tf.train.MonitoredTrainingSession(hooks=[Failing()]) as session:
                session.run(self.train)

    def test_the_graph_is_final_while_the_session_is_there(self):
        with tf.train.MonitoredTrainingSession():
            with self.assertRaisesRegex(RuntimeError, "finalized"):
                tf.no_op()
        twice = tf.add(self.w, self.w)
        with self.assertRaises(ZeroDivisionError), tf.train.MonitoredSession() as session:
            self.assertEqual(session.run(twice), 2)
            raise ZeroDivisionError
        self.assertFalse(twice.graph.finalized)

    def test_a_training_goes_on_where_its_checkpoints_ended(self):
        folder = os.path.join(self.get_temp_dir(), "checkpoints")
        for last_step in (3, 6):
            hooks = [tf.train.StopAtStepHook(last_step=last_step)]
            steps = 0
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2
            ) as session:
                while not session.should_stop():
                    session.run(self.train)
                    steps += 1
            self.assertEqual(steps, 3)
            self.assertTrue(tf.train.latest_checkpoint(folder).endswith(f"-{last_step}"))
            tf.reset_default_graph()
            self.setUp_again(folder)

    def setUp_again(self, folder):
        self.step = tf.train.get_or_create_global_step()
        self.w = tf.get_variable("w", initializer=1.0)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train = optimizer.minimize(self.w * self.w, global_step=self.step)

    def test_the_speed_is_logged(self):
        with self.assertLogs("troupe", "INFO") as logs:
            with tf.train.MonitoredTrainingSession(log_step_count_steps=2) as session:
                for _ in range(4):
                    session.run(self.train)
        text = "\n".join(logs.output)
        self.assertRegex(text, r"global step \d: .* a second")

    def test_without_seconds_and_steps_no_checkpoints_are_saved(self):
        folder = self.get_temp_dir()
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, save_checkpoint_secs=None, save_checkpoint_steps=None
        ) as session:
            session.run(self.train)
        self.assertIsNone(tf.train.latest_checkpoint(folder))

    def test_a_scaffold_initializes_variables_that_have_no_value_and_no_checkpoint(self):
        half = self.w.assign(0.5)
        calls = []

        def init_fn(scaffold, session):
            session.run(half)
            calls.append(session.run(self.w))

        server = tf.train.Server.create_local_server()
        scaffold = tf.train.Scaffold(tf.global_variables_initializer(), init_fn=init_fn)
        with tf.train.MonitoredTrainingSession(server.target, scaffold=scaffold) as session:
            self.assertEqual(session.run([self.w, self.step]), [0.5, 0])
        with tf.train.MonitoredSession(
            tf.train.ChiefSessionCreator(scaffold, server.target)
        ) as session:
            self.assertEqual(session.run(self.w), 0.5)
        self.assertEqual(calls, [0.5])
        server.stop()

    def test_variables_may_come_from_a_checkpoint_that_is_named(self):
        prefix = os.path.join(self.get_temp_dir(), "given")
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run([self.w.initializer, self.step.initializer])
            session.run(self.train)
            saver.save(session, prefix)
        creator = tf.train.ChiefSessionCreator(checkpoint_filename_with_path=prefix)
        with tf.train.MonitoredSession(creator) as session:
            self.assertEqual(session.run(self.step), 1)

    def test_local_variables_begin_anew_in_each_session(self):
        seen = tf.get_local_variable("seen", [], initializer=tf.zeros_initializer())
        count = seen.assign_add(1.0)
        server = tf.train.Server.create_local_server()
        for _ in range(2):
            with tf.train.MonitoredTrainingSession(server.target) as session:
                self.assertEqual([session.run(count) for _ in range(2)], [1, 2])
        server.stop()

    def test_a_step_function_has_the_plain_session_and_may_end_the_training(self):
        hook = CountingHook(tf.constant(2.0), stop_after=100)
        values = []

        def step_fn(step_context):
            values.append(step_context.session.run(self.step))
            if values[-1] == 2:
                step_context.request_stop()
            return step_context.run_with_hooks(self.train)

        with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
            while not session.should_stop():
                session.run_step_fn(step_fn)
        self.assertEqual(values, [0, 1, 2])
        self.assertEqual(len([call for call in hook.calls if call.startswith("4.0")]), 2)

    def test_a_singular_session_ends_with_the_task_that_it_loses(self):
        server = tf.train.Server.create_local_server()
        with self.assertRaises((tf.errors.UnavailableError, tf.errors.CancelledError)):
            with tf.train.SingularMonitoredSession(master=server.target) as session:
                self.assertEqual(session.raw_session().run(self.step), 0)
                server.stop(1)
                session.run(self.train)

    def test_threads_of_hooks_stop_with_the_session(self):
        class Threaded(tf.train.SessionRunHook):
            def after_create_session(self, session, coord):
                def work():
                    with coord.stop_on_exception():
                        coord.wait_for_stop()
                        raise KeyError("in the thread")

                self.thread = threading.Thread(target=work)
                coord.register_thread(self.thread)
                self.thread.start()

        hook = Threaded()
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            session.run(self.train)
        self.assertFalse(hook.thread.is_alive())

    def test_a_bar_shows_the_progress_where_tqdm_is_installed(self):
        class Bar:
            def __init__(self, total, unit):
                self.total, self.n, self.is_closed = total, 0, False
                Bar.last = self

            def update(self, by):
                self.n += by

            def close(self):
                self.is_closed = True

        modules = {"tqdm": types.SimpleNamespace(), "tqdm.auto": types.SimpleNamespace(tqdm=Bar)}
        with mock.patch.dict(sys.modules, modules):
            hooks = [tf.train.ProgressBarHook(4), tf.train.StopAtStepHook(4)]
        with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
            while not session.should_stop():
                session.run(self.train)
        self.assertEqual([Bar.last.total, Bar.last.n, Bar.last.is_closed], [4, 4, True])
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}):
            with self.assertRaisesRegex(ImportError, "pip install tqdm"):
                tf.train.ProgressBarHook()

    def test_a_nan_loss_ends_the_training(self):
        loss = tf.log(-tf.abs(self.w))
        with self.assertRaisesRegex(tf.train.NanLossDuringTrainingError, "NaN"):
            with tf.train.MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
                session.run(self.train)

    def test_the_end_of_the_data_ends_the_training_without_an_error(self):
        class Data(tf.train.SessionRunHook):
            ended = False

            def after_run(self, run_context, run_values):
                raise tf.errors.OutOfRangeError(None, None, "no more")

            def end(self, session):
                Data.ended = True

        with tf.train.MonitoredTrainingSession(hooks=[Data()]) as session:
            session.run(self.train)
        self.assertTrue(Data.ended)

    def test_steps_and_feeds_are_those_of_a_session(self):
        x = tf.placeholder(tf.float32, [None])
        y = x + self.w
        with tf.train.MonitoredTrainingSession() as session:
            self.assertAllEqual(session.run({"y": y}, {x: np.array([1, 2])})["y"], [2, 3])
            with self.assertRaises(ValueError):
                session.run(y, {x: 1.0})


class CoordinatorTest(unittest.TestCase):
    def test_join_raises_the_first_exception_of_a_thread(self):
        coordinator = tf.train.Coordinator()

        def fail():
            with coordinator.stop_on_exception():
                raise KeyError("first")

        def wait():
            coordinator.wait_for_stop()

        threads = [threading.Thread(target=work) for work in (fail, wait)]
        for thread in threads:
            thread.start()
        with self.assertRaisesRegex(KeyError, "first"):
            coordinator.join(threads)

    def test_a_clean_stop_is_no_error(self):
        coordinator = tf.train.Coordinator()
        calls = []

        def work():
            calls.append(1)
            if len(calls) == 3:
                coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "end"))

        looper = tf.train.LooperThread.loop(coordinator, None, work)
        coordinator.join([looper])
        self.assertEqual(len(calls), 3)


class WaitTest(tf.test.TestCase):
    def test_the_wait_for_a_cluster_is_bound(self):
        for is_chief in (True, False):
            began = time.monotonic()
            with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "gave up after 0.5 s"):
                tf.train.MonitoredTrainingSession(
                    "troupe://localhost:1", is_chief=is_chief, max_wait_secs=0.5
                )
            self.assertLess(time.monotonic() - began, 30)


if __name__ == "__main__":
    unittest.main()
