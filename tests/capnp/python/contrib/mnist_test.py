"""Files of MNIST, and what programs import under TensorFlow's name."""

import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from troupe.examples.tutorials.mnist import input_data

IMAGES = np.arange(6 * 4, dtype=np.uint8).reshape(6, 2, 2)
LABELS = np.array([3, 1, 4, 1, 5, 9], np.uint8)

PROGRAM = """
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.framework import arg_scope
from tensorflow.contrib.layers import fully_connected
from tensorflow.contrib.training import HParams
from tensorflow.examples.tutorials.mnist import input_data
with arg_scope([fully_connected], activation_fn=None):
    slim.fully_connected(tf.ones([2, 3]), HParams(units=4).units)
print(slim.get_model_variables()[0].name, input_data.read_data_sets.__name__)
"""


def write(folder, name, values, compressed):
    magic = 2051 if values.ndim == 3 else 2049
    content = np.array([magic, *values.shape], ">u4").tobytes() + values.tobytes()
    path = pathlib.Path(folder, name + (".gz" if compressed else ""))
    path.write_bytes(gzip.compress(content) if compressed else content)
    return path


class MnistTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write_all(self, compressed=True):
        write(self.folder, "train-images-idx3-ubyte", IMAGES, compressed)
        write(self.folder, "train-labels-idx1-ubyte", LABELS, compressed)
        write(self.folder, "t10k-images-idx3-ubyte", IMAGES[:2], compressed)
        write(self.folder, "t10k-labels-idx1-ubyte", LABELS[:2], compressed)

    def test_sets_are_those_of_the_files(self):
        for compressed in (False, True):
            self.write_all(compressed)
            sets = input_data.read_data_sets(self.folder, validation_size=2)
            np.testing.assert_allclose(sets.train.images, IMAGES[2:].reshape(4, 4) / 255, rtol=1e-6)
            np.testing.assert_array_equal(sets.train.labels, LABELS[2:])
            np.testing.assert_array_equal(sets.validation.labels, LABELS[:2])
            self.assertEqual((sets.test.num_examples, sets.train.images.dtype), (2, np.float32))

    def test_options_say_how_images_and_labels_are(self):
        self.write_all()
        sets = input_data.read_data_sets(
            self.folder, one_hot=True, dtype=np.uint8, reshape=False, validation_size=0
        )
        np.testing.assert_array_equal(sets.train.images, IMAGES[..., np.newaxis])
        np.testing.assert_array_equal(sets.train.labels, np.eye(10)[LABELS])

    def test_each_epoch_has_all_images_once(self):
        self.write_all()
        train = input_data.read_data_sets(self.folder, validation_size=0, seed=1).train
        batches = [train.next_batch(4) for _ in range(3)]
        firsts = np.concatenate([np.round(images[:, 0] * 255) for images, _ in batches])
        wanted = sorted(IMAGES[:, 0, 0])
        self.assertEqual(sorted(firsts[:6]), wanted)
        self.assertEqual(sorted(firsts[6:]), wanted)
        self.assertEqual(train.epochs_completed, 1)
        labels = np.concatenate([labels for _, labels in batches])
        np.testing.assert_array_equal(labels, LABELS[firsts.astype(int) // 4])

    def test_images_are_shuffled_unless_they_are_not_to_be(self):
        self.write_all()
        in_order, shuffled = (
            input_data.read_data_sets(self.folder, validation_size=0, seed=1).train
            for _ in range(2)
        )
        for _ in range(2):
            np.testing.assert_array_equal(in_order.next_batch(6, shuffle=False)[1], LABELS)
            self.assertNotEqual(shuffled.next_batch(6)[1].tolist(), LABELS.tolist())

    def test_missing_files_are_named_and_not_downloaded(self):
        with self.assertRaisesRegex(
            FileNotFoundError, "train-images.*put the four.*not downloaded"
        ):
            input_data.read_data_sets(self.folder)

    def test_broken_files_are_errors(self):
        self.write_all()
        with self.assertRaisesRegex(ValueError, "Validation size should be between 0 and 6"):
            input_data.read_data_sets(self.folder)
        path = write(self.folder, "t10k-labels-idx1-ubyte", IMAGES, True)
        with self.assertRaisesRegex(ValueError, "Invalid magic number 2051 in MNIST label file"):
            input_data.read_data_sets(self.folder, validation_size=0)
        path.unlink()
        content = np.array([2049, 3], ">u4").tobytes() + b"\1"
        pathlib.Path(self.folder, "t10k-labels-idx1-ubyte").write_bytes(content)
        with self.assertRaisesRegex(ValueError, r"has 1 values, not those of shape \[3\]"):
            input_data.read_data_sets(self.folder, validation_size=0)

    def test_fake_sets_need_no_files(self):
        train = input_data.read_data_sets("", fake_data=True, one_hot=True).train
        images, labels = train.next_batch(2, fake_data=True)
        self.assertEqual((len(images), labels), (2, [[1] + [0] * 9] * 2))

    def test_programs_import_the_modules_of_tensorflow(self):
        path = pathlib.Path(self.folder, "program.py")
        path.write_text(PROGRAM)
        command = [sys.executable, "-m", "troupe", str(path)]
        output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(output.stdout, "fully_connected/weights:0 read_data_sets\n", output.stderr)


if __name__ == "__main__":
    unittest.main()
