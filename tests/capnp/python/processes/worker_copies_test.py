"""Workers that train copies of the variables take TensorFlow's steps, on a cluster."""

import os
import tempfile
import threading
import unittest

from nodes import free_ports

import troupe as tf

opt = tf.contrib.opt
PS = "/job:ps/task:0/cpu:0"


def started_servers(case):
    """The servers of two workers, in this process, with a parameter server."""
    addresses = [f"localhost:{port}" for port in free_ports(3)]
    cluster = {"worker": addresses[:2], "ps": addresses[2:]}
    tasks = [("worker", 0), ("worker", 1), ("ps", 0)]
    servers = [tf.train.Server(cluster, job, task) for job, task in tasks]
    for server in servers:
        case.addCleanup(server.stop)
    return servers


def together(functions):
    """Runs functions at the same time."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Worker:
    """The graph and the session of a worker whose gradients are -1 and -2, or -2 and -3."""

    def __init__(self, task, getter, optimizer):
        self.task, self.graph = task, tf.Graph()
        device = f"/job:worker/task:{task}/cpu:0"
        made = getter(device)
        with (
            self.graph.as_default(),
            tf.device(tf.train.replica_device_setter(1, PS, device)),
            tf.variable_scope("", custom_getter=made),
        ):
            self.step = tf.train.get_or_create_global_step()
            self.copies = [tf.get_variable("v0", initializer=0.0)]
            self.copies += [tf.get_variable("v1", initializer=1.0)]
            self.optimizer = optimizer(tf.train.GradientDescentOptimizer(1.0), task, made)
            gradients = [tf.constant(-1.0 - task), tf.constant(-1.0 - 2 * task)]
            pairs = zip(gradients, self.copies)
            self.train = self.optimizer.apply_gradients(list(pairs), self.step)
            self.shared = [v for v in tf.global_variables() if "center" in v.op.name]

    def start(self, target, *arguments):
        with self.graph.as_default():
            hook = self.optimizer.make_session_run_hook(*arguments)
            self.session = tf.train.MonitoredTrainingSession(
                target, is_chief=self.task == 0, hooks=[hook]
            )

    def run(self):
        self.session.run(self.train)


class WorkerCopiesTest(tf.test.TestCase):
    def workers(self, getter, optimizer, has_arguments=True):
        servers = started_servers(self)
        workers = [Worker(task, getter, optimizer) for task in range(2)]

        def start(worker):
            arguments = [worker.task == 0, worker.task] if has_arguments else []
            worker.start(servers[worker.task].target, *arguments)

        together([lambda: start(workers[0]), lambda: start(workers[1])])
        for worker in workers:
            self.addCleanup(worker.session.close)
        return workers

    def values(self, workers):
        """The copies of both workers, the step, and the variables."""
        copies = [worker.session.run(worker.copies) for worker in workers]
        step, *shared = workers[0].session.run([workers[0].step, *workers[0].shared])
        return [*copies, [step, *shared]]

    def test_the_trained_variables_are_local_and_on_the_worker(self):
        worker = Worker(
            1, opt.AGNCustomGetter, lambda other, task, getter: opt.AGNOptimizer(other, 2, getter)
        )
        with worker.graph.as_default():
            shared = [(v.op.name, v.device[:9]) for v in tf.global_variables()]
            local = [(v.op.name, v.device[:18]) for v in tf.local_variables()]
        names = ["global_step", "global_center_variable/v0", "global_center_variable/v1"]
        self.assertEqual(shared, [(name, "/job:ps/t") for name in names])
        names = ["v0", "grad_variable/v0", "v1", "grad_variable/v1", "local_step"]
        self.assertEqual(local, [(name, "/job:worker/task:1") for name in names])

    def test_accumulated_gradients_are_applied_after_a_period(self):
        workers = self.workers(
            opt.AGNCustomGetter,
            lambda other, task, getter: opt.AGNOptimizer(other, 2, getter, 2),
        )
        expected = [
            [[1, 2], [0, 1], [0, 0, 1]],
            [[1, 2], [2, 4], [0, 0, 1]],
            [[1, 2], [2, 4], [1, 1, 2]],
            [[1, 2], [3, 5], [2, 3, 5]],
            [[2, 3], [3, 5], [2, 3, 5]],
            [[2, 3], [5, 8], [2, 3, 5]],
            [[4, 6], [5, 8], [3, 4, 6]],
        ]
        for number, values in enumerate(expected):
            workers[number % 2].run()
            self.assertEqual(self.values(workers), values)

    def test_copies_and_variables_attract_each_other(self):
        for synchronous in (False, True):

            def make(other, task, getter, synchronous=synchronous):
                return opt.ElasticAverageOptimizer(
                    other, 2, getter, 2, moving_rate=0.5, synchronous=synchronous
                )

            workers = self.workers(opt.ElasticAverageCustomGetter, make)
            expected = [
                [[1, 2], [0, 1], [0, 0, 1]],
                [[1, 2], [2, 4], [0, 0, 1]],
                [[1, 2], [2, 4], [1, 1, 2]],
                [[1, 2], [2.5, 4.5], [2, 2.5, 4.5]],
                [[2, 3], [2.5, 4.5], [2, 2.5, 4.5]],
                [[2, 3], [4.5, 7.5], [2, 2.5, 4.5]],
                [[2.75, 4.25], [4.5, 7.5], [3, 2.75, 4.25]],
            ]
            for number, values in enumerate(expected):
                workers[number % 2].run()
                self.assertEqual(self.values(workers), values)

    def test_copies_become_their_mean(self):
        workers = self.workers(
            opt.ModelAverageCustomGetter,
            lambda other, task, getter: opt.ModelAverageOptimizer(other, 2, task == 0, getter, 2),
            has_arguments=False,
        )
        expected = [
            [[1, 2], [2, 4], [0, 0, 1]],
            [[3, 5], [3, 5], [1, 3, 5]],
            [[4, 6], [5, 8], [1, 3, 5]],
            [[6, 9], [6, 9], [2, 6, 9]],
        ]
        for values in expected:
            together([worker.run for worker in workers])
            self.assertEqual(self.values(workers), values)

    def test_the_swapping_saver_saves_the_variables_in_the_place_of_the_copies(self):
        getter = opt.ElasticAverageCustomGetter("/cpu:0")
        optimizer = tf.train.AdamOptimizer(0.1)
        with tf.variable_scope("", custom_getter=getter):
            v = tf.get_variable("v", initializer=[1.0, 2.0])
        elastic = opt.ElasticAverageOptimizer(optimizer, 1, getter, rho=0.1)
        elastic.apply_gradients(elastic.compute_gradients(tf.reduce_sum(v)))
        # What the other optimizer keeps is this worker's alone, too.
        self.assertEqual([each.op.name for each in tf.global_variables()], [
            "global_center_variable/v",
        ])  # fmt: skip
        self.assertIn("beta1_power", [each.op.name for each in tf.local_variables()])
        saver = elastic.swapping_saver()
        with tempfile.TemporaryDirectory() as folder, self.session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(v.assign([5.0, 6.0]))
            path = saver.save(session, os.path.join(folder, "model"))
            self.assertAllEqual(tf.train.load_variable(path, "v"), [1.0, 2.0])

    def test_what_is_missing_is_an_error(self):
        getter = opt.ModelAverageCustomGetter("/cpu:0")
        average = opt.ModelAverageOptimizer(
            tf.train.GradientDescentOptimizer(0.1), 1, True, getter
        )
        with self.assertRaisesRegex(ValueError, "at least one variable"):
            average.apply_gradients([], tf.train.get_or_create_global_step())
        with self.assertRaisesRegex(ValueError, "Global step"):
            average.apply_gradients([(None, None)])


if __name__ == "__main__":
    unittest.main()
