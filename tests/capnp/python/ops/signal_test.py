"""Spectra, frames and windows, against NumPy's transforms and sums that are written out."""

import unittest

import numpy as np

import troupe as tf

random = np.random.RandomState(5)


def cosine_matrix(kind, size):
    """The unnormalized cosine transform of a type, as a matrix [samples, results]."""
    i, k = np.arange(size)[:, None], np.arange(size)[None, :]
    if kind == 1:
        matrix = 2 * np.cos(np.pi * i * k / (size - 1))
        matrix[[0, -1]] /= 2
        return matrix
    if kind == 2:
        return 2 * np.cos(np.pi * k * (2 * i + 1) / (2 * size))
    matrix = 2 * np.cos(np.pi * i * (2 * k + 1) / (2 * size))
    matrix[0] /= 2
    return matrix


def ortho_matrix(kind, size):
    matrix = cosine_matrix(2, size) * np.sqrt(1 / (2 * size))
    matrix[:, 0] /= np.sqrt(2)
    return matrix if kind == 2 else matrix.T


def frames_of(signal, length, step):
    """The whole frames of a signal of rank 1."""
    begins = range(0, len(signal) - length + 1, step)
    return np.array([signal[begin : begin + length] for begin in begins])


class SignalTest(tf.test.TestCase):
    def gradient_error(self, x, y):
        with self.cached_session():
            return tf.test.compute_gradient_error(x, x.shape.as_list(), y, y.shape.as_list())


class FourierTest(SignalTest):
    transforms = [
        (1, tf.signal.rfft, tf.signal.irfft),
        (2, tf.signal.rfft2d, tf.signal.irfft2d),
        (3, tf.signal.rfft3d, tf.signal.irfft3d),
    ]

    def test_complex_transforms_are_those_of_numpy(self):
        x = (random.randn(2, 3, 4, 5) + 1j * random.randn(2, 3, 4, 5)).astype(np.complex64)
        for axes, name in ((1, "fft"), (2, "fft2d"), (3, "fft3d")):
            along = tuple(range(-axes, 0))
            found = self.evaluate([getattr(tf.signal, name)(x), getattr(tf.signal, "i" + name)(x)])
            self.assertAllClose(found[0], np.fft.fftn(x, axes=along), atol=1e-4)
            self.assertAllClose(found[1], np.fft.ifftn(x, axes=along), atol=1e-4)

    def test_real_transforms_and_their_inverses_are_those_of_numpy(self):
        x = random.randn(2, 4, 6, 8).astype(np.float32)
        for axes, transform, inverse in self.transforms:
            along = tuple(range(-axes, 0))
            wanted = np.fft.rfftn(x, axes=along)
            found = transform(x)
            self.assertEqual(found.shape, wanted.shape)
            self.assertAllClose(self.evaluate(found), wanted, atol=1e-4)
            self.assertAllClose(self.evaluate(inverse(found)), x, atol=1e-4)

    def test_lengths_cut_or_fill_also_where_shapes_are_known_in_a_step_only(self):
        x = random.randn(3, 6, 6, 6).astype(np.float32)
        given = tf.placeholder(tf.float32)
        for axes, transform, inverse in self.transforms:
            for lengths in ([4, 4, 4], [9, 8, 7], [4, 6, 9]):
                sizes, along = lengths[-axes:], tuple(range(-axes, 0))
                wanted = np.fft.rfftn(x, sizes, along)
                found = transform(given, tf.placeholder_with_default(sizes, [axes]))
                # A spectrum that is shorter than the result needs it is filled with zeros.
                back = inverse(transform(given), sizes)
                with self.subTest(axes=axes, lengths=lengths), self.session() as session:
                    self.assertAllClose(self.evaluate(transform(x, sizes)), wanted, atol=1e-4)
                    self.assertAllClose(session.run(found, {given: x}), wanted, atol=1e-4)
                    whole = np.fft.irfftn(np.fft.rfftn(x, axes=along), sizes, along)
                    self.assertAllClose(session.run(back, {given: x}), whole, atol=1e-4)

    def test_real_transforms_have_gradients(self):
        for axes, transform, inverse in self.transforms:
            x = tf.constant(random.randn(*[2, 3, 4, 5][-axes:]).astype(np.float32))
            for lengths in (None, [3, 4, 6][-axes:]):
                with self.subTest(axes=axes, lengths=lengths):
                    spectrum = transform(x, lengths)
                    parts = tf.stack([tf.real(spectrum), tf.imag(spectrum)])
                    self.assertLess(self.gradient_error(x, parts), 0.01)
                    self.assertLess(self.gradient_error(x, inverse(spectrum)), 0.01)

    def test_too_few_axes_are_refused(self):
        for axes, transform, inverse in self.transforms:
            for function in (transform, inverse):
                with self.assertRaisesRegex(ValueError, f"at least {axes}"):
                    function(np.zeros([2] * (axes - 1)))

    def test_shifts_move_the_frequency_0_and_back(self):
        x, fed = random.randn(4, 5), tf.placeholder(tf.float64)
        for axes in (None, 0, (0, 1), [-1]):
            for given in (x, tf.placeholder_with_default(x, [None, 5]), fed):
                shifted = [tf.signal.fftshift(given, axes), tf.signal.ifftshift(given, axes)]
                with self.session() as session:
                    found = session.run(shifted, {fed: x})
                self.assertAllEqual(found[0], np.fft.fftshift(x, axes))
                self.assertAllEqual(found[1], np.fft.ifftshift(x, axes))
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.evaluate(tf.signal.fftshift(x, 2))

    def test_older_names_have_the_same_functions(self):
        self.assertIs(tf.spectral.rfft2d, tf.signal.rfft2d)
        self.assertIs(tf.spectral.ifft3d, tf.signal.ifft3d)
        self.assertIs(tf.contrib.signal.frames, tf.signal.frame)


class CosineTest(SignalTest):
    def test_transforms_are_the_sums_of_their_definitions(self):
        x = random.randn(2, 3, 7).astype(np.float32)
        for kind in (1, 2, 3):
            found = self.evaluate([tf.signal.dct(x, kind), tf.signal.idct(x, kind)])
            self.assertAllClose(found[0], x @ cosine_matrix(kind, 7), atol=1e-4)
            inverse = {1: 1, 2: 3, 3: 2}[kind]
            self.assertAllClose(found[1], x @ cosine_matrix(inverse, 7), atol=1e-4)

    def test_orthogonal_transforms_are_undone_by_their_inverses(self):
        x = random.randn(3, 6).astype(np.float32)
        for kind in (2, 3):
            there = tf.signal.dct(x, kind, norm="ortho")
            back = tf.signal.idct(there, kind, norm="ortho")
            self.assertAllClose(self.evaluate(there), x @ ortho_matrix(kind, 6), atol=1e-5)
            self.assertAllClose(self.evaluate(back), x, atol=1e-5)

    def test_samples_are_left_out_or_filled_up_to_n(self):
        x = random.randn(2, 5).astype(np.float32)
        given = tf.placeholder(tf.float32, [None, None])
        for n in (3, 8):
            filled = np.pad(x, [[0, 0], [0, 3]])[:, :n]
            for kind in (1, 2, 3):
                wanted = filled @ cosine_matrix(kind, n)
                self.assertAllClose(self.evaluate(tf.signal.dct(x, kind, n)), wanted, atol=1e-4)
                found = tf.signal.dct(given, kind, n)
                with self.session() as session:
                    self.assertAllClose(session.run(found, {given: x}), wanted, atol=1e-4)

    def test_lengths_that_only_a_step_knows_are_transformed(self):
        given = tf.placeholder(tf.float32)
        x = random.randn(2, 5).astype(np.float32)
        with self.session() as session:
            for kind in (2, 3):
                found = tf.signal.dct(given, kind, norm="ortho")
                wanted = x @ ortho_matrix(kind, 5)
                self.assertAllClose(session.run(found, {given: x}), wanted, atol=1e-5)

    def test_transforms_have_gradients(self):
        x = tf.constant(random.randn(2, 5).astype(np.float32))
        for kind in (1, 2, 3):
            self.assertLess(self.gradient_error(x, tf.signal.dct(x, kind)), 0.01)

    def test_arguments_that_do_not_go_together_are_refused(self):
        x = [1.0, 2.0]
        with self.assertRaisesRegex(NotImplementedError, "axis"):
            tf.signal.dct(x, axis=0)
        for arguments, words in (
            ({"type": 4}, "types 1, 2 and 3"), ({"n": 0}, "positive"), ({"norm": "l2"}, "'ortho'"),
            ({"type": 1, "norm": "ortho"}, "no norm"), ({"type": 1, "n": 1}, "2 samples"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, words):
                tf.signal.dct(x, **arguments)
        with self.assertRaisesRegex(ValueError, "types 1, 2 and 3"):
            tf.signal.idct(x, 5)


class WindowsTest(SignalTest):
    def test_windows_are_raised_cosines_whose_period_is_known(self):
        for function, mean in ((tf.signal.hann_window, 0.5), (tf.signal.hamming_window, 0.54)):
            # The period of an odd window is the length - 1 in both cases, as in TensorFlow.
            for length, periodic, period in (
                (8, True, 8), (8, False, 7), (9, True, 8), (9, False, 8), (2, True, 2),
            ):  # fmt: skip
                angles = 2 * np.pi * np.arange(length) / period
                wanted = mean - (1 - mean) * np.cos(angles)
                found = function(length, periodic)
                self.assertEqual(found.shape, [length])
                self.assertAllClose(self.evaluate(found), wanted, atol=1e-6)

    def test_a_single_sample_has_the_weight_1(self):
        length = tf.placeholder(tf.int32, [])
        with self.session() as session:
            for function in (tf.signal.hann_window, tf.signal.hamming_window):
                self.assertAllEqual(self.evaluate(function(1, dtype=tf.float64)), [1.0])
                self.assertAllEqual(session.run(function(length), {length: 1}), [1.0])

    def test_integral_dtypes_and_lengths_that_are_no_scalars_are_refused(self):
        with self.assertRaisesRegex(ValueError, "floating"):
            tf.signal.hann_window(4, dtype=tf.int32)
        with self.assertRaises(ValueError):
            tf.signal.hamming_window([4])


class FramesTest(SignalTest):
    def test_frames_are_parts_of_the_signal(self):
        x = np.arange(11)
        for length, step in ((4, 2), (3, 2), (4, 4), (2, 5), (1, 1), (12, 3)):
            found = tf.signal.frame(x, length, step)
            wanted = frames_of(x, length, step).reshape(-1, length)
            self.assertEqual(found.shape, wanted.shape)
            self.assertAllEqual(self.evaluate(found), wanted)

    def test_frames_at_the_end_are_filled(self):
        x = np.arange(7)
        for length, step, wanted in (
            (4, 3, [[0, 1, 2, 3], [3, 4, 5, 6], [6, 9, 9, 9]]),
            (4, 2, [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 9], [6, 9, 9, 9]]),
            (9, 7, [[0, 1, 2, 3, 4, 5, 6, 9, 9]]),
            (2, 5, [[0, 1], [5, 6]]),
        ):
            found = tf.signal.frame(x, length, step, pad_end=True, pad_value=9)
            self.assertEqual(found.shape, np.shape(wanted))
            self.assertAllEqual(self.evaluate(found), wanted)

    def test_frames_are_along_any_axis_also_if_only_a_step_knows_the_sizes(self):
        x = random.randn(2, 8, 3).astype(np.float32)
        signal = tf.placeholder(tf.float32)
        length, step, axis = (tf.placeholder(tf.int32, []) for _ in range(3))
        for along in (1, -2, 0, -1):
            wanted = np.moveaxis(
                np.apply_along_axis(lambda row: frames_of(row, 2, 1).ravel(), along, x), along, -1
            )
            wanted = np.moveaxis(wanted.reshape(*wanted.shape[:-1], -1, 2), [-2, -1],
                                 [along % 3, along % 3 + 1])  # fmt: skip
            self.assertAllEqual(self.evaluate(tf.signal.frame(x, 2, 1, axis=along)), wanted)
            found = tf.signal.frame(signal, length, step, axis=axis)
            with self.session() as session:
                given = {signal: x, length: 2, step: 1, axis: along}
                self.assertAllEqual(session.run(found, given), wanted)

    def test_frames_that_are_added_are_the_signal_that_each_sample_occurs_in(self):
        frames = random.randn(2, 4, 5).astype(np.float32)
        step_now = tf.placeholder(tf.int32, [])
        given = tf.placeholder(tf.float32)
        for step in (1, 2, 3, 5):
            wanted = np.zeros([2, 3 * step + 5])
            for place in range(4):
                wanted[:, place * step : place * step + 5] += frames[:, place]
            found = tf.signal.overlap_and_add(frames, step)
            self.assertEqual(found.shape, wanted.shape)
            self.assertAllClose(self.evaluate(found), wanted, atol=1e-5)
            with self.session() as session:
                fed = {given: frames, step_now: step}
                later = session.run(tf.signal.overlap_and_add(given, step_now), fed)
                self.assertAllClose(later, wanted, atol=1e-5)

    def test_frames_and_their_sums_have_gradients(self):
        x = tf.constant(random.randn(2, 9).astype(np.float32))
        frames = tf.signal.frame(x, 4, 2, pad_end=True)
        self.assertLess(self.gradient_error(x, frames), 0.01)
        self.assertLess(self.gradient_error(x, tf.signal.overlap_and_add(frames, 3)), 0.01)

    def test_what_is_no_scalar_or_no_integer_is_refused(self):
        for arguments in ((0.0, 1, 1), ([1.0], [1], 1), ([1.0], 1, [1])):
            with self.assertRaises(ValueError):
                tf.signal.frame(*arguments)
        with self.assertRaisesRegex(ValueError, "rank 1"):
            tf.signal.frame([1.0], 1, 1, axis=1)
        with self.assertRaisesRegex(ValueError, "integer"):
            tf.signal.overlap_and_add([[1.0]], 1.0)
        with self.assertRaises(ValueError):
            tf.signal.overlap_and_add([1.0], 1)


class ShortTimeTest(SignalTest):
    signal = random.randn(2, 50).astype(np.float32)

    def test_transforms_are_those_of_frames_with_weights(self):
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(12) / 12)
        frames = np.array([frames_of(row, 12, 5) for row in self.signal])
        for fft_length, size in ((None, 16), (20, 20), (8, 8)):
            found = tf.signal.stft(self.signal, 12, 5, fft_length)
            self.assertEqual((found.dtype, found.shape), (tf.complex64, (2, 8, size // 2 + 1)))
            wanted = np.fft.rfft(frames * window, size)
            self.assertAllClose(self.evaluate(found), wanted, atol=1e-4)
        plain = tf.signal.stft(self.signal, 12, 5, window_fn=None)
        self.assertAllClose(self.evaluate(plain), np.fft.rfft(frames, 16), atol=1e-4)

    def test_lengths_that_only_a_step_knows_are_filled_to_a_power_of_two(self):
        length = tf.placeholder(tf.int32, [])
        found = tf.signal.stft(self.signal, length, 4, window_fn=None)
        with self.session() as session:
            for value, size in ((1, 1), (8, 8), (9, 16), (32, 32)):
                self.assertEqual(session.run(found, {length: value}).shape[-1], size // 2 + 1)
                known = tf.signal.stft(self.signal, value, 4)
                self.assertEqual(known.shape[-1], size // 2 + 1)

    def test_a_signal_is_found_again_but_at_its_ends(self):
        for length, step, fft_length in ((16, 4, None), (12, 5, None), (12, 6, 12)):
            spectra = tf.signal.stft(self.signal, length, step, fft_length)
            window = tf.signal.inverse_stft_window_fn(step)
            found = self.evaluate(
                tf.signal.inverse_stft(spectra, length, step, fft_length, window)
            )
            whole = slice(length, found.shape[1] - length)
            self.assertAllClose(found[:, whole], self.signal[:, whole], atol=1e-4)

    def test_inverses_are_sums_of_frames_of_the_given_length(self):
        spectra = np.fft.rfft(random.randn(3, 8)).astype(np.complex64)
        for length in (6, 8, 11):
            frames = np.pad(np.fft.irfft(spectra), [[0, 0], [0, 3]])[:, :length]
            wanted = np.zeros(2 * 4 + length)
            for place, samples in enumerate(frames):
                wanted[4 * place : 4 * place + length] += samples
            found = tf.signal.inverse_stft(spectra, length, 4, 8, window_fn=None)
            self.assertEqual(found.shape, wanted.shape)
            self.assertAllClose(self.evaluate(found), wanted, atol=1e-5)

    def test_transforms_have_gradients(self):
        x = tf.constant(self.signal[:, :16])
        spectra = tf.signal.stft(x, 8, 4)
        self.assertLess(self.gradient_error(x, tf.square(tf.real(spectra))), 0.05)
        self.assertLess(self.gradient_error(x, tf.signal.inverse_stft(spectra, 8, 4)), 0.01)


class MelTest(SignalTest):
    def test_weights_are_triangles_between_the_middles_of_neighbours(self):
        mels = lambda hertz: 1127 * np.log(1 + hertz / 700)
        edges = np.linspace(mels(100.0), mels(3000.0), 7)
        bins = mels(np.linspace(0, 4000, 33))
        wanted = np.array(
            [np.interp(bins, edges[i : i + 3], [0.0, 1.0, 0.0]) for i in range(5)]
        ).T
        wanted[0] = 0
        for dtype, error in ((tf.float32, 1e-4), (tf.float64, 1e-9)):
            found = tf.signal.linear_to_mel_weight_matrix(5, 33, 8000, 100.0, 3000.0, dtype)
            self.assertEqual(found.dtype, dtype)
            self.assertAllClose(self.evaluate(found), wanted, atol=error)
        self.assertEqual(tf.signal.linear_to_mel_weight_matrix().shape, [129, 20])

    def test_numbers_out_of_range_are_refused(self):
        for arguments, words in (
            ({"num_mel_bins": 0}, "num_mel_bins"), ({"sample_rate": 0.0}, "sample_rate"),
            ({"lower_edge_hertz": -1.0}, "negative"), ({"lower_edge_hertz": 3800.0}, "less than"),
            ({"upper_edge_hertz": 4001.0}, "half the sample rate"), ({"dtype": tf.int32}, "float"),
            ({"sample_rate": tf.placeholder(tf.float32, [])}, "constant"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, words):
                tf.signal.linear_to_mel_weight_matrix(**arguments)

    def test_coefficients_are_cosine_transforms_divided_by_a_root(self):
        x = random.randn(2, 3, 10).astype(np.float32)
        wanted = x @ cosine_matrix(2, 10) / np.sqrt(20)
        found = tf.signal.mfccs_from_log_mel_spectrograms(x)
        self.assertAllClose(self.evaluate(found), wanted, atol=1e-4)
        given = tf.placeholder(tf.float32)
        with self.session() as session:
            later = session.run(tf.signal.mfccs_from_log_mel_spectrograms(given), {given: x})
            self.assertAllClose(later, wanted, atol=1e-4)
        with self.assertRaisesRegex(ValueError, "mel bins"):
            tf.signal.mfccs_from_log_mel_spectrograms(np.zeros([2, 0]))


if __name__ == "__main__":
    unittest.main()
