"""A program that learns words, in the way of TensorFlow's example: from WAV files to their cepstral
coefficients in one graph, and a small convolutional network on those in another."""

import pathlib
import tempfile
import unittest
import wave

import numpy as np

import troupe as tf
from troupe.python.ops import io_ops

# Found because the line above was there, as in programs that import tensorflow.
from troupe.contrib.framework.python.ops import audio_ops as contrib_audio  # isort: skip

RATE, SAMPLES = 8000, 1600
WINDOW, STRIDE, COEFFICIENTS = 240, 80, 10
WINDOWS = 1 + (SAMPLES - WINDOW) // STRIDE
WORDS = {"low": 300, "high": 1500}  # their frequencies


def write_words(folder, count):
    """Files of tones with noise: [(path, label)]."""
    random = np.random.RandomState(1)
    found = []
    for label, frequency in enumerate(WORDS.values()):
        for index in range(count):
            times = np.arange(SAMPLES - 100 * index) / RATE
            tone = 0.4 * np.sin(2 * np.pi * frequency * random.uniform(0.9, 1.1) * times)
            tone += random.uniform(-0.1, 0.1, tone.shape)
            path = folder / f"{label}_{index}.wav"
            with wave.open(str(path), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(RATE)
                file.writeframes((tone * 32767).astype("<i2").tobytes())
            found.append((path, label))
    return found


class AudioProcessor:
    """The graph that turns a file into a picture of its sound."""

    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.path = tf.placeholder(tf.string, [], name="wav_filename")
            self.volume = tf.placeholder(tf.float32, [], name="foreground_volume")
            decoder = contrib_audio.decode_wav(
                io_ops.read_file(self.path), desired_channels=1, desired_samples=SAMPLES
            )
            clamped = tf.clip_by_value(tf.multiply(decoder.audio, self.volume), -1.0, 1.0)
            spectrogram = contrib_audio.audio_spectrogram(
                clamped, window_size=WINDOW, stride=STRIDE, magnitude_squared=True
            )
            self.fingerprint = contrib_audio.mfcc(
                spectrogram, decoder.sample_rate, dct_coefficient_count=COEFFICIENTS
            )

    def fingerprints(self, files):
        with tf.Session(graph=self.graph) as session:
            return np.concatenate(
                [
                    session.run(self.fingerprint, {self.path: str(path), self.volume: 0.8})
                    for path, _ in files
                ]
            )


def network(fingerprints):
    """A convolution, a pool and a layer whose weights are rounded to 8 bits."""
    images = tf.expand_dims(fingerprints, -1)
    features = tf.layers.conv2d(images, 4, [5, 3], padding="same", activation=tf.nn.relu)
    features = tf.layers.flatten(tf.layers.max_pooling2d(features, 2, 2))
    weights = tf.get_variable("weights", [features.shape[1], len(WORDS)])
    limit = tf.reduce_max(tf.abs(weights))
    rounded = tf.quantization.fake_quant_with_min_max_vars(weights, -limit, limit)
    return tf.matmul(features, rounded)


class SpeechCommandsTest(tf.test.TestCase):
    def test_words_in_files_are_learned(self):
        with tempfile.TemporaryDirectory() as folder:
            files = write_words(pathlib.Path(folder), 6)
            processor = AudioProcessor()
            self.assertEqual(
                processor.fingerprint.shape.as_list(), [1, WINDOWS, COEFFICIENTS]
            )
            fingerprints = processor.fingerprints(files)
        labels = [label for _, label in files]
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            given = tf.placeholder(tf.float32, [None, WINDOWS, COEFFICIENTS])
            logits = network(given)
            loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
            step = tf.train.AdamOptimizer(0.01).minimize(loss)
            right = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), labels)))
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                before = session.run(loss, {given: fingerprints})
                for _ in range(20):
                    session.run(step, {given: fingerprints})
                after, accuracy = session.run([loss, right], {given: fingerprints})
        self.assertLess(after, before / 4)
        self.assertEqual(accuracy, 1.0)


if __name__ == "__main__":
    unittest.main()
