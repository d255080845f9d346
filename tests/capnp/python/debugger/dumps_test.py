"""Files of the tensors of steps, and what is read of them."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf
import troupe.debug
import troupe.sim


def runs_in(root):
    """The folders of the runs, the first one first."""
    folders = sorted(os.listdir(root), key=lambda name: int(name.rpartition("_")[2]))
    return [troupe.debug.DebugDumpDir(os.path.join(root, folder)) for folder in folders]


class DumpsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.x = tf.placeholder(tf.float32, [None], name="x")
        with tf.name_scope("scope"):
            self.log = tf.log(self.x, name="log")
        self.text = tf.as_string(self.log, name="text")

    def dumped(self, feeds, **options):
        """The runs of a session that is fed each of some values."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = os.path.join(folder.name, "root")
        with tf.Session() as plain:
            session = troupe.debug.DumpingDebugWrapperSession(plain, root, **options)
            for value in feeds:
                session.run([self.text], {self.x: value})
        return runs_in(root)

    def test_each_run_has_its_tensors(self):
        first, second = self.dumped([[1.0], [0.0, 2.0]])
        keys = [datum.watch_key for datum in first.dumped_tensor_data]
        self.assertEqual(keys, ["scope/log:0:DebugIdentity", "text:0:DebugIdentity"])
        (log,) = second.get_tensors("scope/log", 0, "DebugIdentity")
        self.assertAllClose(log, [-np.inf, np.log(2)])
        (text,) = second.get_tensors("text", 0, "DebugIdentity")
        self.assertAllEqual(text, [b"-inf", b"0.693147"])
        self.assertEqual(second.run_fetches_info, repr([self.text]))
        self.assertEqual(second.run_feed_keys_info, repr([self.x]))
        self.assertEqual(second.devices(), ["/job:localhost/replica:0/task:0/device:CPU:0"])
        self.assertEqual(first.t0, first.dumped_tensor_data[0].timestamp)

    def test_a_filter_finds_tensors_with_infinite_elements(self):
        first, second = self.dumped([[1.0], [0.0]])
        self.assertEqual(first.find(troupe.debug.has_inf_or_nan), [])
        (datum,) = second.find(troupe.debug.has_inf_or_nan)
        self.assertEqual(datum.tensor_name, "scope/log:0")
        excluded = second.find(troupe.debug.has_inf_or_nan, exclude_node_names="scope/")
        self.assertEqual(excluded, [])
        self.assertEqual(len(second.find(lambda *_: True, first_n=1)), 1)

    def test_the_graph_tells_of_nodes_once_it_is_known(self):
        (run,) = self.dumped([[1.0]])
        with self.assertRaisesRegex(LookupError, "set_python_graph"):
            run.node_exists("x")
        run.set_python_graph(tf.get_default_graph())
        self.assertTrue(run.node_exists("scope/log"))
        self.assertEqual(run.node_inputs("text"), ["scope/log"])
        self.assertEqual(run.node_recipients("x"), ["scope/log"])
        self.assertEqual(run.node_op_type("scope/log"), "Log")
        self.assertEqual(run.node_traceback("text:0")[-1].filename, __file__)
        with self.assertRaisesRegex(ValueError, '"missing"'):
            run.node_inputs("missing")
        with self.assertRaisesRegex(ValueError, "missing:0:DebugIdentity"):
            run.get_tensors("missing", 0, "DebugIdentity")

    def test_a_function_says_which_tensors_are_written(self):
        (run,) = self.dumped(
            [[1.0]],
            watch_fn=lambda fetches, feeds: troupe.debug.WatchOptions(
                node_name_regex_whitelist="scope"
            ),
        )
        self.assertEqual(run.size, 1)
        (run,) = self.dumped([[1.0]], watch_fn=lambda *_: ("DebugIdentity", "te.t", r".*"))
        self.assertEqual([datum.node_name for datum in run.dumped_tensor_data], ["text"])
        self.assertEqual(self.dumped([[1.0]], thread_name_filter="another"), [])

    def test_a_folder_with_files_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
            path = os.path.join(folder, "file")
            with open(path, "w"):
                pass
            for root, message in ((folder, "non-empty directory"), (path, "points to a file")):
                with self.assertRaisesRegex(ValueError, message):
                    troupe.debug.DumpingDebugWrapperSession(session, root)
        with self.assertRaisesRegex(IOError, "does not exist"):
            troupe.debug.DebugDumpDir(folder)

    def test_a_hook_writes_the_steps_of_a_training(self):
        w = tf.get_variable("w", initializer=0.0)
        step = tf.train.get_or_create_global_step()
        square = tf.square(w - 3, name="square")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(square, global_step=step)
        with tempfile.TemporaryDirectory() as root:
            hooks = [troupe.debug.DumpingDebugHook(root), tf.train.StopAtStepHook(3)]
            with tf.train.MonitoredSession(hooks=hooks) as session:
                while not session.should_stop():
                    session.run([train, square])
            runs = runs_in(root)
            self.assertEqual(len(runs), 3)
            squares = [run.get_tensors("square", 0, "DebugIdentity")[0] for run in runs]
            self.assertAllClose(squares, [9.0, 5.76, 3.6864])

    def test_tensors_of_other_tasks_are_written_here(self):
        with tf.device("/job:worker/task:1"):
            far = tf.square(self.log, name="far")
        with tempfile.TemporaryDirectory() as root:
            with troupe.sim.Cluster({"worker": 2}) as cluster:
                with tf.Session(cluster.target("worker", 0)) as plain:
                    session = troupe.debug.DumpingDebugWrapperSession(plain, root)
                    session.run(far, {self.x: [np.e]})
            (run,) = runs_in(root)
            (datum,) = run.watch_key_to_data("far:0:DebugIdentity")
            self.assertEqual(datum.device_name, "/job:worker/task:1")
            self.assertAllClose(datum.get_tensor(), [1.0])


if __name__ == "__main__":
    unittest.main()
