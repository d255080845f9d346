"""Defun, and the calls, branches and loops of functions."""

import unittest

import troupe as tf
from troupe.python.framework.function import Defun
from troupe.python.ops import functional_ops


class DefunTest(tf.test.TestCase):
    def test_a_call_adds_one_node_that_computes_the_results(self):
        @Defun(tf.float32, tf.float32)
        def both(x, y):
            return x * y, x + y

        size = len(tf.get_default_graph().get_operations())
        product, total = both(tf.constant(3.0), tf.constant(4.0), name="call")
        self.assertEqual(len(tf.get_default_graph().get_operations()), size + 3)
        self.assertEqual(product.op.name, "call")
        self.assertEqual(both.declared_input_types, (tf.float32, tf.float32))
        with tf.Session() as session:
            self.assertEqual(session.run([product, total]), [12.0, 7.0])

    def test_tensors_and_variables_around_it_are_captured(self):
        factor = tf.constant(3.0)
        v = tf.Variable(10.0)

        @Defun(tf.float32)
        def scale(x):
            return x * factor + v

        y = scale(tf.constant(2.0))
        self.assertEqual(scale.captured_inputs, [factor, v.handle])
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(y), 16.0)
            self.assertEqual(session.run(tf.gradients(y, [factor, v])), [2.0, 1.0])

    def test_functions_capture_through_each_other(self):
        base = tf.constant(5.0)

        @Defun(tf.float32)
        def outer(x):
            @Defun(tf.float32)
            def inner(y):
                return y * base + x

            return inner(x + 1.0)

        with tf.Session() as session:
            self.assertEqual(session.run(outer(tf.constant(2.0))), 17.0)

    def test_a_function_changes_a_variable_whenever_it_is_called(self):
        v = tf.Variable(1.0)

        @Defun()
        def grow():
            v.assign_add(1.0)

        call = grow()
        self.assertIsInstance(call, tf.Operation)
        self.assertIn("AssignAddVariableOp", [op for _, op in grow.stateful_ops])
        with tf.Session() as session:
            session.run(v.initializer)
            session.run(call)
            session.run(call)
            self.assertEqual(session.run(v), 3.0)

    def test_a_gradient_function_of_python_is_used(self):
        def doubled(op, dy):
            return 2.0 * dy * op.inputs[0]

        @Defun(tf.float32, python_grad_func=doubled)
        def strange(x):
            return tf.identity(x)

        x = tf.constant(3.0)
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gradients(strange(x), x)), [6.0])

    def test_another_function_gives_the_gradient(self):
        @Defun(tf.float32, tf.float32)
        def gradient(x, dy):
            return dy * 100.0 * x

        @Defun(tf.float32, grad_func=gradient)
        def strange(x):
            return tf.square(x)

        x = tf.constant(3.0)
        self.assertEqual(strange.grad_func_name, gradient.name)
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gradients(strange(x), x)), [300.0])

    def test_shapes_are_those_of_the_shape_function(self):
        @Defun(tf.float32, shape_func=lambda op: [op.inputs[0].shape])
        def same(x):
            return tf.reshape(x, tf.shape(x))

        self.assertEqual(same(tf.zeros([2, 3])).shape.as_list(), [2, 3])

    def test_without_types_there_is_one_function_for_those_of_each_call(self):
        @Defun(func_name="twice")
        def twice(x):
            return x + x

        with tf.Session() as session:
            self.assertEqual(session.run(twice(2.5)), 5.0)
            self.assertEqual(session.run(twice(2)), 4)
        self.assertEqual(twice.instantiate([tf.int32]).name, "twice_int32")

    def test_wrong_uses_are_errors(self):
        with self.assertRaisesRegex(ValueError, "fewer arguments"):
            Defun(tf.float32)(lambda x, y: x)
        with self.assertRaisesRegex(ValueError, "argument defaults"):
            Defun(tf.float32)(lambda x=1: x)
        twice = Defun(tf.float32)(lambda x: x + x)
        with self.assertRaisesRegex(ValueError, "Expected number of arguments: 1, received: 2"):
            twice(1.0, 2.0)
        with self.assertRaisesRegex(ValueError, "can not return None"):
            Defun(tf.float32)(lambda x: [x, None])(1.0)
        with self.assertRaisesRegex(ValueError, "init_scope or callable"):
            Defun(tf.float32)(lambda x: x * tf.Variable(x))(1.0)

    def test_a_variable_that_it_makes_is_trained(self):
        @Defun(tf.float32)
        def product(x):
            with tf.device("/device:CPU:0"), tf.name_scope("scope"):
                return x * tf.Variable(2.0, name="v")

        results = [product(3.0), product(4.0)]
        (v,) = tf.trainable_variables()
        self.assertEqual((v.name, v.device), ("scope/v:0", "/device:CPU:0"))
        (gradient,) = tf.gradients(results, v)
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run([*results, gradient]), [6, 8, 7])

    def test_a_function_of_another_graph_cannot_use_its_tensors_here(self):
        outside = tf.constant(1.0)
        add = Defun(tf.float32)(lambda x: x + outside)
        self.assertEqual(len(add.captured_inputs), 1)
        with tf.Graph().as_default(), self.assertRaisesRegex(ValueError, "another graph"):
            add(1.0)


class FunctionalOpsTest(tf.test.TestCase):
    def test_an_if_runs_one_function_and_has_a_gradient(self):
        x = tf.placeholder(tf.float32, [])
        twice = Defun(tf.float32)(lambda x: x * 2)
        square = Defun(tf.float32)(lambda x: x * x)
        (y,) = functional_ops.If(x > 0, [x], twice, square)
        (dx,) = tf.gradients(y, x)
        with tf.Session() as session:
            self.assertEqual(session.run([y, dx], {x: 9.0}), [18.0, 2.0])
            self.assertEqual(session.run([y, dx], {x: -8.0}), [64.0, -16.0])

    def test_a_case_runs_the_function_of_an_index(self):
        index = tf.placeholder(tf.int32, [])
        branches = [_times(factor) for factor in (2, 3, 4)]
        (y,) = tf.raw_ops.Case(
            branch_index=index, input=[tf.constant(1.0)], Tout=[tf.float32], branches=branches
        )
        with tf.Session() as session:
            got = [session.run(y, {index: i}) for i in (0, 1, 2, 3, -1)]
        self.assertEqual(got, [2.0, 3.0, 4.0, 4.0, 4.0])

    def test_a_while_runs_until_its_condition_is_false(self):
        types = [tf.float32] * 2
        cond = Defun(*types)(lambda n, _: n > 0)
        body = Defun(*types)(lambda n, x: (n - 1, x + n))
        with tf.Session() as session:
            self.assertEqual(session.run(functional_ops.While([20.0, 0.0], cond, body))[1], 210.0)
        wrong = Defun(*types)(lambda n, x: (n > 0, x))
        with self.assertRaisesRegex(
            tf.errors.InvalidArgumentError, "Expected a single scalar.*got 2 tensors."
        ):
            functional_ops.While([5.0, 0.0], wrong, body)
        too_many = Defun(*types)(lambda n, x: (n, x, x))
        with self.assertRaisesRegex(
            tf.errors.InvalidArgumentError, "While loop body returned 3 arguments. Expected: 2"
        ):
            functional_ops.While([5.0, 0.0], cond, too_many)

    def test_a_while_has_a_gradient(self):
        types = [tf.float32] * 2
        cond = Defun(*types)(lambda n, _: n > 0)
        body = Defun(*types)(lambda n, x: (n - 1, x * x))
        x = tf.constant(1.5)
        y = functional_ops.While([2.0, x], cond, body)[1]
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gradients(y, x)), [4 * 1.5**3])

    def test_the_body_of_a_loop_captures(self):
        v = tf.Variable(1.0)
        types = [tf.float32] * 2
        cond = Defun(*types)(lambda n, _: n < 10)
        body = Defun(*types)(lambda n, x: (n + 1, x + n + v))
        result = functional_ops.While([1.0, 0.0], cond, body)
        count = Defun(tf.int32, tf.float32)(lambda i, x: x + tf.cast(i, tf.float32) + v)
        loops = [
            functional_ops.For(1, 10, 1, [0.0], count, rewrite_with_while=rewrite)
            for rewrite in (False, True)
        ]
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(result), [10.0, 54.0])
            self.assertEqual(session.run(loops), [[54.0], [54.0]])
        with self.assertRaisesRegex(ValueError, "without implicitly captured inputs"):
            functional_ops.While([1.0, 0.0], body, body)

    def test_a_for_without_a_way_to_its_limit_is_an_error(self):
        add = Defun(tf.int32, tf.float32)(lambda i, x: x)
        with tf.Session() as session:
            with self.assertRaisesRegex(
                tf.errors.InvalidArgumentError, "Invalid start/limit/delta"
            ):
                session.run(functional_ops.For(0, 10, -1, [0.0], add))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "must be a scalar"):
            functional_ops.For([0], 10, 1, [0.0], add)

    def test_the_gradient_of_a_function_is_a_node(self):
        polynomial = Defun(tf.float32)(lambda x: 2 * x * x * x + 3 * x * x + 4 * x + 8)
        gradient = Defun(tf.float32)(lambda x: functional_ops.Gradient([x, 1.0], polynomial)[0])
        with tf.Session() as session:
            self.assertEqual(session.run([gradient(0.0), gradient(1.0)]), [4.0, 16.0])

    def test_a_remote_call_runs_on_its_target(self):
        multiply = Defun(tf.int32, tf.int32)(lambda a, b: a * b)
        (product,) = functional_ops.remote_call(
            "/job:localhost/task:0/cpu:0", [tf.constant(2), tf.constant(3)], [tf.int32], multiply
        )
        with tf.Session() as session:
            self.assertEqual(session.run(product), 6)

    def test_an_unknown_executor_is_an_error_of_the_step(self):
        add = Defun(tf.int32)(lambda x: x + 5)
        call = functional_ops.partitioned_call([tf.constant(1)], add, executor_type="NO_SUCH")
        with tf.Session() as session, self.assertRaisesRegex(tf.errors.NotFoundError, "NO_SUCH"):
            session.run(call)


def _times(factor):
    return Defun(tf.float32)(lambda x: x * factor)


if __name__ == "__main__":
    unittest.main()
