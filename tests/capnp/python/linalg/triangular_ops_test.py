"""Triangular and banded matrices from vectors, and back."""

import numpy as np

import troupe as tf

tfd = tf.contrib.distributions


class TriangularTest(tf.test.TestCase):
    def test_elements_go_round_the_triangle(self):
        vectors = tf.constant([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]])
        with self.session() as session:
            lower, upper = session.run(
                [tfd.fill_triangular(vectors), tfd.fill_triangular(vectors, upper=True)]
            )
        self.assertAllEqual(lower[0], [[4, 0, 0], [6, 5, 0], [3, 2, 1]])
        self.assertAllEqual(upper[0], [[1, 2, 3], [0, 5, 6], [0, 0, 4]])
        self.assertAllEqual(lower[1], lower[0] + 6 * np.tri(3, dtype=int))

    def test_the_inverse_gives_the_vectors(self):
        for size in (0, 1, 3, 6, 10, 15):
            vector = np.arange(1.0, size + 1)
            for shape in ([size], None, [None]):
                given = tf.placeholder(tf.float64, shape)
                for upper in (False, True):
                    square = tfd.fill_triangular(given, upper=upper)
                    again = tf.placeholder(tf.float64, square.shape)
                    back = tfd.fill_triangular_inverse(again, upper=upper)
                    with self.session() as session:
                        matrix = session.run(square, {given: vector})
                        self.assertAllEqual(session.run(back, {again: matrix}), vector)

    def test_shapes_are_known_where_those_of_vectors_are(self):
        self.assertEqual(tfd.fill_triangular(tf.zeros([2, 6])).shape, [2, 3, 3])
        found = tfd.fill_triangular(tf.placeholder(tf.float32, [2, None])).shape
        self.assertEqual(found.as_list(), [2, None, None])
        self.assertEqual(tfd.fill_triangular_inverse(tf.zeros([2, 3, 3])).shape, [2, 6])

    def test_what_is_outside_of_the_triangle_has_no_effect(self):
        full = tf.constant([[1, 2], [3, 4]])
        with self.session() as session:
            self.assertAllEqual(session.run(tfd.fill_triangular_inverse(full)), [4, 3, 1])
            found = session.run(tfd.fill_triangular_inverse(full, upper=True))
            self.assertAllEqual(found, [1, 2, 4])

    def test_numbers_of_elements_that_no_triangle_has_are_errors(self):
        for size in (2, 5, 7):
            with self.assertRaisesRegex(ValueError, "triangular"):
                tfd.fill_triangular(tf.zeros([size]))

    def test_diagonals_are_transformed(self):
        matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with self.session() as session:
            found = session.run(tfd.matrix_diag_transform(matrix, tf.exp))
            self.assertAllClose(found, [[np.e, 2.0], [3.0, np.exp(4.0)]], rtol=1e-5)
            self.assertAllEqual(session.run(tfd.matrix_diag_transform(matrix)), [[1, 2], [3, 4]])

    def test_matrices_with_three_diagonals(self):
        with self.session() as session:
            found = session.run(tfd.tridiag([[1.0, 2.0]], [[3.0, 4.0, 5.0]], [[6.0, 7.0]]))
            self.assertAllEqual(found, [[[3, 6, 0], [1, 4, 7], [0, 2, 5]]])
            self.assertAllEqual(session.run(tfd.tridiag(above=[6.0])), [[0, 6], [0, 0]])
        with self.assertRaises(ValueError):
            tfd.tridiag()


if __name__ == "__main__":
    tf.test.main()
