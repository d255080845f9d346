"""Diagonals of matrices, blocks of space, patches of images, and distances of sequences."""

import unittest

import numpy as np

import troupe as tf


class SpaceTest(tf.test.TestCase):
    def run_all(self, fetches, feeds=None):
        with tf.Session() as session:
            return session.run(fetches, feeds)

    def test_diagonals_beside_the_main_one(self):
        x = np.arange(12.0).reshape(3, 4)
        self.assertAllEqual(self.run_all(tf.matrix_diag_part(x)), [0, 5, 10])
        self.assertAllEqual(self.run_all(tf.matrix_diag_part(x, k=1)), [1, 6, 11])
        band = tf.linalg.diag_part(x, k=(-1, 0), padding_value=9)
        self.assertAllEqual(self.run_all(band), [[0, 5, 10], [4, 9, 9]])
        made = tf.linalg.diag([1, 2], k=-1, padding_value=7)
        self.assertAllEqual(self.run_all(made), [[7, 7, 7], [1, 7, 7], [7, 2, 7]])
        wide = tf.matrix_diag([1, 2], num_cols=3)
        self.assertAllEqual(self.run_all(wide), [[1, 0, 0], [0, 2, 0]])
        self.assertAllEqual(self.run_all(tf.matrix_diag([True])), [[True]])
        self.assertAllEqual(
            self.run_all(tf.linalg.set_diag(x, [5.0, 6.0], k=-1))[[1, 2], [0, 1]], [5, 6]
        )

    def test_the_gradient_of_a_diagonal_is_on_it(self):
        x = tf.constant(np.arange(9.0).reshape(3, 3))
        (dx,) = tf.gradients(tf.matrix_diag_part(x, k=2), x)
        self.assertAllEqual(self.run_all(dx), [[0, 0, 1], [0, 0, 0], [0, 0, 0]])

    def test_systems_of_three_diagonals_in_each_format(self):
        matrix = np.array([[4.0, 1, 0], [2, 5, 1], [0, 3, 6]])
        right = np.array([[1.0, 2], [3, 4], [5, 6]])
        compact = [[1, 1, 0], [4, 5, 6], [0, 2, 3]]
        compact = np.array(compact, np.float64)
        sequence = [np.array([1.0, 1]), np.array([4.0, 5, 6]), np.array([2.0, 3])]
        for name, diagonals in (("compact", compact), ("sequence", sequence), ("matrix", matrix)):
            with self.subTest(name):
                solved = tf.linalg.tridiagonal_solve(diagonals, right, name)
                self.assertAllClose(self.run_all(solved), np.linalg.solve(matrix, right))
                product = tf.linalg.tridiagonal_matmul(diagonals, right, name)
                self.assertAllClose(self.run_all(product), matrix @ right)
        one = tf.linalg.tridiagonal_solve(compact, right[:, 0])
        self.assertAllClose(self.run_all(one), np.linalg.solve(matrix, right[:, 0]))
        rows = tf.linalg.tridiagonal_solve(compact, right.T, transpose_rhs=True)
        self.assertAllClose(self.run_all(rows), np.linalg.solve(matrix, right).T)
        for diagonals, form, error in (
            (compact, "dense", "must be compact"),
            (sequence[:2], "sequence", "length 3"),
            ([sequence[0], sequence[1], np.ones(1)], "sequence", "length 3 or 2"),
        ):
            with self.assertRaisesRegex(ValueError, error):
                tf.linalg.tridiagonal_solve(diagonals, right, form)
        with self.assertRaisesRegex(ValueError, "square"):
            tf.linalg.tridiagonal_solve(matrix[:2], right, "matrix")
        with self.assertRaisesRegex(ValueError, "batches"):
            tf.linalg.tridiagonal_solve(np.zeros([5, 3, 4]), np.zeros([3, 4]))

    def test_blocks_of_space_by_either_name_of_their_size(self):
        x = np.arange(16.0).reshape(1, 4, 4, 1)
        none = [[0, 0], [0, 0]]
        batch = tf.space_to_batch(x, none, 2)
        self.assertAllEqual(self.run_all(batch)[:, 0, 0, 0], [0, 1, 4, 5])
        self.assertAllEqual(self.run_all(tf.batch_to_space(batch, none, block_shape=2)), x)
        depth = tf.space_to_depth(x, 2, "deep", "NHWC")
        self.assertEqual(depth.op.name, "deep")
        self.assertAllEqual(self.run_all(tf.nn.depth_to_space(depth, 2)), x)
        with self.assertRaisesRegex(ValueError, "block_size"):
            tf.space_to_batch(x, none)

    def test_a_number_out_of_range_is_a_value_error_and_another_type_a_type_error(self):
        x = np.zeros([1, 4, 4, 1])
        with self.assertRaisesRegex(ValueError, "at least 2"):
            tf.space_to_depth(x, 0)
        with self.assertRaisesRegex(ValueError, "one of"):
            tf.strings.length(["a"], unit="WORD")
        with self.assertRaises(TypeError):
            tf.raw_ops.Placeholder(dtype="float33")

    def test_patches_of_images(self):
        x = np.arange(16.0).reshape(1, 4, 4, 1)
        given = {"strides": [1, 2, 2, 1], "rates": [1] * 4, "padding": "VALID"}
        for name in ("sizes", "ksizes"):
            patches = tf.image.extract_image_patches(x, **{name: [1, 2, 2, 1]}, **given)
            self.assertAllEqual(self.run_all(patches)[0, 1, 0], [8, 9, 12, 13])

    def test_distances_of_sequences(self):
        def sparse(rows):
            at = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
            values = [item for row in rows for item in row]
            return tf.SparseTensor(at, values, [len(rows), max(map(len, rows))])

        one, other = sparse(["kitten", "ab"]), sparse(["sitting", "abcd"])
        self.assertAllClose(self.run_all(tf.edit_distance(one, other)), [3 / 7, 0.5])
        self.assertAllEqual(self.run_all(tf.edit_distance(one, other, normalize=False)), [3, 2])
        with self.assertRaises(TypeError):
            tf.edit_distance([1], [2])

    def test_fingerprints_have_a_default_method(self):
        prints = self.run_all(tf.fingerprint(["a", "b", "a"]))
        self.assertEqual(prints.shape, (3, 8))
        self.assertAllEqual(prints[0], prints[2])

    def test_slices_are_clipped_as_slices(self):
        slices = tf.IndexedSlices(tf.constant([[-3.0, 0.5], [9.0, 1.0]]), tf.constant([4, 7]))
        clipped = tf.clip_by_value(slices, -1, 1)
        self.assertIs(clipped.indices, slices.indices)
        self.assertAllEqual(self.run_all(clipped.values), [[-1, 0.5], [1, 1]])

    def test_a_module_has_no_function_of_an_op_of_the_same_name(self):
        with self.assertRaisesRegex(AttributeError, "quantized dtypes"):
            tf.quantization.quantize  # noqa: B018


class DTypesTest(tf.test.TestCase):
    def test_ranges_and_parts(self):
        self.assertIs(tf.complex64.real_dtype, tf.float32)
        self.assertIs(tf.complex128.real_dtype, tf.float64)
        self.assertIs(tf.int8.real_dtype, tf.int8)
        self.assertEqual((tf.uint8.min, tf.uint8.max), (0, 255))
        self.assertLess(tf.bfloat16.max, tf.float32.max)
        self.assertEqual(tf.float32.limits(), (0, 1))
        self.assertEqual(tf.int16.limits(clip_negative=False), (-32768, 32767))
        self.assertEqual(tf.bool.limits(False), (False, True))
        self.assertTrue(tf.uint16.is_unsigned)
        self.assertFalse(tf.int16.is_unsigned or tf.int16.is_quantized)
        self.assertFalse(tf.float64 == None)  # noqa: E711
        with self.assertRaises(TypeError):
            tf.as_dtype(None)
        for dtype in (tf.string, tf.bool, tf.complex64):
            with self.assertRaises(TypeError):
                dtype.max  # noqa: B018


class GradientCheckerTest(tf.test.TestCase):
    def test_both_parts_of_complex_numbers_count(self):
        point = np.array([1 + 2j, -0.5 + 0.25j])
        x = tf.placeholder(tf.complex128, [2])
        with self.session():
            for y, columns in ((tf.square(x), 4), (tf.abs(x), 2), (tf.conj(x) * x, 4)):
                one, other = tf.test.compute_gradient(x, [2], y, [2], point)
                self.assertEqual(one.shape, (4, columns))
                self.assertAllClose(one, other, atol=1e-5)

    def test_a_gradient_of_slices(self):
        x = tf.placeholder(tf.float64, [3, 2])
        y = tf.gather(x, [2, 0, 2]) ** 2
        with self.session():
            self.assertLess(tf.test.compute_gradient_error(x, [3, 2], y, [3, 2]), 1e-5)


if __name__ == "__main__":
    unittest.main()
