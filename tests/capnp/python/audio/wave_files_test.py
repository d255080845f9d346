"""Sounds in WAV files, their spectrograms and cepstral coefficients, against NumPy."""

import io
import unittest
import wave

import numpy as np

import troupe as tf
from troupe.python.ops import gen_audio_ops

# Found because the line above was there, as in programs that import tensorflow.
from troupe.contrib.framework.python.ops import audio_ops  # isort: skip

random = np.random.RandomState(2)


def file_of(samples, rate=16000):
    """A WAV file of int16 samples [samples, channels], by Python's library."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


def spectrogram_of(audio, window, stride):
    """The squared magnitudes [channels, windows, frequencies] of audio [samples, channels]."""
    weights = np.hanning(window + 1)[:-1]
    begins = range(0, len(audio) - window + 1, stride)
    frames = np.array([audio[begin : begin + window].T * weights for begin in begins])
    size = 1 << (window - 1).bit_length()
    return np.abs(np.fft.rfft(frames, size)).transpose(1, 0, 2) ** 2


class WaveFilesTest(tf.test.TestCase):
    def test_a_file_is_read(self):
        samples = random.randint(-(2**15), 2**15, size=[7, 2])
        sound = tf.audio.decode_wav(file_of(samples, 44100))
        self.assertEqual(sound.audio.shape.as_list(), [None, None])
        with self.session() as session:
            audio, rate = session.run(sound)
        self.assertAllEqual(audio, samples / 32768)
        self.assertEqual(rate, 44100)

    def test_a_file_is_read_with_as_many_channels_and_samples_as_asked_for(self):
        samples = random.randint(-(2**15), 2**15, size=[5, 2])
        decoded = audio_ops.decode_wav(file_of(samples), 3, 6, name="sound")
        self.assertEqual(decoded.audio.name, "sound:0")
        self.assertEqual(decoded.audio.shape.as_list(), [6, 3])
        expected = np.pad(samples[:, [0, 1, 1]], [[0, 1], [0, 0]]) / 32768
        self.assertAllEqual(self.evaluate(decoded.audio), expected)
        one = gen_audio_ops.decode_wav(file_of(samples), desired_channels=1)
        self.assertAllEqual(self.evaluate(one.audio), samples[:, :1] / 32768)

    def test_a_file_is_written(self):
        audio = [[0.0, 0.5], [-2.0, 2.0], [0.25, -0.25]]
        contents = self.evaluate(tf.audio.encode_wav(audio, 8000))
        with wave.open(io.BytesIO(contents)) as file:
            self.assertEqual(file.getparams()[:4], (2, 2, 8000, 3))
            samples = np.frombuffer(file.readframes(3), "<i2")
        self.assertAllEqual(samples, [0, 16384, -32768, 32767, 8192, -8192])
        self.assertEqual(contents, self.evaluate(audio_ops.encode_wav(audio, 8000)))

    def test_what_is_no_such_file_is_an_error(self):
        with self.session() as session:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Header mismatch"):
                session.run(tf.audio.decode_wav(b"RIFF\0\0\0\0AVI "))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "sample_rate must be"):
                session.run(tf.audio.encode_wav([[0.5]], 0))
        with self.assertRaisesRegex(ValueError, "channels must be non-negative"):
            tf.audio.decode_wav(b"", desired_channels=-2)


class SpectraTest(tf.test.TestCase):
    def test_a_spectrogram_has_the_frequencies_of_each_window(self):
        audio = random.uniform(-1, 1, [100, 2]).astype(np.float32)
        for window, stride in [(16, 5), (20, 20)]:
            squares = audio_ops.audio_spectrogram(audio, window, stride, magnitude_squared=True)
            expected = spectrogram_of(audio, window, stride)
            self.assertEqual(squares.shape.as_list(), list(expected.shape))
            self.assertAllClose(self.evaluate(squares), expected, rtol=1e-5, atol=1e-5)
            magnitudes = audio_ops.audio_spectrogram(audio, window_size=window, stride=stride)
            self.assertAllClose(self.evaluate(magnitudes), np.sqrt(expected), atol=1e-5)

    def test_coefficients_are_of_the_logarithms_of_filters(self):
        """A filter bank as TensorFlow's documentation of linear_to_mel_weight_matrix has it is the
        same but for its first frequencies, which here begin one later."""
        squares = random.uniform(0, 9, [1, 3, 129]).astype(np.float32)
        found = audio_ops.mfcc(
            squares, 16000, 8000.0, 0.0, filterbank_channel_count=20, dct_coefficient_count=20
        )
        self.assertEqual(found.shape.as_list(), [1, 3, 20])
        bank = tf.signal.linear_to_mel_weight_matrix(20, 129, 16000, 0.0, 8000.0, tf.float64)
        passed = np.sqrt(squares.astype(np.float64)) @ self.evaluate(bank)
        angles = np.pi / 20 * np.arange(20)[:, None] * (np.arange(20)[None, :] + 0.5)
        expected = np.log(passed) @ (np.sqrt(2 / 20) * np.cos(angles)).T
        self.assertAllClose(self.evaluate(found), expected, atol=1e-4)

    def test_functions_have_the_arguments_of_generated_ones(self):
        squares = tf.ones([1, 2, 65])
        first = gen_audio_ops.mfcc(squares, 8000, dct_coefficient_count=4)
        second = tf.raw_ops.Mfcc(spectrogram=squares, sample_rate=8000, dct_coefficient_count=4)
        self.assertAllEqual(*self.evaluate([first, second]))
        with self.assertRaisesRegex(AttributeError, "audio_spectrogram"):
            tf.audio.audio_spectrogram  # noqa: B018


if __name__ == "__main__":
    unittest.main()
