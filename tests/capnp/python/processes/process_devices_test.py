"""The devices of a process, and what sessions without options do with them: `tf.config`."""

import os
import unittest
from unittest import mock

from nodes import PROGRAMS

# Read when the first session opens: emulated cards.
os.environ["TROUPE_CARD_LIBRARY"] = str(PROGRAMS.parent / "lib/libtroupe_emulated_cuda.so")

import troupe as tf  # noqa: E402
from troupe._src.session import default_config  # noqa: E402


class ProcessDevicesTest(unittest.TestCase):
    def setUp(self):
        replaced = mock.patch.object(default_config, "_shared", tf.ConfigProto())
        replaced.start()
        self.addCleanup(replaced.stop)

    def devices(self, config=None):
        with tf.Session(config=config) as session:
            return [device.name.rpartition("device:")[2] for device in session.list_devices()]

    def test_gpus_are_listed_and_hidden(self):
        gpus = tf.config.experimental.list_physical_devices("GPU")
        self.assertEqual(
            [gpu.name for gpu in gpus], ["/physical_device:GPU:0", "/physical_device:GPU:1"]
        )
        self.assertEqual(len(tf.config.list_physical_devices()), 3)
        tf.config.experimental.set_visible_devices(gpus[1:], "GPU")
        self.assertEqual(tf.config.get_visible_devices("GPU"), gpus[1:])
        self.assertEqual([d.name for d in tf.config.list_logical_devices("GPU")], ["/device:GPU:0"])
        self.assertEqual(self.devices(), ["CPU:0", "GPU:0"])
        self.assertEqual(self.devices(tf.ConfigProto()), ["CPU:0", "GPU:0", "GPU:1"])
        tf.config.set_visible_devices([], "GPU")
        self.assertEqual(tf.config.list_logical_devices("GPU"), [])
        self.assertEqual(self.devices(), ["CPU:0"])

    def test_the_memory_of_gpus_is_limited(self):
        gpu, cpu = tf.config.list_physical_devices("GPU")[0], tf.config.list_physical_devices()[0]
        self.assertFalse(tf.config.experimental.get_memory_growth(gpu))
        tf.config.experimental.set_memory_growth(gpu, True)
        self.assertTrue(tf.config.experimental.get_memory_growth(gpu))
        limit = tf.config.LogicalDeviceConfiguration(memory_limit=64)
        tf.config.set_logical_device_configuration(gpu, [limit])
        with tf.Session() as session:
            limits = [each.memory_limit_bytes for each in session.list_devices()]
        self.assertAlmostEqual(limits[1] / 2**20, 64, delta=0.01)
        for device, limits in ((cpu, [limit]), (gpu, [limit, limit])):
            with self.assertRaisesRegex(ValueError, "one LogicalDeviceConfiguration of a GPU"):
                tf.config.set_logical_device_configuration(device, limits)
        with self.assertRaisesRegex(ValueError, "only the memory of GPUs"):
            tf.config.experimental.set_memory_growth(cpu, True)

    def test_sessions_without_options_have_those_of_the_process(self):
        self.assertFalse(tf.config.get_soft_device_placement())
        tf.config.set_soft_device_placement(True)
        tf.config.threading.set_intra_op_parallelism_threads(1)
        self.assertEqual(tf.config.threading.get_intra_op_parallelism_threads(), 1)
        with tf.device("/gpu:7"):
            three = tf.constant(1.0) + 2.0
        with tf.Session() as session:
            self.assertEqual(session.run(three), 3)
        with tf.Session(config=tf.ConfigProto()) as session, self.assertRaises(tf.errors.OpError):
            session.run(three)


class AutographTest(unittest.TestCase):
    def test_what_is_said_to_autograph_leaves_functions_as_they_are(self):
        @tf.autograph.experimental.do_not_convert
        def twice(x):
            return 2 * x

        self.assertEqual(tf.autograph.experimental.do_not_convert()(twice)(4), 8)
        tf.autograph.set_verbosity(0)


if __name__ == "__main__":
    unittest.main()
