"""Functions with gradients of their own: structures, variables, and what is computed again."""

import collections
import gc
import weakref

import numpy as np

import troupe as tf

layers = tf.contrib.layers
Pair = collections.namedtuple("Pair", "low high")


class CustomGradientTest(tf.test.TestCase):
    def values_of(self, tensors):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(tensors)

    def test_results_keep_their_structure(self):
        @tf.custom_gradient
        def split(x):
            def grad(by_high, by_low, by_same):
                return by_high * 100.0 + by_low * 10.0 + by_same

            return {"pair": Pair(low=x - 1.0, high=x + 1.0), "a": [x]}, grad

        x = tf.constant(5.0)
        found = split(x)
        self.assertIsInstance(found["pair"], Pair)
        # The leaves of a dict are in the order of its keys: a, then the pair.
        weighted = [found["a"][0] * 2.0, found["pair"].low * 3.0, found["pair"].high * 4.0]
        (gradient,) = tf.gradients(weighted, x)
        self.assertEqual(self.values_of([found["pair"].low, gradient]), [4, 234])

    def test_a_gradient_has_the_static_shape_of_its_result(self):
        shapes = []

        @tf.custom_gradient
        def doubled(x):
            def grad(dy):
                shapes.append(dy.shape.as_list())
                return tf.placeholder_with_default(2.0 * dy, None)

            return 2.0 * x, grad

        x = tf.ones([2, 3])
        (gradient,) = tf.gradients(tf.transpose(doubled(x), tf.placeholder(tf.int32)), x)
        self.assertEqual((shapes, gradient.shape.as_list()), ([[2, 3]], [2, 3]))

    def test_only_trainable_variables_get_gradients(self):
        weight = tf.Variable(2.0)
        offset = tf.Variable(7.0, trainable=False)

        @tf.custom_gradient
        def scaled(x):
            def grad(dy, variables):
                self.assertEqual(variables, [weight])
                return dy * 5.0, [dy * 3.0]

            return x * weight + offset, grad

        x = tf.constant(1.0)
        self.assertAllEqual(self.values_of(tf.gradients(scaled(x), [x, weight])), [5, 3])

    def test_variables_that_are_gathered_or_read_in_a_function_are_known(self):
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

        @tf.custom_gradient
        def row(x):
            def grad(dy, **kwargs):
                self.assertEqual([v.name for v in kwargs["variables"]], [table.name])
                return dy, [tf.ones([2, 2]) * 9.0]

            return x * tf.gather(table, 1), grad

        x = tf.constant([1.0, 1.0])
        outside = tf.gradients(row(x), table)[0]

        @tf.function
        def gradient_of(values):
            return tf.gradients(row(values), values)[0]

        self.assertAllEqual(self.values_of(outside), np.full([2, 2], 9))
        self.assertAllEqual(self.values_of(gradient_of(x)), [1, 1])

    def test_gradients_that_use_no_tensors_of_it_keep_no_graph_alive(self):
        @tf.custom_gradient
        def clipped(x):
            return tf.identity(x), lambda grad: tf.clip_by_value(grad, -1, 1)

        graph = tf.Graph()
        with graph.as_default():
            x = tf.constant(2.0)
            tf.gradients(3 * clipped(x), x)
        held = weakref.ref(graph)
        del graph, x
        gc.collect()
        self.assertIsNone(held())

    def test_functions_nest(self):
        @tf.custom_gradient
        def inner(x):
            return x * 1.0, lambda dy: dy * 10.0

        @tf.custom_gradient
        def outer(x):
            y = inner(x)
            return y, lambda dy: tf.gradients(y, x, dy)[0] + 1.0

        x = tf.constant(2.0)
        self.assertEqual(self.values_of(tf.gradients(outer(x), x)), [11])

    def test_variables_of_references_are_refused(self):
        @tf.custom_gradient
        def scaled(x):
            return x * tf.Variable(1.0, use_resource=False), lambda dy: dy

        with self.assertRaisesRegex(TypeError, "variables of references"):
            scaled(tf.constant(1.0))

    def test_gradients_pass_through_a_function(self):
        weight = tf.Variable(3.0)
        x, y = tf.constant(2.5), tf.constant(1.0)
        rounded = tf.grad_pass_through(tf.round)(x)
        scaled = tf.grad_pass_through(lambda value: value * weight)(y)
        found = tf.gradients([rounded * 7.0, scaled * 2.0], [x, y, weight])
        self.assertIsNone(found[2])
        self.assertAllEqual(self.values_of(found[:2]), [7, 2])


class RecomputeTest(tf.test.TestCase):
    def test_gradients_are_those_of_the_function_computed_again(self):
        for decorate in (tf.recompute_grad, layers.recompute_grad):
            with self.subTest(decorate.__module__), tf.Graph().as_default():

                @decorate
                def network(x, y):
                    weight = tf.get_variable("weight", initializer=[[1.0, 2.0], [3.0, 4.0]])
                    return tf.tanh(tf.matmul(x, weight)), tf.sin(y)

                x, y = tf.constant([[0.1, -0.2]]), tf.constant(0.5)
                results = network(x, y)
                (weight,) = tf.trainable_variables()
                count = len(self.operations("Tanh"))
                found = tf.gradients(results, [x, y, weight])
                self.assertEqual((count, len(self.operations("Tanh"))), (1, 2))
                plain = tf.gradients([tf.tanh(tf.matmul(x, weight)), tf.sin(y)], [x, y, weight])
                self.assertEqual(tf.trainable_variables(), [weight])
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    for one, other in zip(*session.run([found, plain])):
                        self.assertAllClose(one, other)

    def operations(self, kind):
        return [op for op in tf.get_default_graph().get_operations() if op.type == kind]

    def test_what_is_computed_again_waits_for_the_gradients(self):
        x = tf.constant(1.0)
        outputs = tf.recompute_grad(tf.sinh)(x)
        later = tf.exp(outputs)
        tf.gradients(later, x)
        again = self.operations("Sinh")[1]
        waits = again.inputs[0].op.control_inputs
        self.assertEqual(len(waits), 1)

    def test_a_result_that_is_not_used_has_no_part_in_the_gradient(self):
        x = tf.constant(3.0)
        several = tf.recompute_grad(lambda v: (v * 2.0, v * 100.0, tf.cast(v, tf.int32)))
        first = several(x)[0]
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gradients(first, x)), [2])

    def test_a_function_is_told_that_it_is_computed_again(self):
        told = []

        @layers.recompute_grad
        def dense(x, is_recomputing=False):
            told.append(is_recomputing)
            return layers.fully_connected(x, 2, scope="layer")

        x = tf.ones([1, 3])
        defaults = {"activation_fn": tf.nn.softplus}
        with tf.contrib.framework.arg_scope([layers.fully_connected], **defaults):
            outputs = dense(x)
        tf.gradients(outputs, x)
        self.assertEqual(told, [False, True])
        self.assertEqual(len(self.operations("Softplus")), 2)
        self.assertEqual(len(tf.trainable_variables()), 2)

    def test_other_variables_than_at_first_are_refused(self):
        variables = iter([tf.Variable(1.0), tf.Variable(2.0)])
        x = tf.constant(1.0)
        outputs = tf.recompute_grad(lambda value: value * next(variables))(x)
        with self.assertRaisesRegex(ValueError, "reads other variables than at first"):
            tf.gradients(outputs, x)

    def test_a_tensor_of_the_function_around_it_has_to_be_an_argument(self):
        hidden = tf.constant(1.0, name="hidden")
        with self.assertRaisesRegex(ValueError, "hidden:0 .hidden. of the function around"):
            layers.recompute_grad(lambda value: value * hidden)


if __name__ == "__main__":
    tf.test.main()
