"""Bijectors of numbers, vectors and matrices: values, inverses and Jacobian determinants."""

import math

import numpy as np

import troupe as tf

tfb = tf.contrib.distributions.bijectors

# Bijectors of numbers, and numbers of their domains.
OF_NUMBERS = {
    "affine_scalar": (lambda: tfb.AffineScalar(1.5, -2.0), [-3.0, 0.0, 2.5]),
    "exp": (tfb.Exp, [-3.0, 0.0, 2.5]),
    "gumbel": (lambda: tfb.Gumbel(0.5, 2.0), [-1.0, 0.0, 2.5]),
    "identity": (tfb.Identity, [-3.0, 0.0, 2.5]),
    "kumaraswamy": (lambda: tfb.Kumaraswamy(2.0, 3.0), [0.1, 0.5, 0.9]),
    "power": (lambda: tfb.PowerTransform(0.5), [-1.0, 0.0, 2.5]),
    "sigmoid": (tfb.Sigmoid, [-3.0, 0.0, 2.5]),
    "sinh_arcsinh": (lambda: tfb.SinhArcsinh(0.3, 1.5), [-3.0, 0.0, 2.5]),
    "softplus": (tfb.Softplus, [-3.0, 0.0, 2.5]),
    "hard_softplus": (lambda: tfb.Softplus(hinge_softness=-0.7), [-3.0, 0.0, 2.5]),
    "softsign": (tfb.Softsign, [-3.0, 0.2, 2.5]),
    "square": (tfb.Square, [0.1, 1.0, 2.5]),
    "weibull": (lambda: tfb.Weibull(2.0, 1.5), [0.1, 1.0, 2.5]),
}

VALUES = {
    "affine_scalar": lambda x: -2 * x + 1.5,
    "exp": np.exp,
    "gumbel": lambda x: np.exp(-np.exp(-(x - 0.5) / 2)),
    "identity": lambda x: x,
    "kumaraswamy": lambda x: (1 - (1 - x) ** (1 / 3)) ** 0.5,
    "power": lambda x: (1 + x / 2) ** 2,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sinh_arcsinh": lambda x: np.sinh((np.arcsinh(x) + 0.3) * 1.5),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "hard_softplus": lambda x: -0.7 * np.log1p(np.exp(x / -0.7)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "square": np.square,
    "weibull": lambda x: 1 - np.exp(-((x / 2) ** 1.5)),
}

# Bijectors of vectors, and an x.
OF_VECTORS = {
    "affine": (lambda: tfb.Affine([1.0, 2.0], scale_tril=[[2.0, 0], [3, -1]]), [0.5, -2.0]),
    "multiple": (lambda: tfb.Affine(scale_identity_multiplier=-3.0), [0.5, -2.0]),
    "diagonal": (
        lambda: tfb.Affine(scale_diag=[1.0, 2.0], scale_identity_multiplier=2.0), [0.5, -2.0]
    ),
    "low_rank": (
        lambda: tfb.Affine(
            scale_diag=[1.0, 2.0, 3.0], scale_perturb_factor=[[1.0], [2.0], [0.5]],
            scale_perturb_diag=[2.0],
        ),
        [0.5, -2.0, 1.0],
    ),
    "ordered": (tfb.Ordered, [-1.0, 0.5, 2.0]),
    "permute": (lambda: tfb.Permute([2, 0, 1]), [0.5, 1.5, -2.0]),
    "chain": (lambda: tfb.Chain([tfb.Exp(), tfb.Affine(scale_diag=[2.0, 3.0])]), [0.5, -2.0]),
    "invert": (lambda: tfb.Invert(tfb.Ordered()), [0.5, -2.0, 0.1]),
}  # fmt: skip


def jacobian(y, x):
    """The derivatives of the elements of y by those of x, a list of rows."""
    size = y.shape.num_elements()
    flat = tf.reshape(y, [-1])
    return [tf.reshape(tf.gradients(flat[i], x)[0], [-1]) for i in range(size)]


class NumbersTest(tf.test.TestCase):
    def test_values_are_those_of_numpy(self):
        for name, (make, points) in OF_NUMBERS.items():
            with self.subTest(name), self.session() as session:
                found = session.run(make().forward(tf.constant(points)))
                self.assertAllClose(found, VALUES[name](np.array(points)), rtol=1e-5)

    def test_inverses_give_what_the_functions_got(self):
        for name, (make, points) in OF_NUMBERS.items():
            y = make().forward(tf.constant(points))
            with self.subTest(name), self.session() as session:
                self.assertAllClose(session.run(make().inverse(y)), points, rtol=2e-5, atol=1e-6)

    def test_log_determinants_are_those_of_gradients(self):
        for name, (make, points) in OF_NUMBERS.items():
            x, made = tf.constant(points), make()
            y = made.forward(x)
            (slope,) = tf.gradients(y, x)
            found = made.forward_log_det_jacobian(x, event_ndims=0)
            back = make().inverse_log_det_jacobian(tf.identity(y), event_ndims=0)
            with self.subTest(name), self.session() as session:
                slopes, forward, inverse = session.run([slope, found, back])
                expected = np.log(np.abs(slopes))
                forward = np.broadcast_to(forward, [3])  # Of constant ones there is one.
                inverse = np.broadcast_to(inverse, [3])
                self.assertAllClose(forward, expected, rtol=1e-4, atol=1e-5)
                self.assertAllClose(inverse, -expected, rtol=1e-4, atol=1e-5)

    def test_the_axes_of_an_event_are_summed(self):
        x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
        for event_ndims, expected in ((0, [[1, 2, 3], [4, 5, 7]]), (1, [6, 16]), (2, 22)):
            found = tfb.Exp().forward_log_det_jacobian(x, event_ndims)
            self.assertEqual(found.shape, np.shape(expected))
            with self.session() as session:
                self.assertAllClose(session.run(found), np.array(expected, float))

    def test_a_constant_determinant_counts_each_element_of_an_event(self):
        made, scale = tfb.AffineScalar(scale=2.0), math.log(2)
        with self.session() as session:
            for size in (3, 5):  # It is kept by the size of the events.
                found = made.forward_log_det_jacobian(tf.zeros([4, size]), event_ndims=1)
                self.assertAllClose(session.run(found), size * scale)

    def test_sinh_arcsinh_has_finite_determinants_far_out(self):
        x = np.array([-1e30, -1e18, 1e10, 1e37], np.float32)
        with self.session() as session:
            found = session.run(tfb.SinhArcsinh(0.0, 2.0).forward_log_det_jacobian(x, 0))
            # sinh(2 arcsinh(x)) is 2 x |x| there, and log(4 |x|) its slope's logarithm
            self.assertAllClose(found, np.log(4 * np.abs(x.astype(float))), rtol=1e-5)

    def test_softplus_has_inverses_near_0_and_far_out(self):
        y = np.array([1e-30, 1e-5, 1.0, 50.0, 1e10])
        with self.session() as session:
            found, (slopes,) = session.run(self._softplus_inverse(y))
        self.assertAllClose(found[:4], [np.log(1e-30), np.log(np.expm1(1e-5)),
                                        np.log(np.expm1(1.0)), 50.0], rtol=1e-9)  # fmt: skip
        self.assertAllClose(found[4], 1e10)
        self.assertAllClose(slopes, -1 / np.expm1(-y), rtol=1e-9)

    def _softplus_inverse(self, y):
        tensor = tf.constant(y)
        found = tf.contrib.distributions.softplus_inverse(tensor)
        return found, tf.gradients(found, tensor)

    def test_the_inverse_of_a_magnitude_has_two_branches(self):
        made = tfb.AbsoluteValue()
        low, high = made.inverse([1.0, 2.0])
        dets = made.inverse_log_det_jacobian([1.0, 2.0], event_ndims=1)
        with self.session() as session:
            self.assertAllClose(session.run(low), [-1.0, -2.0])
            self.assertAllClose(session.run(high), [1.0, 2.0])
            self.assertAllClose(session.run(dets), (0.0, 0.0))
        with self.assertRaises(NotImplementedError):
            made.forward_log_det_jacobian([1.0], event_ndims=0)

    def test_values_outside_of_a_domain_are_errors_where_they_are_checked(self):
        x = tf.placeholder(tf.float32)
        cases = {
            "positive": (tfb.Exp(validate_args=True).inverse(x), -1.0),
            "square": (tfb.Square(validate_args=True).forward(x), -1.0),
            "softsign": (tfb.Softsign(validate_args=True).inverse(x), 1.0),
            "gumbel": (tfb.Gumbel(validate_args=True).inverse(x), 1.5),
            "weibull": (tfb.Weibull(validate_args=True).forward(x), -0.5),
            "kumaraswamy": (tfb.Kumaraswamy(1.0, 1.0, validate_args=True).forward(x), 1.5),
            "magnitude": (tfb.AbsoluteValue(validate_args=True).inverse(x)[0], -1.0),
            "power": (tfb.PowerTransform(2.0, validate_args=True).forward(x), -1.0),
        }
        with self.session() as session:
            for name, (node, value) in cases.items():
                with self.subTest(name), self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(node, {x: value})

    def test_powers_are_known_and_not_negative(self):
        for power in (-1.0, tf.placeholder(tf.float32, [])):
            with self.assertRaisesRegex(ValueError, "non-negative"):
                tfb.PowerTransform(power)


class VectorsTest(tf.test.TestCase):
    def test_log_determinants_are_those_of_jacobians(self):
        for name, (make, point) in OF_VECTORS.items():
            x = tf.constant(point)
            y = make().forward(x)
            rows = jacobian(y, x)
            found = make().forward_log_det_jacobian(x, event_ndims=1)
            back = make().inverse_log_det_jacobian(tf.identity(y), event_ndims=1)
            with self.subTest(name), self.session() as session:
                matrix, forward, inverse = session.run([rows, found, back])
                expected = np.linalg.slogdet(np.array(matrix, np.float64))[1]
                self.assertAllClose(forward, expected, rtol=1e-4, atol=1e-5)
                self.assertAllClose(inverse, -expected, rtol=1e-4, atol=1e-5)

    def test_inverses_give_what_the_functions_got(self):
        for name, (make, point) in OF_VECTORS.items():
            y = make().forward(tf.constant([point, np.add(point, 0.25).tolist()]))
            with self.subTest(name), self.session() as session:
                found = session.run(make().inverse(tf.identity(y)))
                self.assertAllClose(found, [point, np.add(point, 0.25)], rtol=1e-4, atol=1e-5)

    def test_samples_of_a_batch_are_multiplied_by_the_matrices_of_the_batch(self):
        scale = np.random.RandomState(1).normal(size=[2, 3, 3]).astype(np.float32)
        x = np.random.RandomState(2).normal(size=[5, 4, 2, 3]).astype(np.float32)
        lower = np.tril(scale)
        expected = np.einsum("bij,stbj->stbi", lower, x) + 1.0
        for shape in (x.shape, [None, 4, 2, 3], None):
            given = tf.placeholder(tf.float32, shape)
            made = tfb.Affine(shift=tf.ones([3]), scale_tril=scale)
            y = made.forward(given)
            with self.session() as session:
                found, back = session.run([y, made.inverse(tf.identity(y))], {given: x})
            self.assertAllClose(found, expected, rtol=1e-4, atol=1e-5)
            self.assertAllClose(back, x, rtol=1e-2, atol=1e-3)

    def test_vectors_with_less_axes_than_the_batch_are_an_error(self):
        made = tfb.Affine(scale_diag=[[1.0, 2.0], [3.0, 4.0]])
        with self.assertRaisesRegex(ValueError, "batch_ndims"):
            made.forward(tf.constant([1.0, 2.0]))

    def test_an_operator_that_is_not_said_to_be_invertible_is_an_error_where_checked(self):
        scale = tf.linalg.LinearOperatorFullMatrix([[2.0, 1.0], [0.0, 3.0]])
        with self.assertRaisesRegex(ValueError, "non-singular"):
            tfb.AffineLinearOperator(scale=scale, validate_args=True)
        with self.assertRaisesRegex(TypeError, "LinearOperator"):
            tfb.AffineLinearOperator(scale=[[2.0]])
        with self.session() as session:
            made = tfb.AffineLinearOperator(shift=[1.0, 0.0], scale=scale)
            self.assertAllClose(session.run(made.forward([1.0, 2.0])), [5.0, 6.0])
            self.assertAllClose(session.run(made.inverse([5.0, 6.0])), [1.0, 2.0])
            found = made.forward_log_det_jacobian([1.0, 2.0], event_ndims=1)
            self.assertAllClose(session.run(found), math.log(6))

    def test_softmax_has_one_class_more(self):
        made, x = tfb.SoftmaxCentered(), np.array([[1.0, -1.0], [0.0, 2.0]])
        wide = np.exp(np.concatenate([x, np.zeros([2, 1])], 1))
        y = made.forward(tf.constant(x))
        expected = wide / wide.sum(1, keepdims=True)
        with self.session() as session:
            found, back = session.run([y, made.inverse(tf.identity(y))])
            dets = session.run(
                [made.forward_log_det_jacobian(x, 1), made.inverse_log_det_jacobian(expected, 1)]
            )
        self.assertAllClose(found, expected)
        self.assertAllClose(back, x)
        # The determinant of the first two classes' derivatives is the product of all of them.
        self.assertAllClose(dets[0], np.log(expected).sum(1))
        self.assertAllClose(dets[1], -np.log(expected).sum(1))
        self.assertEqual(made.forward_event_shape([2]), [3])
        self.assertEqual(made.inverse_event_shape([3]), [2])
        with self.assertRaises(ValueError):
            made.inverse_event_shape([1])

    def test_what_is_no_permutation_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "exactly one"):
            tfb.Permute([0, 1, 1])
        with self.assertRaises(TypeError):
            tfb.Permute([0.0, 1.0])
        order = tf.placeholder(tf.int32, [None])
        y = tfb.Permute(order, validate_args=True).forward([1.0, 2.0, 3.0])
        with self.session() as session:
            self.assertAllClose(session.run(y, {order: [2, 0, 1]}), [3.0, 1.0, 2.0])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(y, {order: [0, 0, 1]})

    def test_reshape_keeps_the_batch(self):
        made = tfb.Reshape([3, 2], event_shape_in=[6])
        y = made.forward(tf.zeros([5, 4, 6]))
        self.assertEqual(y.shape, [5, 4, 3, 2])
        self.assertEqual(made.inverse(tf.zeros([5, 3, 2])).shape, [5, 6])
        self.assertEqual(made.forward_event_shape([4, 6]), [4, 3, 2])
        self.assertEqual(tfb.Reshape([-1, 2]).forward_event_shape([6]), [3, 2])
        with self.session() as session:
            sizes = made.forward_event_shape_tensor([6]), made.inverse_event_shape_tensor([3, 2])
            self.assertAllEqual(session.run(sizes[0]), [3, 2])
            self.assertAllEqual(session.run(sizes[1]), [6])
        with self.assertRaisesRegex(ValueError, "does not match"):
            made.forward(tf.zeros([5, 8]))

    def test_reshape_takes_shapes_that_only_steps_know(self):
        x, sizes = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [None])
        made = tfb.Reshape(sizes, event_shape_in=[2, 3], validate_args=True)
        with self.session() as session:
            value = np.arange(12.0).reshape([2, 2, 3])
            found = session.run(made.forward(x), {x: value, sizes: [3, 2]})
            self.assertAllClose(found, value.reshape([2, 3, 2]))
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(made.forward(x), {x: value.reshape([2, 3, 2]), sizes: [6]})


class MatricesTest(tf.test.TestCase):
    def test_products_of_triangles_have_the_determinants_of_the_elements_below(self):
        x = np.array([[1.5, 0, 0], [-1, 2, 0], [0.5, 3, 0.7]])
        given, where = tf.constant(x), np.tril_indices(3)
        made = tfb.CholeskyOuterProduct()
        y = made.forward(given)
        rows = [tf.gradients(y[i, j], given)[0] for i, j in zip(*where)]
        with self.session() as session:
            found, matrices, back, product = session.run(
                [made.forward_log_det_jacobian(given, 2), rows, made.inverse(tf.identity(y)), y]
            )
        jacobian_of_triangle = np.array([each[where] for each in matrices])
        self.assertAllClose(product, x @ x.T)
        self.assertAllClose(back, x)
        self.assertAllClose(found, np.linalg.slogdet(jacobian_of_triangle)[1])

    def test_batches_of_products_of_triangles(self):
        x = np.stack([np.eye(3) * 2, np.eye(3)])
        found = tfb.CholeskyOuterProduct().forward_log_det_jacobian(tf.constant(x), 2)
        with self.session() as session:
            self.assertAllClose(session.run(found), [np.log(2) * (3 + 6), np.log(2) * 3])

    def test_inverse_matrices(self):
        x = np.array([[2.0, 0], [1, 4]])
        made = tfb.MatrixInverseTriL()
        with self.session() as session:
            y = session.run(made.forward(x))
            self.assertAllClose(y, np.linalg.inv(x))
            self.assertAllClose(session.run(made.inverse(y)), x)
            found = session.run(made.forward_log_det_jacobian(x, event_ndims=2))
            self.assertAllClose(found, -2 * 2 * np.log(8))
            upper = tf.placeholder(tf.float64, [2, 2])
            checked = tfb.MatrixInverseTriL(validate_args=True).forward(upper)
            for wrong in ([[2.0, 1], [0, 4]], [[0.0, 0], [1, 4]]):
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(checked, {upper: wrong})

    def test_triangles_of_vectors_have_determinants_of_0(self):
        made, x = tfb.FillTriangular(), tf.constant([[1.0, 2, 3, 4, 5, 6]])
        y = made.forward(x)
        with self.session() as session:
            self.assertAllClose(session.run(y), [[[4, 0, 0], [6, 5, 0], [3, 2, 1]]])
            self.assertAllClose(session.run(made.inverse(tf.identity(y))), [[1, 2, 3, 4, 5, 6]])
            self.assertAllClose(session.run(made.forward_log_det_jacobian(x, 1)), [0.0])
            self.assertAllClose(session.run(made.inverse_log_det_jacobian(y, 2)), [0.0])
            self.assertAllEqual(session.run(made.forward_event_shape_tensor([7, 6])), [7, 3, 3])
            self.assertAllEqual(session.run(made.inverse_event_shape_tensor([7, 3, 3])), [7, 6])
        self.assertEqual(made.forward_event_shape([7, 6]), [7, 3, 3])
        self.assertEqual(made.inverse_event_shape([7, 3, 3]), [7, 6])
        with self.assertRaisesRegex(ValueError, "triangular"):
            made.forward_event_shape([5])

    def test_scales_have_positive_diagonals(self):
        made = tfb.ScaleTriL(diag_bijector=tfb.Exp(), diag_shift=1.0)
        x = tf.constant([0.5, -1.0, 2.0])
        y = made.forward(x)
        with self.session() as session:
            found, back, det = session.run(
                [y, made.inverse(tf.identity(y)), made.forward_log_det_jacobian(x, 1)]
            )
        self.assertAllClose(found, [[np.exp(2.0) + 1, 0], [-1.0, np.exp(0.5) + 1]])
        self.assertAllClose(back, [0.5, -1.0, 2.0])
        self.assertAllClose(det, 2.5)

    def test_a_bijector_of_diagonals_leaves_the_rest(self):
        made, x = tfb.TransformDiagonal(tfb.Exp()), np.array([[1.0, 2], [3, 4]])
        with self.session() as session:
            y = session.run(made.forward(x))
            self.assertAllClose(y, [[np.exp(1), 2], [3, np.exp(4)]])
            self.assertAllClose(session.run(made.inverse(y)), x)
            self.assertAllClose(session.run(made.forward_log_det_jacobian(x, 2)), 5.0)
            self.assertAllClose(session.run(made.inverse_log_det_jacobian(y, 2)), -5.0)


if __name__ == "__main__":
    tf.test.main()
