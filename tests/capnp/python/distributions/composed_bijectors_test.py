"""What all bijectors have in common, and those that are made of others or of functions."""

import numpy as np

import troupe as tf

tfb = tf.contrib.distributions.bijectors


class Doubled(tfb.Bijector):
    """y = 2 x, which counts the calls of its functions."""

    def __init__(self, **kwargs):
        super().__init__(forward_min_event_ndims=0, name="doubled", **kwargs)
        self.calls = []

    def _forward(self, x):
        self.calls.append("forward")
        return 2.0 * x

    def _inverse(self, y):
        self.calls.append("inverse")
        return y / 2.0

    def _inverse_log_det_jacobian(self, y):
        self.calls.append("log_det")
        return -tf.log(2.0) * tf.ones_like(y)


class Scaled(tfb.ConditionalBijector):
    def __init__(self, name):
        super().__init__(forward_min_event_ndims=0, name=name)

    def _forward(self, x, by):
        return x * by

    def _inverse(self, y, by):
        return y / by

    def _forward_log_det_jacobian(self, x, by):
        return tf.log(by) * tf.ones_like(x)


class BijectorTest(tf.test.TestCase):
    def test_an_inverse_of_a_value_is_what_it_was_made_of(self):
        made, x = Doubled(), tf.constant(3.0)
        y = made.forward(x)
        self.assertIs(made.inverse(y), x)
        self.assertIs(made.forward(x), y)
        z = tf.constant(8.0)
        self.assertIs(made.forward(made.inverse(z)), z)
        self.assertEqual(made.calls, ["forward", "inverse"])

    def test_a_determinant_is_computed_once_for_both_directions(self):
        made, x = Doubled(), tf.constant([3.0])
        made.forward_log_det_jacobian(x, event_ndims=0)
        made.inverse_log_det_jacobian(made.forward(x), event_ndims=0)
        self.assertEqual(made.calls, ["forward", "log_det"])
        made.inverse_log_det_jacobian(made.forward(x), event_ndims=1)
        self.assertEqual(made.calls, ["forward", "log_det", "log_det"])

    def test_what_was_computed_in_a_loop_is_not_taken_outside_of_it(self):
        made, x = Doubled(is_constant_jacobian=True), tf.constant(3.0)

        def body(index, total):
            return index + 1, total + made.forward(x) + made.inverse_log_det_jacobian(x, 0)

        _, total = tf.while_loop(lambda index, _: index < 2, body, (0, 0.0))
        after = made.forward(x), made.inverse_log_det_jacobian(x, 0)
        with self.session() as session:
            found, (y, log_det) = session.run([total, after])
        self.assertAllClose(found, 2 * (6 - np.log(2)))
        self.assertAllClose([y, log_det], [6.0, -np.log(2)])

    def test_what_a_loop_finds_of_an_outer_value_stays_in_it(self):
        made = Doubled()
        y = made.forward(tf.constant(3.0))

        def body(index, total):
            return index + 1, total + made.inverse_log_det_jacobian(y, 0) + made.inverse(y)

        _, total = tf.while_loop(lambda index, _: index < 2, body, (0, 0.0))
        with self.session() as session:
            found = session.run([total, made.inverse_log_det_jacobian(y, 0)])
        self.assertAllClose(found, [2 * (3 - np.log(2)), -np.log(2)])
        self.assertEqual(made.calls.count("inverse"), 0)  # The value is known outside.

    def test_a_forward_determinant_comes_from_the_inverse_one(self):
        found = Doubled().forward_log_det_jacobian([1.0, 2.0], event_ndims=1)
        with self.session() as session:
            self.assertAllClose(session.run(found), 2 * np.log(2))

    def test_values_of_another_dtype_are_errors(self):
        made = Doubled(dtype=tf.float64)
        self.assertEqual(made.dtype, tf.float64)
        with self.assertRaisesRegex(TypeError, "float32.*float64"):
            made.forward(tf.constant(1.0))

    def test_ranks_of_events_are_integers_and_large_enough(self):
        made = tfb.Ordered()
        for wrong in (0, 1.5, [1, 1]):
            with self.assertRaises(ValueError):
                made.forward_log_det_jacobian([1.0, 2.0], event_ndims=wrong)

    def test_ranks_of_events_may_be_known_to_steps_only(self):
        x, ndims = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
        found = tfb.Exp(validate_args=True).forward_log_det_jacobian(x, ndims)
        with self.session() as session:
            value = np.ones([2, 3], np.float32)
            self.assertAllClose(session.run(found, {x: value, ndims: 1}), [3.0, 3.0])
            self.assertAllClose(session.run(found, {x: value, ndims: 2}), 6.0)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Condition x >= y"):
                session.run(found, {x: value, ndims: -1})

    def test_what_a_class_does_not_define_is_an_error(self):
        class Bare(tfb.Bijector):
            def __init__(self):
                super().__init__(forward_min_event_ndims=0)

        made = Bare()
        self.assertEqual(made.name, "bare")
        self.assertEqual(made.graph_parents, [])
        for name in ("forward", "inverse"):
            with self.assertRaisesRegex(NotImplementedError, name):
                getattr(made, name)(1.0)
            with self.assertRaisesRegex(NotImplementedError, f"{name}_log_det"):
                getattr(made, f"{name}_log_det_jacobian")(1.0, 0)
        with self.assertRaises(TypeError):
            tfb.Bijector()

    def test_constructors_check_ranks_and_parents(self):
        class Of(tfb.Bijector):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)

        for error, wrong in (
            (ValueError, {}),
            (ValueError, {"forward_min_event_ndims": -1}),
            (TypeError, {"forward_min_event_ndims": 0.5}),
            (ValueError, {"forward_min_event_ndims": 0, "graph_parents": [1.0]}),
        ):
            with self.assertRaises(error):
                Of(**wrong)
        made = Of(inverse_min_event_ndims=2)
        self.assertEqual((made.forward_min_event_ndims, made.inverse_min_event_ndims), (2, 2))

    def test_nodes_are_in_the_scope_of_the_bijector(self):
        y = tfb.Exp(name="e").forward(tf.constant(1.0))
        self.assertRegex(y.name, r"^e(_1)?/forward/Exp")


class ComposedTest(tf.test.TestCase):
    def test_a_chain_applies_the_last_one_first(self):
        made = tfb.Chain([tfb.Exp(), tfb.AffineScalar(1.0, 2.0)])
        self.assertEqual(made.name, "chain_of_exp_of_affine_scalar")
        with self.session() as session:
            self.assertAllClose(session.run(made.forward(0.5)), np.exp(2.0))
            self.assertAllClose(session.run(made.inverse(np.float32(np.exp(2.0)))), 0.5)

    def test_a_chain_without_bijectors_changes_nothing(self):
        made, x = tfb.Chain(), tf.constant([1.0, 2.0])
        self.assertEqual(made.name, "identity")
        with self.session() as session:
            self.assertAllClose(session.run(made.forward(x)), [1.0, 2.0])
            self.assertAllClose(session.run(made.forward_log_det_jacobian(x, 1)), 0.0)

    def test_a_chain_needs_events_that_all_of_its_bijectors_take(self):
        vectors, triangle = tfb.SoftmaxCentered(), tfb.FillTriangular()
        for chain, forward, inverse in (
            ([tfb.Exp(), vectors], 1, 1),
            ([tfb.Exp(), triangle], 1, 2),
            ([tfb.CholeskyOuterProduct(), triangle, vectors], 1, 2),
            ([triangle, tfb.CholeskyOuterProduct()], 2, 3),
        ):
            made = tfb.Chain(chain)
            found = made.forward_min_event_ndims, made.inverse_min_event_ndims
            self.assertEqual(found, (forward, inverse), made.name)

    def test_a_chain_follows_the_shapes_of_events(self):
        made = tfb.Chain([tfb.TransformDiagonal(tfb.Exp()), tfb.FillTriangular()])
        self.assertEqual(made.forward_event_shape([3]), [2, 2])
        self.assertEqual(made.inverse_event_shape([2, 2]), [3])
        for shape in ([4, 3], [None, 3], None):
            x = tf.placeholder(tf.float32, shape)
            y = made.forward(x)
            found = [made.forward_log_det_jacobian(x, 1),
                     made.inverse_log_det_jacobian(tf.identity(y), 2)]  # fmt: skip
            with self.session() as session:
                value = np.random.RandomState(1).normal(size=[4, 3])
                forward, inverse = session.run(found, {x: value})
            # The diagonal has the last element and the first one.
            self.assertAllClose(forward, value[:, 0] + value[:, 2], rtol=1e-4)
            self.assertAllClose(inverse, -forward, rtol=1e-4)

    def test_conditional_bijectors_get_their_arguments(self):
        made = tfb.Chain([Scaled("first"), Scaled("second")])
        given = {"first": {"by": 2.0}, "second": {"by": 5.0}}
        y = made._call_forward(3.0, "forward", **given)
        with self.session() as session:
            self.assertAllClose(session.run(y), 30.0)
            one = Scaled("one")
            self.assertAllClose(session.run(one.inverse(6.0, by=2.0)), 3.0)
            x = tf.constant(3.0)
            self.assertIs(one.inverse(one.forward(x, by=2.0), by=2.0), x)
            self.assertIsNot(one.inverse(one.forward(x, by=2.0), by=3.0), x)
            found = one.forward_log_det_jacobian(x, 0, by=2.0)
            self.assertAllClose(session.run(found), np.log(2.0))
            found = one.inverse_log_det_jacobian(x, 0, by=2.0)
            self.assertAllClose(session.run(found), -np.log(2.0))

    def test_bijectors_with_several_branches_have_no_inverse_bijector(self):
        for make in (tfb.Invert, lambda each: tfb.Chain([each])):
            with self.assertRaises(NotImplementedError):
                make(tfb.AbsoluteValue())

    def test_chains_of_different_dtypes_are_errors(self):
        affine = [tfb.Affine(shift=np.zeros(2, dtype)) for dtype in (np.float32, np.float64)]
        with self.assertRaisesRegex(ValueError, "incompatible dtypes"):
            tfb.Chain(affine)

    def test_bijectors_of_functions(self):
        made = tfb.Inline(
            forward_fn=tf.exp, inverse_fn=tf.log,
            inverse_log_det_jacobian_fn=lambda y: -tf.log(y),
            forward_event_shape_fn=lambda shape: shape.concatenate([1]),
            inverse_event_shape_tensor_fn=lambda sizes: sizes[:-1], forward_min_event_ndims=0,
        )  # fmt: skip
        with self.session() as session:
            self.assertAllClose(session.run(made.forward(1.0)), np.e)
            self.assertAllClose(session.run(made.inverse(2.0)), np.log(2))
            self.assertAllClose(session.run(made.forward_log_det_jacobian(3.0, 0)), 3.0)
            self.assertAllEqual(session.run(made.inverse_event_shape_tensor([2, 1])), [2])
        self.assertEqual(made.forward_event_shape([2]), [2, 1])
        with self.assertRaisesRegex(NotImplementedError, "inverse_fn"):
            tfb.Inline(forward_fn=tf.exp, forward_min_event_ndims=0).inverse(1.0)


if __name__ == "__main__":
    tf.test.main()
