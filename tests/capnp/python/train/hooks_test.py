"""Hooks: what they add to the steps of a monitored session, and what they get from them."""

import glob
import inspect
import os
import threading
import unittest

import troupe as tf
from troupe.python.training.monitored_session import _HookedSession

TRACE = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


class HooksTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.step = tf.train.get_or_create_global_step()
        self.w = tf.get_variable("w", initializer=1.0)
        self.unused = tf.placeholder(tf.float32)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train = optimizer.minimize(self.w * self.w, global_step=self.step)

    def run_steps(self, count, hooks, **options):
        with tf.train.MonitoredTrainingSession(hooks=hooks, **options) as session:
            for _ in range(count):
                session.run(self.train)

    def logged(self, count, hook):
        with self.assertLogs("troupe", "INFO") as logs:
            self.run_steps(count, [hook], log_step_count_steps=None)
        return [line for line in logs.output if " = " in line]

    def test_the_program_gets_the_metadata_of_a_step(self):
        with tf.train.MonitoredTrainingSession() as session:
            metadata = tf.RunMetadata()
            session.run(self.train, options=TRACE, run_metadata=metadata)
            nodes = metadata.step_stats.dev_stats[0].node_stats
            self.assertIn("ResourceApplyGradientDescent", [node.op for node in nodes])
            session.run(self.train, run_metadata=metadata)
            self.assertEqual(metadata.step_stats.dev_stats, [])

    def test_hooks_add_options_to_the_step_and_get_its_metadata(self):
        class Tracing(tf.train.SessionRunHook):
            seen = []

            def before_run(self, run_context):
                self.feeds = run_context.original_args.feed_dict
                return tf.train.SessionRunArgs(None, options=None if self.seen else TRACE)

            def after_run(self, run_context, run_values):
                run_context.session.run("w/read:0")  # a step of its own
                devices = len(run_values.run_metadata.step_stats.dev_stats)
                self.seen.append((run_values.options.trace_level, devices))

        # Hooks of the runtime run further steps in between.
        hooks = [tf.train.StopAtStepHook(2), Tracing()]
        with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
            session.run(self.train, {self.unused: 2.0})
            self.assertEqual(hooks[1].feeds, {self.unused: 2.0})
            session.run(self.train)
        self.assertEqual(Tracing.seen, [(tf.RunOptions.FULL_TRACE, 1), (0, 0)])

    def test_an_aborted_error_of_a_hook_is_recovered_from(self):
        class Losing(tf.train.SessionRunHook):
            def __init__(self, call):
                self.call, self.sessions, self.calls = call, 0, 0

            def after_create_session(self, session, coord):
                self.sessions += 1

            def lose(self, call):
                self.calls += call == self.call
                if call == self.call and self.calls == 2:
                    raise tf.errors.AbortedError(None, None, "the task was away")

            def before_run(self, run_context):
                self.lose("before_run")

            def after_run(self, run_context, run_values):
                self.lose("after_run")

        for call in ("before_run", "after_run"):
            hook, counting = Losing(call), Losing("nothing")
            with self.subTest(call):
                with tf.train.MonitoredTrainingSession(hooks=[hook, counting]) as session:
                    for _ in range(3):
                        session.run(self.train)
                self.assertEqual([hook.sessions, counting.sessions], [2, 2])
                self.assertEqual(hook.calls, 4)
            tf.reset_default_graph()
            self.setUp()

    def test_an_error_before_the_step_is_the_error_of_the_step(self):
        class Failing(tf.train.SessionRunHook):
            def before_run(self, run_context):
                raise KeyError("on purpose")

        session = tf.train.MonitoredTrainingSession(hooks=[Failing()])
        with self.assertRaisesRegex(KeyError, "on purpose"):
            session.run(self.train)
        self.assertFalse(session.should_stop())

    def test_values_are_logged_by_their_tags_or_by_a_formatter(self):
        both = {"weight": self.w, "step": self.step}
        hook = tf.train.LoggingTensorHook(both, every_n_iter=2)
        first, second = self.logged(4, hook)
        self.assertRegex(first, r"step = 0, weight = 1\.0$")
        self.assertRegex(second, r"step = 2, weight = 0\.64\d* \(\d+\.\d{3} sec\)$")

    def test_a_formatter_makes_the_line_of_the_values(self):
        hook = tf.train.LoggingTensorHook(
            {"w": "w/read"}, every_n_iter=1, formatter=lambda values: f"got = {values['w']:.2f}"
        )
        self.assertEqual(self.logged(2, hook), [f"INFO:troupe:got = {w}" for w in ("1.00", "0.80")])

    def test_values_may_be_logged_at_the_end_alone(self):
        (line,) = self.logged(3, tf.train.LoggingTensorHook([self.w], at_end=True))
        self.assertRegex(line, r"w:0 = 0\.51\d*$")

    def test_programs_derive_hooks_that_log_elsewhere(self):
        class Recorder(tf.train.LoggingTensorHook):
            def begin(self):
                super().begin()
                self._current_tensors["step"] = tf.train.get_global_step()

            def after_run(self, run_context, run_values):
                if self._should_trigger:
                    self._log_tensors(run_values.results)
                self._iter_count += 1

            def end(self, session):
                if self._log_at_end:
                    self._log_tensors(session.run(self._current_tensors))

            def _log_tensors(self, values):
                self._timer.update_last_triggered_step(self._iter_count)
                found.append((values["step"], [values[tag] for tag in self._tag_order]))

        found = []
        self.run_steps(3, [Recorder({"w": self.w}, every_n_iter=2)])
        self.run_steps(3, [Recorder({"w": self.w}, at_end=True)])
        self.assertEqual([step for step, _ in found], [0, 2, 3])
        self.assertAllClose(found[1][1], [0.64])

    def test_the_end_of_a_training_is_given_in_one_way_and_needs_a_global_step(self):
        for ends in ({}, {"num_steps": 1, "last_step": 1}):
            with self.assertRaisesRegex(ValueError, "num_steps or last_step"):
                tf.train.StopAtStepHook(**ends)
        with tf.Graph().as_default():
            saver = tf.train.CheckpointSaverHook(self.get_temp_dir(), save_steps=1)
            tf.Variable(1)
            with self.assertRaisesRegex(RuntimeError, "Global step should be created"):
                tf.train.MonitoredSession(hooks=[saver])

    def test_a_node_without_an_output_has_no_value_to_log(self):
        tf.no_op("nothing")
        with self.assertRaisesRegex(ValueError, "exactly one output"):
            self.run_steps(1, [tf.train.LoggingTensorHook(["nothing"], every_n_iter=1)])

    def test_a_logging_hook_needs_one_period(self):
        for wrong in ({}, {"every_n_iter": 1, "every_n_secs": 1}, {"every_n_iter": 0}):
            with self.assertRaises(ValueError):
                tf.train.LoggingTensorHook([self.w], **wrong)

    def test_a_hook_may_feed_each_step(self):
        hook = tf.train.FeedFnHook(lambda: {self.w: 5.0})
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            self.assertEqual(session.run(self.w), 5)

    def test_traces_of_some_steps_are_written_to_a_folder(self):
        folder = os.path.join(self.get_temp_dir(), "traces")
        self.run_steps(5, [tf.train.ProfilerHook(save_steps=2, output_dir=folder)])
        self.assertEqual(len(glob.glob(os.path.join(folder, "timeline-*.json"))), 3)

    def test_a_worker_may_wait_for_a_global_step(self):
        server = tf.train.Server.create_local_server()
        hook = tf.train.GlobalStepWaiterHook(3)
        hook.POLL_SECONDS = 0.01
        with tf.train.MonitoredTrainingSession(server.target, hooks=[hook]) as late:
            graph = self.w.graph
            thread = threading.Thread(target=lambda: late.run(self.train))
            thread.start()
            with tf.Session(server.target, graph=graph) as session:
                for _ in range(2):
                    session.run(self.train)
                self.assertTrue(thread.is_alive())
                session.run(self.train)
                thread.join()
                self.assertEqual(session.run(self.step), 4)
        server.stop()

    def test_a_loss_of_any_dtype_is_checked_for_nan(self):
        loss = tf.log(-tf.abs(tf.cast(self.w, tf.float64)))
        with self.assertRaisesRegex(tf.train.NanLossDuringTrainingError, "NaN"):
            self.run_steps(1, [tf.train.NanTensorHook(loss)])


class TimerTest(unittest.TestCase):
    def test_a_timer_counts_from_the_last_triggered_step(self):
        timer = tf.train.SecondOrStepTimer(every_steps=3)
        self.assertTrue(timer.should_trigger_for_step(5))
        self.assertEqual(timer.update_last_triggered_step(5), (None, None))
        self.assertFalse(timer.should_trigger_for_step(7))
        self.assertTrue(timer.should_trigger_for_step(8))
        self.assertEqual(timer.update_last_triggered_step(8)[1], 3)
        self.assertEqual(timer.last_triggered_step(), 8)


class ReprTest(tf.test.TestCase):
    def test_a_hook_shows_how_it_was_set_up(self):
        self.assertEqual(
            repr(tf.train.StopAtStepHook(last_step=3)), "<tf.train.StopAtStepHook last_step=3>"
        )
        loss = tf.constant(1.0, name="loss")
        shown = repr(tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=10))
        self.assertRegex(shown, "^<tf.train.LoggingTensorHook .*'loss:0'.*every 10 steps")

        class Own(tf.train.SessionRunHook):
            pass

        self.assertIn("Own", repr(Own()))

    def test_a_saver_shows_what_it_saves(self):
        tf.get_variable("v", [2])
        self.assertEqual(
            repr(tf.train.Saver()), "<tf.train.Saver of 1 variables, has saved 0 checkpoints>"
        )
        self.assertEqual(repr(tf.train.Saver(defer_build=True)), "<tf.train.Saver, not built yet>")

    def test_a_monitored_session_shows_where_it_is_and_whether_steps_may_follow(self):
        with tf.Graph().as_default(), tf.train.MonitoredSession() as session:
            shown = r"<tf.train.MonitoredSession on this process, chief, %s, \d+ nodes>"
            self.assertRegex(repr(session), shown % "open")
            session.request_stop()
            self.assertRegex(repr(session), shown % "stopping")
        self.assertRegex(repr(session), shown % "closed")

    def test_an_optimizer_shows_its_name_and_its_numbers(self):
        adam = tf.train.AdamOptimizer(0.01)
        self.assertEqual(
            repr(adam),
            "<tf.train.AdamOptimizer name='Adam' learning_rate=0.01 beta1=0.9 beta2=0.999 "
            "epsilon=1e-08>",
        )
        rate = tf.placeholder(tf.float32, [], name="rate")
        self.assertEqual(
            repr(tf.train.MomentumOptimizer(rate, 0.9, name="m", use_nesterov=True)),
            "<tf.train.MomentumOptimizer name='m' learning_rate='rate:0' momentum=0.9 "
            "use_nesterov=True>",
        )
        self.assertEqual(
            repr(tf.train.GradientDescentOptimizer(lambda: 0.1)),
            "<tf.train.GradientDescentOptimizer name='GradientDescent'>",
        )
        self.assertRegex(
            repr(tf.train.SyncReplicasOptimizer(adam, 2, 3)),
            r"^<tf.train.SyncReplicasOptimizer name='sync_replicas' replicas_to_aggregate=2 "
            r"total_num_replicas=3 opt=<tf.train.AdamOptimizer name='Adam' .*>>$",
        )

        class Own(tf.train.Optimizer):
            pass

        self.assertRegex(repr(Own(False, "own")), r"^<.*\.Own name='own'>$")

    def test_an_optimizer_that_is_not_set_up_shows_its_class(self):
        class Own(tf.train.MomentumOptimizer):
            def __init__(self):
                self.rate = 0.1

        self.assertRegex(repr(Own()), r"^<.*\.Own>$")

    def test_each_optimizer_shows_a_learning_rate_that_is_a_number(self):
        for name in dir(tf.train):
            if not name.endswith("Optimizer") or name in ("Optimizer", "SyncReplicasOptimizer"):
                continue
            kind = getattr(tf.train, name)
            takes = inspect.signature(kind).parameters
            needed = {key: 0 for key in ("global_step", "momentum") if key in takes}
            shown = repr(kind(learning_rate=0.25, **needed))
            self.assertRegex(shown, rf"^<tf.train.{name} name='\w+' learning_rate=0.25\b")

    def test_a_coordinator_shows_whether_it_stops_and_what_failed(self):
        coordinator = tf.train.Coordinator()
        coordinator.register_thread(threading.Thread())
        shown = "<tf.train.Coordinator %s, %d registered threads%s>"
        self.assertEqual(repr(coordinator), shown % ("running", 1, ""))
        coordinator.request_stop(ValueError("wrong"))
        failed = ", failed with ValueError('wrong')"
        self.assertEqual(repr(coordinator), shown % ("stopping", 1, failed))
        with self.assertRaises(ValueError):
            coordinator.join()
        self.assertEqual(repr(coordinator), shown % ("joined", 0, failed))

    def test_a_scaffold_shows_what_it_was_given(self):
        self.assertEqual(repr(tf.train.Scaffold()), "<tf.train.Scaffold>")
        init = tf.no_op(name="init")
        self.assertEqual(
            repr(tf.train.Scaffold(init, saver=tf.train.Saver(defer_build=True))),
            "<tf.train.Scaffold init_op=<tf.Operation 'init' type=NoOp> "
            "saver=<tf.train.Saver, not built yet>>",
        )

    def test_a_session_of_the_programs_own_may_have_hooks(self):
        class Adds(tf.train.SessionRunHook):
            def __init__(self, tensor, feeds=None, last=10):
                self.added = tf.train.SessionRunArgs(tensor, feeds)
                self.found, self.last = [], last

            def before_run(self, run_context):
                return self.added

            def after_run(self, run_context, run_values):
                self.found.append(run_values.results)
                if len(self.found) == self.last:
                    run_context.request_stop()

        x = tf.placeholder_with_default(1.0, [])
        fed, other = Adds(x * 2.0, {x: 5.0}, last=2), Adds(None)
        with tf.Session() as session:
            hooked = _HookedSession(session, [fed, other])
            self.assertEqual(hooked.run([x + 1.0]), [6])
            self.assertEqual(hooked.run([]), [])
            self.assertEqual((fed.found, other.found), ([10, 10], [None, None]))
            self.assertTrue(hooked.should_stop())
            with self.assertRaisesRegex(RuntimeError, "should_stop"):
                hooked.run(x)
            with self.assertRaisesRegex(RuntimeError, "fed twice"):
                _HookedSession(session, [fed]).run(x, {x: 3.0})


if __name__ == "__main__":
    unittest.main()
