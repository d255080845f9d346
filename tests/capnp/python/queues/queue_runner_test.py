"""Queue runners: their threads, how they end, and who starts them."""

import threading
import unittest

import troupe as tf


class QueueRunnerTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.count = tf.Variable(tf.constant(0, tf.int64), use_resource=True)
        self.counting = self.count.count_up_to(3)
        self.queue = tf.FIFOQueue(10, tf.int64, shapes=())

    def test_threads_run_the_enqueues_until_the_input_ends_and_then_close_the_queue(self):
        runner = tf.train.QueueRunner(self.queue, [self.queue.enqueue(self.counting)] * 2)
        take = self.queue.dequeue()
        with self.session() as session:
            session.run(self.count.initializer)
            threads = runner.create_threads(session, start=True)
            self.assertEqual(len(threads), 2)
            for thread in threads:
                thread.join(60)
            self.assertCountEqual([session.run(take) for _ in range(3)], [0, 1, 2])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(take)
        self.assertEqual(runner.exceptions_raised, [])

    def test_an_error_is_that_of_the_coordinator(self):
        x = tf.placeholder(tf.int64, [])
        runner = tf.train.QueueRunner(self.queue, [self.queue.enqueue(x)])
        coordinator = tf.train.Coordinator()
        with self.session() as session:
            threads = runner.create_threads(session, coordinator, start=True)
            self.assertEqual(
                [thread.name for thread in threads],
                [
                    "QueueRunnerThread-fifo_queue-fifo_queue_enqueue",
                    "QueueRunnerThread-fifo_queue-close_on_stop",
                ],
            )
            with self.assertRaises(tf.errors.InvalidArgumentError):
                coordinator.join()
            self.assertTrue(session.run(self.queue.is_closed()))

    def test_without_a_coordinator_the_runner_keeps_the_error(self):
        x = tf.placeholder(tf.int64, [])
        runner = tf.train.QueueRunner(self.queue, [self.queue.enqueue(x)])
        raised = []
        hook, threading.excepthook = threading.excepthook, raised.append
        try:
            with self.session() as session, self.assertLogs("troupe", "ERROR"):
                for thread in runner.create_threads(session, start=True):
                    thread.join(60)
        finally:
            threading.excepthook = hook
        (error,) = runner.exceptions_raised
        self.assertIsInstance(error, tf.errors.InvalidArgumentError)
        self.assertIs(raised[0].exc_value, error)

    def test_a_stop_cancels_enqueues_that_wait(self):
        queue = tf.FIFOQueue(1, tf.int32, shapes=())
        runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
        coordinator = tf.train.Coordinator()
        with self.session() as session:
            runner.create_threads(session, coordinator, start=True)
            session.run(queue.dequeue())
            coordinator.request_stop()
            coordinator.join(stop_grace_period_secs=60)
            self.assertTrue(session.run(queue.is_closed()))

    def test_a_session_has_the_threads_of_a_runner_once(self):
        runner = tf.train.QueueRunner(self.queue, [self.counting])
        with self.session() as session, tf.Session() as other:
            self.assertEqual(len(runner.create_threads(session)), 1)
            self.assertEqual(runner.create_threads(session), [])
            self.assertEqual(len(runner.create_threads(other)), 1)

    def test_other_errors_may_mean_the_end_of_the_input(self):
        closed = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        enqueue = self.queue.enqueue(tf.constant(1, tf.int64))
        runner = tf.train.QueueRunner(self.queue, [enqueue], queue_closed_exception_types=closed)
        self.assertEqual(runner.queue_closed_exception_types, closed)
        with self.session() as session:
            session.run(self.queue.close())
            for thread in runner.create_threads(session, start=True):
                thread.join(60)
        self.assertEqual(runner.exceptions_raised, [])

    def test_arguments_are_checked(self):
        with self.assertRaisesRegex(ValueError, "Must provide queue and enqueue_ops"):
            tf.train.QueueRunner(self.queue, [])
        for wrong in (tf.errors.OutOfRangeError, (), (ValueError,)):
            with self.assertRaisesRegex(TypeError, "must be a tuple of tf.error types"):
                tf.train.QueueRunner(
                    self.queue, [self.counting], queue_closed_exception_types=wrong
                )
        definition = tf.train.QueueRunner(self.queue, [self.counting]).to_proto()
        with self.assertRaisesRegex(ValueError, "mutually exclusive"):
            tf.train.QueueRunner(self.queue, queue_runner_def=definition)

    def test_its_message_names_the_nodes_that_it_runs(self):
        with tf.name_scope("scope"):
            queue = tf.FIFOQueue(1, tf.int32, name="q")
            nodes = [tf.no_op(name=name) for name in ("put", "close", "cancel")]
        closed = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        runner = tf.train.QueueRunner(queue, nodes[:1], *nodes[1:], closed)
        definition = runner.to_proto("scope")
        self.assertEqual(definition.queue_name, "q")
        self.assertEqual(definition.enqueue_op_name, ["put"])
        self.assertEqual(definition.queue_closed_exception_types, [11, 1])
        self.assertIsNone(runner.to_proto("elsewhere"))
        definition = tf.train.QueueRunnerDef.FromString(definition.SerializeToString())
        found = tf.train.QueueRunner.from_proto(definition, import_scope="scope")
        self.assertEqual(found.name, "scope/q")
        self.assertEqual([*found.enqueue_ops, found.close_op, found.cancel_op], nodes)
        self.assertEqual(found.queue_closed_exception_types, closed)
        del definition.queue_closed_exception_types[:]
        older = tf.train.QueueRunner.from_proto(definition, "scope")
        self.assertEqual(older.queue_closed_exception_types, (tf.errors.OutOfRangeError,))


class StartTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        numbers = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        self.batch = tf.train.batch([numbers * 10], 2)

    def test_all_runners_of_the_graph_are_started_in_the_default_session(self):
        coordinator = tf.train.Coordinator()
        with self.session() as session:
            session.run(tf.local_variables_initializer())
            threads = tf.train.start_queue_runners(coord=coordinator)
            self.assertEqual(len(threads), 4)
            self.assertTrue(all(thread.daemon for thread in threads))
            found = [session.run(self.batch).tolist() for _ in range(3)]
            self.assertEqual(found, [[0, 10], [20, 30], [40, 50]])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(self.batch)
            coordinator.request_stop()
            coordinator.join(threads)

    def test_only_sessions_can_run_them(self):
        with self.assertRaisesRegex(ValueError, "No default session"):
            tf.train.start_queue_runners()
        with self.assertRaisesRegex(TypeError, "tf.Session"):
            tf.train.start_queue_runners("no session")

    def test_a_graph_without_runners_is_told_so(self):
        with tf.Graph().as_default(), tf.Session() as session:
            with self.assertLogs("troupe", "WARNING"):
                self.assertEqual(tf.train.start_queue_runners(session), [])

    def test_a_monitored_session_starts_them_and_ends_with_the_data(self):
        found = []
        with tf.train.MonitoredSession() as session:
            self.assertEqual(tf.train.start_queue_runners(session), [])
            while not session.should_stop():
                found.append(session.run(self.batch).tolist())
        self.assertEqual(found, [[0, 10], [20, 30], [40, 50]])

    def test_hooks_can_use_the_queues_until_their_end(self):
        found = []
        batch = self.batch

        class LastBatch(tf.train.SessionRunHook):
            def end(self, session):
                found.append(session.run(batch).tolist())

        with tf.train.MonitoredSession(hooks=[LastBatch()]) as session:
            session.run(self.batch)
        self.assertEqual(found, [[20, 30]])

    def test_an_error_of_a_runner_ends_a_monitored_session_with_it(self):
        queue = tf.FIFOQueue(10, tf.int32, shapes=())
        ok = tf.Variable(0, trainable=False)
        with tf.control_dependencies([tf.Assert(tf.less(ok.assign_add(1), 3), ["no more"])]):
            enqueue = queue.enqueue(1)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
        take = queue.dequeue()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "no more"):
            with tf.train.MonitoredSession() as session:
                while not session.should_stop():
                    session.run(take)

    def test_a_lost_task_of_a_runner_is_recovered_from_in_a_new_session(self):
        lost, sessions = threading.Event(), []

        def number():
            if lost.is_set():
                lost.clear()
                raise tf.errors.UnavailableError(None, None, "the task of the runner is lost")
            return 7

        queue = tf.FIFOQueue(2, tf.int64, shapes=())
        enqueue = queue.enqueue(tf.reshape(tf.py_func(number, [], tf.int64), []))
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
        take = queue.dequeue()

        class Sessions(tf.train.SessionRunHook):
            def after_create_session(self, session, coord):
                sessions.append((session, coord))

        with tf.train.MonitoredSession(hooks=[Sessions()]) as session:
            session.run(take)
            lost.set()
            while len(sessions) == 1:
                self.assertFalse(session.should_stop())
                self.assertEqual(session.run(take), 7)
            self.assertEqual(session.run(take), 7)
            first, second = (coord for _, coord in sessions)
            self.assertTrue(first.joined)
            self.assertFalse(second.should_stop())

    def test_a_supervisor_starts_them_with_its_coordinator(self):
        supervisor = tf.train.Supervisor()
        with supervisor.managed_session() as session:
            self.assertAllEqual(session.run(self.batch), [0, 10])
        self.assertTrue(supervisor.coord.joined)
        with tf.train.Supervisor().managed_session(start_standard_services=False) as session:
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(self.batch, options=tf.RunOptions(timeout_in_ms=50))


if __name__ == "__main__":
    unittest.main()
