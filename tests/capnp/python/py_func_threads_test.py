"""Functions of Python as ops: threads, memory, and the servers that call them."""

import gc
import resource
import threading
import time
import unittest
import weakref

import numpy as np

import troupe as tf

LARGE = 1 << 18  # elements, more than the size up to which tensors are copied
WAIT_S = 60


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


def waiting(event, seconds=WAIT_S):
    """An operation that waits for an event of this program."""

    def function():
        event.wait(seconds)

    return tf.py_func(function, [], [])


class ThreadsTest(tf.test.TestCase):
    def test_functions_of_a_step_run_at_once(self):
        count = 40
        barrier = threading.Barrier(count)
        met = [tf.py_func(lambda: barrier.wait(WAIT_S), [], tf.int64) for _ in range(count)]
        self.assertEqual(sorted(run(met)), list(range(count)))

    def test_a_function_may_run_a_session(self):
        inner_graph = tf.Graph()
        with inner_graph.as_default():
            x = tf.placeholder(tf.float32)
            inner = tf.py_func(lambda a: a * 2, [x], tf.float32) + 1.0
        inner_session = tf.Session(graph=inner_graph)
        outer = [
            tf.py_func(lambda a: inner_session.run(inner, {x: a}), [float(i)], tf.float32)
            for i in range(30)
        ]
        self.assertEqual(run(outer), [2 * i + 1 for i in range(30)])
        inner_session.close()

    def test_an_error_of_a_session_in_a_function_keeps_its_class(self):
        inner_graph = tf.Graph()
        with inner_graph.as_default():
            late = waiting(threading.Event(), seconds=0.5)
        inner_session = tf.Session(graph=inner_graph)
        options = tf.RunOptions(timeout_in_ms=20)
        outer = tf.py_func(lambda: inner_session.run(late, options=options), [], [])
        with self.assertRaises(tf.errors.DeadlineExceededError):
            run(outer)
        inner_session.close()

    def test_a_step_that_is_cancelled_does_not_wait_for_the_function(self):
        go, gone = threading.Event(), threading.Event()

        def wait(x):
            go.wait(WAIT_S)
            gone.set()
            return x

        y = tf.py_func(wait, [1.0], tf.float32) + 1.0
        session = tf.Session()
        started = time.monotonic()
        with self.assertRaises(tf.errors.DeadlineExceededError):
            session.run(y, options=tf.RunOptions(timeout_in_ms=50))
        errors = []

        def run_until_closed():
            try:
                session.run(y)
            except tf.errors.OpError as error:
                errors.append(error)

        thread = threading.Thread(target=run_until_closed)
        thread.start()
        self.assertEqual(session.run(tf.constant(2)), 2)
        session.close()
        thread.join()
        self.assertLess(time.monotonic() - started, WAIT_S / 2)
        self.assertEqual(len(errors), 1)
        self.assertFalse(gone.is_set())
        go.set()
        self.assertTrue(gone.wait(WAIT_S))

    def test_calls_that_wait_for_a_thread_are_cancelled_and_others_follow(self):
        go = threading.Event()
        calls = []

        def wait():
            calls.append(1)
            go.wait(WAIT_S)

        waits = [tf.py_func(wait, [], []) for _ in range(300)]
        with tf.Session() as session:
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(waits, options=tf.RunOptions(timeout_in_ms=500))
            session.run(tf.no_op())  # the device knows of the end of the step before
            begun = len(calls)
            self.assertLess(begun, 300)
            go.set()
            session.run(waits[0])
            self.assertEqual(len(calls), begun + 1)

    def test_steps_of_several_sessions_and_threads_do_not_mix(self):
        x = tf.placeholder(tf.int64)
        y = tf.py_func(lambda a: (time.sleep(0.0005), a * 3)[1], [x], tf.int64)
        sessions = [tf.Session() for _ in range(2)]
        wrong = []

        def work(number):
            for i in range(25):
                value = 1000 * number + i
                if sessions[number % 2].run(y, {x: value}) != 3 * value:
                    wrong.append(value)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        for session in sessions:
            session.close()


class MemoryTest(tf.test.TestCase):
    def test_a_function_lives_as_long_as_its_graph(self):
        class Callable:
            def method(self, x):
                return x

        owner = Callable()
        graph = tf.Graph()
        with graph.as_default():
            y = tf.py_func(owner.method, [1.0], tf.float32)
        alive = weakref.ref(owner)
        del owner
        gc.collect()
        with tf.Session(graph=graph) as session:
            self.assertEqual(session.run(y), 1)
        del graph, y, session
        gc.collect()
        self.assertIsNone(alive())

    def test_steps_keep_neither_arguments_nor_results(self):
        seen = []

        def function(x, fails):
            seen.append(weakref.ref(x))
            result = x + 1
            seen.append(weakref.ref(result))
            if fails:
                raise ValueError
            return result

        x = tf.placeholder(tf.float32)
        fails = tf.placeholder(tf.bool)
        y = tf.py_func(function, [x, fails], tf.float32)
        with tf.Session() as session:
            for _ in range(3):
                session.run(y, {x: np.ones(LARGE), fails: False})
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(y, {x: np.ones(LARGE), fails: True})
        gc.collect()
        self.assertEqual([reference() for reference in seen], [None] * 12)

    def test_memory_does_not_grow_with_the_steps(self):
        x = tf.placeholder(tf.float32)
        y = tf.py_func(lambda a, s: (a + 1, [s] * 100), [x, "t" * 100], [tf.float32, tf.string])
        with tf.Session() as session:
            call = session.make_callable(y, [x])
            array = np.ones(LARGE, np.float32)
            for _ in range(20):
                call(array)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(200):
                call(array)
        grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown_kib, 20 * LARGE * 4 // 1024)


class ServersTest(tf.test.TestCase):
    def test_a_server_of_the_program_calls_functions(self):
        server = tf.train.Server.create_local_server()
        self.addCleanup(server.stop)
        x = tf.placeholder(tf.float32)
        y = tf.py_func(lambda a: a + 1, [x], tf.float32)
        with tf.Session(server.target) as session:
            self.assertAllEqual(session.run(y, {x: np.ones(LARGE)}), np.full(LARGE, 2))
            bad = tf.py_func(lambda: {}["key"], [], tf.float32)
            with self.assertRaisesRegex(tf.errors.UnknownError, "KeyError: 'key'"):
                session.run(bad)

    def test_a_device_constraint_chooses_the_server(self):
        workers, (ps,) = tf.test.create_local_cluster(2, 1)
        self.addCleanup(lambda: [server.stop() for server in (*workers, ps)])
        with tf.device("/job:ps"):
            w = tf.Variable(2.0)
        with tf.device("/job:worker/task:1"):
            y = tf.py_func(lambda a: a * 4, [w], tf.float32)
        with tf.Session(workers[0].target) as session:
            session.run(w.initializer)
            self.assertEqual(session.run(y + 1.0), 9)
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            session.run(y, options=options, run_metadata=metadata)
        ran = {
            stats.node_name: device.device
            for device in metadata.step_stats.dev_stats
            for stats in device.node_stats
        }
        self.assertEqual(ran[y.op.name], "/job:worker/task:1/device:CPU:0")

    def test_a_remote_step_that_is_cancelled_does_not_wait_for_the_function(self):
        server = tf.train.Server.create_local_server()
        go = threading.Event()
        y = waiting(go)
        with tf.Session(server.target) as session:
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(y, options=tf.RunOptions(timeout_in_ms=50))
            self.assertEqual(session.run(tf.constant(2)), 2)
        server.stop()
        self.assertFalse(go.is_set())
        go.set()


if __name__ == "__main__":
    unittest.main()
