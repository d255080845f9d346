"""Simulated clusters: sessions of them, their faults, and what follows from a seed."""

import asyncio
import threading
import unittest

import numpy as np

import troupe as tf
import troupe.sim

JOBS = {"ps": 1, "worker": 2}
PS = "/job:ps/task:0"
WORKER = "/job:worker/task:1"


class Regression:
    """w of y = 3x - 1, on the parameter server; the rows are on worker 1."""

    def __init__(self):
        with tf.device(PS):
            self.w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        with tf.device(WORKER):
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.y = tf.placeholder(tf.float32, [None, 1])
            loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - self.y))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        self.initialize = tf.global_variables_initializer()

    def feeds(self, seed):
        rows = np.random.RandomState(seed).uniform(-2, 2, [20, 2])
        rows[:, 1] = 1
        return {self.x: rows, self.y: rows @ [[3], [-1]]}


class SessionsTest(tf.test.TestCase):
    def test_a_session_is_a_plain_one_with_feeds_callables_and_partial_runs(self):
        with troupe.sim.Cluster(JOBS, seed=7) as cluster:
            x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
            with tf.device(WORKER):
                doubled = x * 2.0
                total = doubled + y
            with tf.Session(cluster.target("worker", 0)) as session:
                self.assertIs(type(session), tf.Session)
                self.assertEqual(session.run({"t": total}, {x: 1, y: 2}), {"t": 4})
                self.assertEqual(session.make_callable(total, [x, y])(3, 4), 10)
                handle = session.partial_run_setup([doubled, total], [x, y])
                self.assertEqual(session.partial_run(handle, doubled, {x: 5}), 10)
                self.assertEqual(session.partial_run(handle, total, {y: 1}), 11)
                self.assertEqual(asyncio.run(session.run_async(total, {x: 1, y: 1})), 3)
                self.assertIn(WORKER, str(session.explain(total, [x, y])))
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(tf.check_numerics(x, "bad"), {x: np.nan})
            with cluster.session("ps") as session:
                self.assertEqual(session.run(total, {x: 0, y: 1}), 1)

    def test_a_monitored_session_trains_on_it(self):
        with troupe.sim.Cluster(JOBS, seed=3) as cluster:
            model = Regression()
            count = tf.train.get_or_create_global_step()
            step = tf.group(model.step, tf.assign_add(count, 1))
            hooks = [tf.train.StopAtStepHook(last_step=5)]
            master = cluster.target("worker")
            with tf.train.MonitoredTrainingSession(master=master, hooks=hooks) as session:
                while not session.should_stop():
                    session.run(step, model.feeds(1))
            with tf.Session(master) as session:
                self.assertEqual(session.run(count), 5)

    def test_variables_outlive_sessions_and_arrays_do_not_share_their_memory(self):
        with troupe.sim.Cluster(JOBS) as cluster:
            fed = np.ones(100000, np.float32)  # small arrays are copied anyway
            x = tf.placeholder(tf.float32, [100000])
            with tf.device("/job:worker/task:0"):  # no network between that copies it
                v = tf.get_variable("v", [100000])
            with cluster.session("worker", 0) as session:
                session.run(tf.assign(v, x), {x: fed})
                self.assertFalse(session.run(v).flags.writeable)
            fed[:] = 5
            with cluster.session("worker", 1) as session:
                self.assertAllEqual(session.run(v), np.ones(100000))

    def test_calls_of_another_thread_are_refused(self):
        with troupe.sim.Cluster(JOBS) as cluster, cluster.session("worker") as session:
            x = tf.constant(1.0)
            session.run(x)
            errors = []

            def call():
                for work in (lambda: session.run(x), lambda: cluster.run_for(1)):
                    try:
                        work()
                    except tf.errors.FailedPreconditionError as error:
                        errors.append(error)

            thread = threading.Thread(target=call)
            thread.start()
            thread.join()
            self.assertEqual(len(errors), 2)
            self.assertIn("driven by the thread that made it", str(errors[0]))
            self.assertEqual(session.run(x), 1)

    def test_a_function_of_python_does_not_run_in_it(self):
        with troupe.sim.Cluster(JOBS) as cluster, cluster.session("worker") as session:
            with self.assertRaisesRegex(tf.errors.UnimplementedError, "PyFunc"):
                session.run(tf.py_func(lambda: 1.0, [], tf.float64))

    def test_what_needs_a_connection_says_that_only_sessions_can_use_it(self):
        with troupe.sim.Cluster(JOBS) as cluster, cluster.session("worker") as session:
            for call in (session.list_devices, lambda: tf.Session.reset(session.sess_str)):
                with self.assertRaisesRegex(tf.errors.UnimplementedError, "only sessions"):
                    call()

    def test_a_closed_cluster_refuses_its_sessions(self):
        cluster = troupe.sim.Cluster(JOBS)
        session = cluster.session("worker")
        x = tf.constant(1.0)
        session.run(x)
        cluster.close()
        with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "cluster is closed"):
            session.run(x)
        target = cluster.target("worker")
        del session, cluster
        with self.assertRaisesRegex(ValueError, "simulated cluster of this process"):
            tf.Session(target).run(x)


class TimeTest(tf.test.TestCase):
    def test_time_passes_only_in_calls_and_takes_no_real_time(self):
        with troupe.sim.Cluster(JOBS) as cluster:
            self.assertEqual(cluster.now(), 0)
            cluster.run_for(60)
            self.assertEqual(cluster.now(), 60)

    def test_a_step_that_times_out_does_so_in_the_time_of_the_cluster(self):
        with troupe.sim.Cluster(JOBS) as cluster, cluster.session("worker") as session:
            element = tf.FIFOQueue(1, tf.float32).dequeue()
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(element, options=tf.RunOptions(timeout_in_ms=30000))
            self.assertBetween(cluster.now(), 30, 31)

    def assertBetween(self, value, least, most):  # noqa: N802
        self.assertGreaterEqual(value, least)
        self.assertLessEqual(value, most)


class FaultsTest(tf.test.TestCase):
    def test_steps_fail_when_the_parameter_server_dies_and_run_when_it_is_back(self):
        with troupe.sim.Cluster(JOBS, seed=7) as cluster:
            model = Regression()
            with cluster.session("worker") as session:
                session.run(model.initialize)
                session.run(model.step, model.feeds(1))
                cluster.crash(PS)
                self.assertFalse(cluster.is_running(PS))
                lost = (tf.errors.UnavailableError, tf.errors.AbortedError)
                with self.assertRaisesRegex(lost, PS):
                    session.run(model.step, model.feeds(1))
                cluster.restart(PS)
                self.assertEqual(cluster.process_number(PS), 2)
            with cluster.session("worker") as session:
                with self.assertRaises(tf.errors.FailedPreconditionError):
                    session.run(model.w)  # its state is gone
                session.run(model.initialize)
                session.run(model.step, model.feeds(1))

    def test_a_fault_at_a_time_comes_during_a_step(self):
        with troupe.sim.Cluster(JOBS) as cluster, cluster.session("worker") as session:
            with tf.device(PS):
                element = tf.FIFOQueue(1, tf.float32).dequeue()
            cluster.at(5.0).crash(PS)
            with self.assertRaises(tf.errors.UnavailableError):
                session.run(element)
            self.assertEqual([str(f) for f in cluster.faults()], [f"cluster.at(5).crash({PS!r})"])

    def test_a_frozen_master_is_lost_to_its_session(self):
        with troupe.sim.Cluster(JOBS, heartbeat_limit=3) as cluster:
            session, x = cluster.session("worker"), tf.constant(1.0)
            session.run(x)
            cluster.freeze("/job:worker/task:0")
            begin = cluster.now()
            with self.assertRaisesRegex(tf.errors.UnavailableError, "heartbeats"):
                session.run(x)
            self.assertAllClose(cluster.now() - begin, 3, atol=0.1)
            cluster.end_all_faults()
            self.assertEqual(cluster.session("worker").run(x), 1)

    def test_a_partition_loses_a_task_until_it_is_healed(self):
        with troupe.sim.Cluster(JOBS) as cluster, cluster.session("worker") as session:
            with tf.device(PS):
                x = tf.random_uniform([], seed=1)
            session.run(x)
            cluster.cut("/job:worker/task:0", [PS, WORKER])
            with self.assertRaises(tf.errors.UnavailableError):
                session.run(x)
            cluster.heal("/job:worker/task:0", [PS, WORKER])
            cluster.run_for(5)
            session.run(x)

    def test_a_fault_without_effect_or_task_is_an_error(self):
        with troupe.sim.Cluster(JOBS) as cluster:
            with self.assertRaisesRegex(ValueError, "no effect"):
                cluster.thaw(PS)
            for call in (cluster.crash, cluster.at(1).freeze, cluster.is_running):
                with self.assertRaisesRegex(ValueError, "no task '/job:ps/task:1'"):
                    call("/job:ps/task:1")
            with self.assertRaisesRegex(ValueError, "no task"):
                cluster.target("ps", 1)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "melt"):
                cluster.draw_faults(kinds=["melt"])

    def test_a_cluster_without_sense_is_an_error(self):
        for jobs in ({}, {"ps": 0}, {"p/s": 1}):
            with self.assertRaises((ValueError, tf.errors.InvalidArgumentError), msg=str(jobs)):
                troupe.sim.Cluster(jobs)
        with self.assertRaises(TypeError):
            troupe.sim.Cluster("ps")
        spec = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "b:2"]})
        with troupe.sim.Cluster(spec) as cluster:
            self.assertEqual(len(cluster.tasks), 3)


class SeedsTest(tf.test.TestCase):
    def train(self, seed, **faults):
        """(trace hash, weights, faults) of a training that begins again after each loss."""
        with tf.Graph().as_default(), troupe.sim.Cluster(JOBS, seed=seed) as cluster:
            model = Regression()
            cluster.script(cluster.draw_faults(end=0.05, **faults))
            done = 0
            for _ in range(100):
                try:
                    with cluster.session("worker") as session:
                        if done == 0:
                            session.run(model.initialize)
                        while done < 100:
                            session.run(model.step, model.feeds(seed))
                            done += 1
                        return cluster.trace_hash(), session.run(model.w), cluster.faults()
                except (tf.errors.UnavailableError, tf.errors.AbortedError):
                    cluster.run_for(0.02)
                except tf.errors.FailedPreconditionError:
                    done = 0  # the variable is gone
        raise AssertionError(f"seed {seed} does not end")

    def test_one_seed_gives_one_history_and_another_one_gives_another(self):
        one, again, other = self.train(5), self.train(5), self.train(6)
        self.assertEqual(one[0], again[0])
        self.assertEqual(one[2], again[2])
        self.assertAllEqual(one[1], again[1])
        self.assertNotEqual(one[0], other[0])

    def test_a_training_ends_with_its_weights_in_spite_of_crashes(self):
        crashes = 0
        for seed in range(1, 21):
            _, w, faults = self.train(seed, kinds=["crash"], most=3)
            self.assertAllClose(w, [[3], [-1]], atol=0.01, msg=f"seed {seed}")
            crashes += sum(fault.kind == "crash" for fault in faults)
        self.assertGreater(crashes, 10)


if __name__ == "__main__":
    unittest.main()
