"""Statistics of samples, and seeds."""

import unittest

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions


def correlations(x, lags, center=True, normalize=True):
    x = x - x.mean() if center else x
    found = np.array(
        [(x[lag:] * np.conj(x[: len(x) - lag])).mean() for lag in range(lags + 1)]
    )
    return found / found[0] if normalize else found


class AutoCorrelationTest(tf.test.TestCase):
    x = np.random.RandomState(0).randn(9, 3).cumsum(0)

    def test_products_with_earlier_samples_are_averaged(self):
        for lags, center, normalize in ((None, True, True), (4, False, False), (20, True, False)):
            found = tfd.auto_correlation(self.x, 0, lags, center, normalize)
            count = min(8, 8 if lags is None else lags)
            expected = [correlations(each, count, center, normalize) for each in self.x.T]
            with self.subTest(lags=lags), self.session() as session:
                self.assertEqual(found.shape, [count + 1, 3])
                self.assertAllClose(session.run(found), np.transpose(expected))

    def test_sizes_may_be_unknown(self):
        for shape in (None, [None, None]):
            rows = tf.placeholder(tf.float64, shape)
            found = tfd.auto_correlation(rows, -2, 3)
            expected = [correlations(each, 3) for each in self.x.T]
            with self.subTest(shape=shape), self.session() as session:
                value = session.run(found, {rows: self.x})
                self.assertAllClose(value, np.transpose(expected))

    def test_samples_may_be_complex(self):
        x = self.x[:, 0] + 1j * self.x[:, 1]
        with self.session() as session:
            found = session.run(tfd.auto_correlation(x, normalize=False))
        self.assertAllClose(found, correlations(x, 8, normalize=False))

    def test_integers_are_an_error(self):
        with self.assertRaisesRegex(TypeError, "float or complex"):
            tfd.auto_correlation([1, 2, 3])


class PercentileTest(tf.test.TestCase):
    x = np.random.RandomState(1).permutation(24.0 * np.arange(24)).reshape([2, 3, 4])

    def test_elements_are_those_of_the_ways_to_choose_them(self):
        for method in ("lower", "higher", "nearest"):
            for axis in (None, 0, -1, (0, 2)):
                for q in (0.0, 30.0, 77.0, 100.0):
                    found = tfd.percentile(self.x, q, axis, method)
                    expected = np.percentile(self.x, q, axis=axis, method=method)
                    with self.subTest(method, axis=axis, q=q), self.session() as session:
                        self.assertAllEqual(session.run(found), expected)

    def test_axes_may_be_kept(self):
        for axis in (None, 1, (0, 2)):
            found = tfd.percentile(self.x, 30.0, axis, keep_dims=True)
            expected = np.percentile(self.x, 30, axis=axis, method="nearest", keepdims=True)
            with self.subTest(axis=axis), self.session() as session:
                self.assertAllEqual(session.run(found), expected)

    def test_arguments_out_of_range_are_errors(self):
        unknown = tf.placeholder(tf.int32)
        for options in ({"interpolation": "linear"}, {"axis": 3}, {"axis": unknown}):
            with self.subTest(str(options)), self.assertRaises(ValueError):
                tfd.percentile(self.x, 30.0, **options)
        with self.assertRaises(ValueError):
            tfd.percentile(self.x, [30.0, 40.0])
        q = tf.placeholder_with_default(101.0, [])
        with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(tfd.percentile(self.x, q, validate_args=True))


class SeedStreamTest(tf.test.TestCase):
    def test_seeds_differ_by_call_salt_and_seed_and_repeat(self):
        def seeds(seed, salt):
            stream = tfd.SeedStream(seed, salt)
            return [stream() for _ in range(5)]

        found = [*seeds(1, "a"), *seeds(1, "b"), *seeds(2, "a")]
        self.assertEqual(len(set(found)), 15)
        self.assertEqual(seeds(1, "a"), found[:5])

    def test_a_stream_of_a_stream_begins_with_its_seed(self):
        stream = tfd.SeedStream(7, "a")
        stream()
        other = tfd.SeedStream(stream, "b")
        self.assertEqual((other.original_seed, other.salt), (7, "b"))
        self.assertEqual(other(), tfd.SeedStream(7, "b")())

    def test_no_seed_gives_none(self):
        self.assertIsNone(tfd.SeedStream(None, "a")())

    def test_seeds_are_those_of_tensorflow(self):
        # The hash of the tuple's text, as TensorFlow makes it.
        self.assertEqual(tfd.SeedStream(0, "s")() % 10**9, int.from_bytes(
            __import__("hashlib").sha512(b"(0, 1, 's')").digest(), "big") % 10**9)  # fmt: skip


if __name__ == "__main__":
    unittest.main()
