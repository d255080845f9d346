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
            self.assertFalse(session.graph.finalized)  # as the creator has left it
            self.assertEqual(session.run(doubled + 1.0), 3)
            self.assertFalse(session.should_stop())
            session.request_stop()
            self.assertTrue(session.should_stop())
        self.assertEqual(hook.calls, ["begin", "created", 7, 7, 7, "end"])
        with self.assertRaisesRegex(RuntimeError, "closed"):
            creator.sessions[0].run(x)

    def test_a_hook_stops_the_training(self):
        for stop in (tf.train.StopAtStepHook(last_step=3), tf.train.StopAtStepHook(3)):
            with tf.train.MonitoredSession(Creator(), [stop]) as session:
                steps = []
                while not session.should_stop():
                    steps.append(session.run(self.train))
                self.assertEqual(steps, [1, 2, 3])

    def test_a_loss_that_is_no_number_ends_the_training_or_is_an_error(self):
        loss = 0.0 / (2.0 - tf.cast(self.train, tf.float32))
        hook = tf.train.NanTensorHook(loss, fail_on_nan_loss=False)
        with self.assertLogs("troupe", "WARNING") as logs:
            with tf.train.MonitoredSession(Creator(), [hook]) as session:
                self.assertEqual(session.run(self.train), 1)
                self.assertFalse(session.should_stop())
                session.run(self.train)
                self.assertTrue(session.should_stop())
        self.assertIn("loss = NaN", logs.output[-1])
        hook = tf.train.NanTensorHook(loss)
        with self.assertLogs("troupe", "ERROR") as logs:
            with self.assertRaisesRegex(tf.train.NanLossDuringTrainingError, "NaN loss"):
                with tf.train.MonitoredSession(Creator(), [hook]) as session:
                    for _ in range(2):
                        session.run(self.train)
        self.assertIn("loss = NaN", logs.output[-1])

    def test_another_session_is_created_where_a_task_is_lost(self):
        lost = tf.errors.UnavailableError(None, None, "a task is lost")
        creator, hook = Creator(), Recorder(None, [lost])
        with tf.train.MonitoredSession(creator, [hook]) as session:
            self.assertEqual(session.run(self.train), 1)
        self.assertEqual(hook.calls, ["begin", "created", "created", None, "end"])
        self.assertEqual(len(creator.sessions), 2)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            creator.sessions[0].run(self.step)

    def test_hooks_do_not_end_where_no_session_can_replace_a_lost_one(self):
        lost = tf.errors.UnavailableError(None, None, "a task is lost")
        creator, hook = Creator(), Recorder(None, [lost])
        session = tf.train.MonitoredSession(creator, [hook])
        creator.create_session = self.fail
        with self.assertRaises(AssertionError):
            session.run(self.train)
        self.assertTrue(session.should_stop())
        with self.assertRaisesRegex(RuntimeError, "should_stop requested"):
            session.run(self.train)
        session.close()
        self.assertEqual(hook.calls, ["begin", "created"])

    def test_the_session_is_closed_where_a_hook_cannot_end(self):
        creator, hook = Creator(), Recorder(None)
        hook.end = lambda session: self.fail("at the end")
        session = tf.train.MonitoredSession(creator, [hook])
        with self.assertRaisesRegex(AssertionError, "at the end"):
            session.close()
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


class ExtendedCreatorsTest(tf.test.TestCase):
    """Creators that are those of the package but for what they add."""

    def setUp(self):
        super().setUp()
        self.step = tf.train.get_or_create_global_step()
        self.train = tf.assign_add(self.step, 1)
        tf.add_to_collection("init", tf.global_variables_initializer())
        self.added = []
        added = self.added

        class Chief(tf.train.ChiefSessionCreator):
            def create_session(self):
                session = super().create_session()
                added.append(session)
                return session

        class Worker(tf.train.WorkerSessionCreator):
            def create_session(self):
                added.append(super().create_session())
                return added[-1]

        self.chief, self.worker = Chief, Worker

    def test_a_creator_makes_initialized_sessions(self):
        table = tf.get_variable("local", [], collections=[tf.GraphKeys.LOCAL_VARIABLES])
        scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: self.added.append(scaffold))
        with tf.train.ChiefSessionCreator(scaffold).create_session() as session:
            self.assertIsInstance(session, tf.Session)
            self.assertEqual(session.run(self.train), 1)
            session.run(table)
        self.assertEqual(self.added, [scaffold])
        self.assertTrue(tf.get_default_graph().finalized)
        scaffold.init_fn(None)  # the scaffold is known to it
        self.assertEqual(self.added, [scaffold, scaffold])
        copy = tf.train.Scaffold(copy_from_scaffold=scaffold)
        copy.init_fn(None)
        self.assertIs(self.added[2], copy)

    def test_a_creator_adds_to_what_the_package_does(self):
        hook = Recorder(self.step)
        with tf.train.MonitoredSession(self.chief(), [hook]) as session:
            self.assertTrue(session.graph.finalized)
            self.assertEqual(session.run(self.train), 1)
            self.assertIs(session.run_step_fn(lambda step_context: step_context.session),
                          self.added[0])
        self.assertEqual(len(self.added), 1)

    def test_checkpoints_are_saved_and_restored_in_such_sessions(self):
        folder, saved = self.get_temp_dir(), []

        class Listener(tf.train.CheckpointSaverListener):
            def after_save(self, session, global_step_value):
                saved.append(global_step_value)

        saver = tf.train.CheckpointSaverHook(folder, save_steps=2, listeners=[Listener()])
        with tf.train.MonitoredSession(Creator(), [saver]) as session:
            for _ in range(3):
                session.run(self.train)
        self.assertEqual(saved, [0, 2, 3])
        self.assertEqual(tf.train.latest_checkpoint(folder), folder + "/model.ckpt-3")
        for creator in (
            self.chief(checkpoint_dir=folder),
            self.chief(checkpoint_filename_with_path=folder + "/model.ckpt-3"),
        ):
            with tf.train.MonitoredSession(creator) as session:
                self.assertEqual(session.run(self.train), 4)

    def test_a_worker_waits_for_the_chief(self):
        server = tf.train.Server.create_local_server()
        scaffold = tf.train.Scaffold()
        with tf.train.MonitoredSession(self.chief(scaffold, server.target)) as session:
            session.run(self.train)
            creator = self.worker(scaffold, server.target, max_wait_secs=1)
            with tf.train.MonitoredSession(creator) as other:
                self.assertEqual(other.run(self.train), 2)
                self.assertIn("worker", repr(other))
        self.assertEqual(len(self.added), 2)
        server.stop()


class RecoveryTest(tf.test.TestCase):
    """What is done where a task is lost, in sessions of both kinds."""

    def setUp(self):
        super().setUp()
        self.step = tf.train.get_or_create_global_step()
        self.train = tf.assign_add(self.step, 1)
        tf.add_to_collection("init", tf.global_variables_initializer())
        self.creators = [Creator(), tf.train.ChiefSessionCreator()]
        self.lost = tf.errors.AbortedError(None, None, "a task is lost")

    def test_a_step_runs_again_as_often_as_a_task_is_lost(self):
        for creator in self.creators:
            hook = Recorder(None, [self.lost, self.lost, self.lost])
            with tf.Graph().as_default() as graph, tf.train.MonitoredSession(creator, [hook]) as s:
                if isinstance(creator, Creator):
                    self.assertIs(s.graph, graph)
                s.run([])
            self.assertEqual(hook.calls[1:], ["created"] * 4 + [None, "end"])

    def test_a_step_that_runs_again_has_no_options_of_its_first_attempt(self):
        full_trace = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        for creator in self.creators:
            lost, levels = [self.lost], []

            class TracesOnce(tf.train.SessionRunHook):
                def before_run(self, run_context):
                    return tf.train.SessionRunArgs(None, options=full_trace if lost else None)

                def after_run(self, run_context, run_values):
                    if lost:
                        raise lost.pop()
                    levels.append(run_values.options.trace_level)

            with tf.train.MonitoredSession(creator, [TracesOnce()]) as session:
                session.run(self.train)
            self.assertEqual(levels, [tf.RunOptions.NO_TRACE])

    def test_a_session_that_cannot_be_created_is_tried_again(self):
        lost = [self.lost, self.lost]

        class Late(Creator):
            def create_session(self):
                if lost:
                    raise lost.pop()
                return super().create_session()

        with tf.train.MonitoredSession(Late()) as session:
            self.assertEqual(session.run(self.train), 1)

    def test_a_function_of_steps_is_called_again_as_a_whole(self):
        for creator in self.creators:
            lost, calls = [self.lost], []

            class Loses(tf.train.SessionRunHook):
                def before_run(self, run_context):
                    if lost:
                        raise lost.pop()

            def steps(step_context):
                calls.append(step_context.session.run(self.train))
                step_context.run_with_hooks(self.step)
                if len(calls) == 2:
                    raise self.lost
                return step_context.session.run(self.step)

            with tf.train.MonitoredSession(creator, [Loses()]) as session:
                # Each session has variables of its own.
                self.assertEqual(session.run_step_fn(steps), 1)
            self.assertEqual(calls, [1, 1, 1])

    def test_a_session_that_does_not_recover_raises_the_error_of_such_a_function(self):
        def steps(step_context):
            raise self.lost

        with tf.train.SingularMonitoredSession() as session:
            with self.assertRaisesRegex(tf.errors.AbortedError, "a task is lost"):
                session.run_step_fn(steps)
            self.assertFalse(session.should_stop())

    def test_a_task_that_a_thread_has_lost_is_lost_to_the_session(self):
        for creator in self.creators:
            hook = Recorder(None)
            with tf.train.MonitoredSession(creator, [hook]) as session:
                coordinator = session._coordinated_creator.coord
                coordinator.request_stop(self.lost)
                self.assertFalse(session.should_stop())
                self.assertEqual(hook.calls, ["begin", "created", "created"])
                session._coordinated_creator.coord.request_stop(self.lost)
                session.run(self.step)
                self.assertEqual(hook.calls, ["begin"] + ["created"] * 3 + [None])

    def test_the_session_is_where_programs_look_for_it(self):
        with tf.train.MonitoredSession() as monitored:
            session = monitored
            while type(session).__name__ != "Session":
                session = session._sess
            self.assertIs(session, monitored._tf_sess())
            self.assertIs(session, monitored._coordinated_creator.tf_sess)
            self.assertIs(session, monitored._sess._sess._sess._sess)
            self.assertEqual(session.sess_str, "")


if __name__ == "__main__":
    unittest.main()
