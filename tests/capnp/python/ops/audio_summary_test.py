"""Summaries of sounds."""

import io
import unittest
import wave

import numpy as np

import troupe as tf


class AudioSummaryTest(tf.test.TestCase):
    def test_sounds_are_files_of_samples(self):
        values = np.array([[[0.5, -0.5], [1.0, -2.0], [0.0, 0.25]]] * 2, np.float32)
        summary = tf.summary.audio("voice", values, 8000, max_outputs=1, family="all")
        self.assertEqual(tf.get_collection(tf.GraphKeys.SUMMARIES), [summary])
        with tf.Session() as session:
            (found,) = tf.Summary.FromString(session.run(summary)).value
        self.assertEqual(found.tag, "all/all/voice/audio")
        sound = found.audio
        self.assertEqual((sound.sample_rate, sound.num_channels, sound.length_frames), (8000, 2, 3))
        self.assertEqual(sound.content_type, "audio/wav")
        with wave.open(io.BytesIO(sound.encoded_audio_string)) as file:
            self.assertEqual(file.getparams()[:4], (2, 2, 8000, 3))
            samples = np.frombuffer(file.readframes(3), "<i2")
        self.assertAllEqual(samples, [16384, -16384, 32767, -32768, 0, 8192])

    def test_a_batch_without_channels_has_one(self):
        summary = tf.summary.audio("x", tf.zeros([2, 4]), tf.placeholder_with_default(16000.0, []))
        with tf.Session() as session:
            found = tf.Summary.FromString(session.run(summary)).value
        self.assertEqual([each.tag for each in found], ["x/audio/0", "x/audio/1"])
        self.assertEqual(found[0].audio.num_channels, 1)


if __name__ == "__main__":
    unittest.main()
