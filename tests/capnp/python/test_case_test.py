"""What tests of programs inherit."""

import os
import subprocess
import sys
import unittest

import troupe as tf


class TestCaseTest(tf.test.TestCase):
    def test_a_cached_session_stays_open_until_the_test_ends(self):
        v = tf.get_variable("v", initializer=1.0)
        with self.cached_session() as session:
            session.run(v.initializer)
            self.assertIs(tf.get_default_session(), session)
        self.assertIsNone(tf.get_default_session())
        with self.cached_session() as again:
            self.assertIs(again, session)
            self.assertEqual(again.run(v.assign_add(1.0)), 2.0)
        self.assertEqual(session.run(v), 2.0)

    def test_a_cached_session_has_one_graph_and_one_configuration(self):
        with self.cached_session():
            pass
        with self.assertRaisesRegex(ValueError, "The graph used to get the cached session"):
            with self.cached_session(graph=tf.Graph()):
                pass
        with self.assertRaisesRegex(ValueError, "The config used to get the cached session"):
            with self.cached_session(config=tf.ConfigProto(allow_soft_placement=True)):
                pass

    def test_a_session_is_closed_at_the_end_of_its_context(self):
        with self.session() as session:
            pass
        with self.assertRaisesRegex(RuntimeError, "closed"):
            session.run(tf.constant(1))

    def test_the_session_of_a_test_is_one_that_stays_open_unless_it_has_a_graph(self):
        v = tf.get_variable("v", initializer=1.0)
        with self.test_session() as session:
            session.run(v.initializer)
        with self.test_session(config=tf.ConfigProto(), use_gpu=True) as again:
            self.assertIs(again, session)
            self.assertEqual(again.run(v), 1.0)
        with self.test_session(graph=tf.Graph()) as other:
            self.assertIsNot(other, session)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            other.run([])
        self.assertEqual(session.run(v), 1.0)

    def test_the_folder_of_a_test_outlives_it_in_the_folder_of_the_process(self):
        class Inner(tf.test.TestCase):
            def tearDown(self):
                super().tearDown()
                folders.append(self.get_temp_dir())

            def test(self):
                folders.append(self.get_temp_dir())

        folders = []
        for _ in range(2):
            self.assertTrue(Inner("test").run().wasSuccessful())
        first, again, second, _ = folders
        self.assertEqual(first, again)
        self.assertNotEqual(first, second)
        for folder in (first, second):
            self.assertTrue(os.path.isdir(folder))
            self.assertEqual(os.path.dirname(folder), tf.test.get_temp_dir())

    def test_the_errors_of_threads_fail_a_test_which_must_join_them(self):
        class Inner(tf.test.TestCase):
            def joined(self):
                thread = self.checkedThread(found.append, args=(1,))
                thread.start()
                thread.join()
                self.assertFalse(thread.is_alive())

            def failed(self):
                thread = self.checkedThread(target=lambda a: 1 / a, kwargs={"a": 0})
                thread.start()
                thread.join()

            def left(self):
                self.checkedThread(lambda: None).start()

        found = []
        self.assertTrue(Inner("joined").run().wasSuccessful())
        self.assertEqual(found, [1])
        for name, message in (("failed", "division by zero"), ("left", "was not joined")):
            ((_, text),) = Inner(name).run().failures
            self.assertIn(message, text)

    def test_nodes_may_run_elsewhere_than_on_a_device_that_is_not_there(self):
        with tf.device("/device:GPU:99"):
            one = tf.constant(1) + 1
        for open_session in (self.session, self.cached_session):
            with open_session() as session:
                self.assertEqual(session.run(one), 2)
        for options in ({"force_gpu": True}, {"config": tf.ConfigProto()}):
            with self.session(**options) as session:
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "no device fits"):
                    session.run(one)

    def test_devices_are_the_same_however_their_names_are_written(self):
        self.assertDeviceEqual("gpu:1", "/device:GPU:1")
        self.assertDeviceEqual("/job:ps/task:0/cpu:0", "/job:ps/task:0/device:CPU:0")
        self.assertDeviceEqual(None, "")
        with tf.device("/cpu:0"):
            self.assertDeviceEqual(tf.constant(1).device, "CPU:0")
        with self.assertRaises(AssertionError):
            self.assertDeviceEqual("gpu:1", "/device:GPU:0")

    def test_the_tests_of_a_program_see_the_values_of_its_flags(self):
        program = """
from absl import flags
import troupe as tf

flags.DEFINE_integer("theirs", 1, "")
tf.flags.DEFINE_integer("count", 1, "")

class Test(tf.test.TestCase):
    def test_of_flags(self):
        self.assertEqual((tf.flags.FLAGS.count, flags.FLAGS.theirs), (3, 4))
        self.assertEqual(tf.flags.FLAGS.test_tmpdir, "folder")
        self.assertEqual(tf.flags.FLAGS.test_srcdir, "")

tf.test.main()
"""
        options = ["--count=3", "--theirs=4", "--test_tmpdir=folder", "Test.test_of_flags"]
        ran = subprocess.run(
            [sys.executable, "-c", program, *options], capture_output=True, text=True, check=False
        )
        self.assertIn("Ran 1 test", ran.stderr)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_test_has_an_empty_graph_though_it_is_set_up_within_another_one(self):
        outer = tf.Graph()
        with outer.as_default(), tf.Session() as session:
            tf.constant(1)
            self.setUp()
            self.assertIsNot(tf.get_default_graph(), outer)
            self.assertEqual(tf.get_default_graph().get_operations(), [])
            self.assertIs(tf.get_default_session(), session)
        self.assertIsNone(tf.get_default_session())
        with self.assertRaisesRegex(AssertionError, "nested graphs"), outer.as_default():
            tf.reset_default_graph()


if __name__ == "__main__":
    unittest.main()
