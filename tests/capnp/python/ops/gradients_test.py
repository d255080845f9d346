"""Gradients with the options of tf.gradients, and gradients that a program defines."""

import unittest

import numpy as np

import troupe as tf


def values_of(tensors, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensors, feeds)


class GradientsTest(tf.test.TestCase):
    def test_nothing_passes_through_what_is_stopped(self):
        x = tf.constant(3.0)
        y = x * x
        z = y * x
        through, direct = tf.gradients(z, x)[0], tf.gradients(z, x, stop_gradients=[y])[0]
        self.assertAllClose(values_of([through, direct]), [27.0, 9.0])

    def test_nodes_are_named_after_the_op_that_they_are_of(self):
        x = tf.placeholder(tf.float32, [None, 4])
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", [4, 4], use_resource=True)
            product = tf.matmul(x, w)
            relu = tf.nn.relu(product)
        tf.gradients(tf.reduce_sum(product * relu), [w])
        tf.gradients([product], [x, w])
        graph = tf.get_default_graph()
        for name, op in (
            ("gradients/grad_ys_0", "Const"),
            ("gradients/layer/Relu_grad/ReluGrad", "ReluGrad"),
            ("gradients/layer/MatMul_grad/MatMul", "MatMul"),
            ("gradients/AddN", "AddN"),
            ("gradients_1/Fill", "OnesLike"),
            ("gradients_1/layer/MatMul_grad/MatMul", "MatMul"),
            ("gradients_1/layer/MatMul_grad/MatMul_1", "MatMul"),
        ):
            self.assertEqual(graph.get_operation_by_name(name).type, op)

    def test_their_scope_has_the_name_that_the_caller_gives(self):
        x = tf.placeholder(tf.float32, [None, 4])
        with tf.name_scope("outer"):
            made = [tf.gradients(tf.tanh(x), x, name="sampled")[0] for _ in range(2)]
            made.append(tf.gradients(tf.tanh(x), x, grad_ys=[[[1.0] * 4]], name=None)[0])
        self.assertEqual(
            [gradient.op.name for gradient in made],
            [
                "outer/sampled/outer/Tanh_grad/TanhGrad",
                "outer/sampled_1/outer/Tanh_1_grad/TanhGrad",
                "outer/gradients/outer/Tanh_2_grad/TanhGrad",
            ],
        )
        self.assertEqual(made[2].op.inputs[1].op.name, "outer/gradients/grad_ys_0")

    def test_nodes_in_branches_and_loops_and_of_functions_are_named_so_too(self):
        @tf.custom_gradient
        def tripled(x):
            return x * 2.0, lambda dy: tf.multiply(dy, 3.0, name="thrice")

        x = tf.constant(2.0)
        chosen = tf.cond(x > 0.0, lambda: x * x, lambda: tf.tanh(x))
        last = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a)), [0, tripled(x)])
        first, both = tf.gradients(chosen, x)[0], tf.gradients(last[1], x)[0]
        names = {op.name for op in tf.get_default_graph().get_operations()}
        self.assertIn("gradients/cond/Tanh_grad/TanhGrad", names)
        self.assertTrue(any(n.startswith("gradients/cond/Merge_grad/") for n in names))
        self.assertIn("gradients/cond/Switch_1_grad/cond_grad", names)
        self.assertIn("gradients_1/while/Sin_grad/Cos", names)
        self.assertTrue(any(n.endswith("_grad/thrice") for n in names))
        self.assertAllClose(values_of(first), 4.0)
        at = [4.0, np.sin(4.0), np.sin(np.sin(4.0))]
        self.assertAllClose(values_of(both), 3.0 * np.prod(np.cos(at)))

    def test_what_is_stopped_has_a_gradient_itself(self):
        x = tf.constant(3.0)
        y = x * x
        by_x, by_y = tf.gradients(y * x, [x, y], stop_gradients=[x, y])
        self.assertAllClose(values_of([by_x, by_y]), [9.0, 3.0])

    def test_unconnected_gradients_are_none_or_zeros(self):
        x, y = tf.constant([1.0, 2.0]), tf.constant([[3.0], [4.0]])
        self.assertEqual(tf.gradients(x * 2.0, [y]), [None])
        (zeros,) = tf.gradients(x * 2.0, [y], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        self.assertAllEqual(values_of(zeros), [[0], [0]])
        with self.assertRaisesRegex(ValueError, "one"):
            tf.gradients(x, [y], unconnected_gradients="one")

    def test_what_a_derivative_does_not_depend_on_is_not_computed(self):
        x, w = tf.placeholder(tf.float32, [2, 3]), tf.constant([[1.0], [2.0], [3.0]])
        for y in (2.0 * x, tf.matmul(x, w), x[:, 1:], tf.concat([x, x], 0)):
            with self.cached_session() as session:
                found = session.run(tf.gradients(y, x)[0])  # x is not fed
                self.assertAllEqual(found, session.run(tf.gradients(tf.reduce_sum(y), x)[0]))

    def test_an_initial_gradient_may_be_none(self):
        x = tf.constant(2.0)
        (found,) = tf.gradients([x * 3.0, x * 5.0], [x], grad_ys=[None, 10.0])
        self.assertAllClose(values_of(found), 53.0)

    def test_results_that_are_not_used_make_no_nan_where_their_derivative_is_infinite(self):
        x = tf.constant([0.0, 4.0])
        for function in (tf.sqrt, tf.rsqrt, tf.reciprocal, lambda x: 0.0 * tf.norm(x[:1])):
            used = tf.where(x > 0, tf.zeros_like(x) + function(x), x)
            with self.cached_session() as session:
                self.assertAllEqual(np.isfinite(session.run(tf.gradients(used, x)[0])), [True] * 2)

    def test_a_scope_overrides_the_gradients_of_an_op(self):
        @tf.RegisterGradient("GradientsTestDouble")
        def _double(op, grad):
            self.assertEqual(op.type, "Square")
            return 2.0 * grad

        x = tf.constant(5.0)
        with tf.get_default_graph().gradient_override_map({"Square": "GradientsTestDouble"}):
            y = tf.square(x)
        z = tf.square(y)
        self.assertAllClose(values_of(tf.gradients(z, x)[0]), 2 * 25 * 2)

    def test_a_name_that_nobody_registered_is_an_error(self):
        x = tf.constant(5.0)
        with tf.get_default_graph().gradient_override_map({"Square": "GradientsTestNobody"}):
            y = tf.square(x)
        with self.assertRaisesRegex(LookupError, "GradientsTestNobody"):
            tf.gradients(y, x)

    def test_a_name_is_registered_once(self):
        tf.NotDifferentiable("GradientsTestOnce")
        with self.assertRaisesRegex(KeyError, "GradientsTestOnce"):
            tf.RegisterGradient("GradientsTestOnce")(lambda op, grad: grad)

    def test_a_wrong_number_of_gradients_is_an_error(self):
        @tf.RegisterGradient("GradientsTestTwo")
        def _two(op, grad):
            return grad, grad

        x = tf.constant(5.0)
        with tf.get_default_graph().gradient_override_map({"Square": "GradientsTestTwo"}):
            y = tf.square(x)
        with self.assertRaisesRegex(ValueError, "do not match num inputs 1"):
            tf.gradients(y, x)

    def test_options_of_gradients_are_checked(self):
        x = tf.constant(2.0)
        method = tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N
        (total,) = tf.gradients(x * x + x * 3.0, x, aggregation_method=method)
        self.assertEqual(values_of(total), 7)
        for wrong, kind, says in (
            ({"aggregation_method": 17}, ValueError, "Invalid `aggregation_method` 17"),
            ({"unconnected_gradients": "nothing"}, ValueError, "Unknown value .* 'nothing'"),
            ({"grad_ys": [x, x]}, ValueError, "2 grad_ys were passed for 1 ys"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(kind, says):
                tf.gradients(x * 2.0, x, **wrong)

    def test_complex_results_need_initial_gradients(self):
        x = tf.constant(2.0)
        y = tf.cast(x, tf.complex64)
        with self.assertRaisesRegex(TypeError, "must set grad_ys"):
            tf.gradients(y, x)
        (by_x,) = tf.gradients(y, x, grad_ys=tf.constant(3 + 4j, tf.complex64))
        self.assertEqual(values_of(by_x), 3)

    def test_a_function_has_a_gradient_of_its_own(self):
        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)

            def grad(dy):
                return dy * (1 - 1 / (1 + e))

            return tf.log(1 + e), grad

        x = tf.constant(100.0)
        y = log1pexp(x)
        self.assertAllClose(values_of(tf.gradients(y, x)[0]), 1.0)

    def test_a_function_of_two_arguments_has_a_list_of_gradients(self):
        @tf.custom_gradient
        def scaled(x, y):
            def grad(dx, dy):
                return 10.0 * dx, 100.0 * dy

            return [x * 1.0, y * 1.0], grad

        x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
        results = scaled(x, y)
        self.assertIsInstance(results, list)
        by_x, by_y = values_of(tf.gradients(results, [x, y]))
        self.assertAllClose(by_x, [10, 10])
        self.assertAllClose(by_y, 100)

    def test_variables_that_a_function_reads_have_gradients_by_it(self):
        v = tf.Variable(2.0, use_resource=True)

        @tf.custom_gradient
        def times_v(x):
            def grad(dy, variables=None):
                self.assertEqual(variables, [v])
                return dy * 7.0, [dy * 11.0]

            return x * v, grad

        x = tf.constant(3.0)
        by_x, by_v = tf.gradients(times_v(x), [x, v])
        self.assertAllClose(values_of([by_x, by_v]), [7.0, 11.0])

    def test_variables_need_a_gradient_function_that_knows_them(self):
        v = tf.Variable(2.0, use_resource=True)

        @tf.custom_gradient
        def times_v(x):
            return x * v, lambda dy: dy

        with self.assertRaisesRegex(TypeError, "the argument 'variables'"):
            times_v(tf.constant(3.0))

    def test_gradients_of_gradients_call_the_function_again(self):
        @tf.RegisterGradient("GradientsTestCube")
        def _cube(op, grad):
            return grad * 3.0 * op.inputs[0] * op.inputs[0]

        x = tf.constant(2.0)
        with tf.get_default_graph().gradient_override_map({"Square": "GradientsTestCube"}):
            y = tf.square(x)
        (first,) = tf.gradients(y, x)
        (second,) = tf.gradients(first, x)
        np.testing.assert_allclose(values_of([first, second]), [12.0, 12.0])


if __name__ == "__main__":
    unittest.main()
