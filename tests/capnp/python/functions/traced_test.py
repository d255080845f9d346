"""tf.function: traced functions."""

import gc
import unittest
import weakref

import numpy as np

import troupe as tf


class FunctionTest(tf.test.TestCase):
    def test_it_is_traced_once_for_each_kind_of_arguments(self):
        traces = []

        @tf.function
        def add(x, y, factor=1):
            traces.append((x.dtype, x.shape.as_list(), factor))
            return x + factor * y

        a, b = tf.constant(1.0), tf.constant(2.0)
        first, second = add(a, b), add(b, y=b)
        third = add(a, b, factor=10)
        fourth = add(tf.constant([1, 2]), tf.constant([3, 4]))
        self.assertEqual(
            traces,
            [(tf.float32, [], 1), (tf.float32, [], 10), (tf.int32, [2], 1)],
        )
        self.assertEqual(first.op.type, "PartitionedCall")
        with tf.Session() as session:
            self.assertEqual(session.run([first, second, third]), [3.0, 4.0, 21.0])
            np.testing.assert_array_equal(session.run(fourth), [4, 6])

    def test_it_keeps_no_graph_alive(self):
        doubled = tf.function(lambda x: 2 * x)
        graph = tf.Graph()
        with graph.as_default():
            doubled(tf.constant(1))
        held = weakref.ref(graph)
        del graph
        gc.collect()
        self.assertIsNone(held())

    def test_a_method_of_an_object_that_is_gone_says_so(self):
        class Scale:
            @tf.function
            def times(self, x):
                return x * 2

        with self.assertRaisesRegex(ReferenceError, "times"):
            Scale().times(tf.constant(1))

    def test_only_the_first_trace_makes_variables(self):
        made = {}

        @tf.function
        def scaled(x):
            if "v" not in made:
                made["v"] = tf.Variable(2.0, name="v")
            return tf.cast(x, tf.float32) * made["v"]

        @tf.function
        def makes_more(x):
            return x * tf.Variable(2, dtype=x.dtype)

        results = [scaled(tf.constant(3.0)), scaled(tf.constant(4)), makes_more(tf.constant(5.0))]
        with self.assertRaisesRegex(ValueError, "create variables on non-first call"):
            makes_more(tf.constant(6))
        self.assertEqual([v.name for v in tf.global_variables()], ["v:0", "Variable:0"])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(results), [6, 8, 10])

    def test_structures_of_arguments_and_results_are_kept(self):
        @tf.function
        def swap(pair):
            return {"first": pair[1], "second": pair[0], "none": None}

        result = swap((tf.constant(1), tf.constant(2)))
        self.assertIsNone(result["none"])
        with tf.Session() as session:
            self.assertEqual(session.run([result["first"], result["second"]]), [2, 1])

    def test_variables_change_in_the_order_of_the_function(self):
        v = tf.Variable(1.0)

        @tf.function
        def change():
            before = v.read_value()
            v.assign_add(10.0)
            middle = v.read_value()
            v.assign(v * 2.0)
            return before, middle, v.read_value()

        values = change()
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(values), (1.0, 11.0, 22.0))
            self.assertEqual(session.run(v), 22.0)

    def test_a_signature_says_what_it_takes(self):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def total(x):
            return tf.reduce_sum(x)

        self.assertIs(total.get_concrete_function(), total.get_concrete_function())
        with tf.Session() as session:
            self.assertEqual(session.run([total([1.0, 2.0]), total([3.0])]), [3.0, 3.0])
        with self.assertRaisesRegex(ValueError, "incompatible with input_signature"):
            total([[1.0]])
        with self.assertRaisesRegex(ValueError, "does not match input_signature"):
            total([1.0], [2.0])

    def test_a_concrete_function_is_called_and_given_to_ops(self):
        v = tf.Variable(3.0)
        times = tf.function(lambda x: x * v)
        add = tf.function(lambda x: x + v)
        spec = tf.TensorSpec([], tf.float32)
        concrete = [function.get_concrete_function(spec) for function in (times, add)]
        self.assertEqual(concrete[0].captured_inputs, [v.handle])
        x = tf.placeholder(tf.float32, [])
        (y,) = tf.raw_ops.If(
            cond=x > 0.0, input=[x, v.handle], Tout=[tf.float32], then_branch=concrete[0],
            else_branch=concrete[1],
        )  # fmt: skip
        called = concrete[0](x)
        gradients = tf.gradients(y, [x, v])
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run([y, called, gradients], {x: 2.0}), [6.0, 6.0, [3.0, 2.0]])
            self.assertEqual(session.run([y, gradients], {x: -2.0}), [1.0, [1.0, 1.0]])

    def test_a_method_is_a_function_of_its_object(self):
        class Scale:
            def __init__(self, factor):
                self.factor = factor

            @tf.function
            def __call__(self, x):
                return x * self.factor

        with tf.Session() as session:
            self.assertEqual(session.run([Scale(2.0)(3.0), Scale(5.0)(3.0)]), [6.0, 15.0])

    def test_branches_and_loops_are_those_of_the_graph(self):
        @tf.function
        def collatz(n):
            def step(n, count):
                n = tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1)
                return n, count + 1

            return tf.while_loop(lambda n, _: n > 1, step, [n, 0])[1]

        with tf.Session() as session:
            lengths = session.run([collatz(tf.constant(6)), collatz(tf.constant(27))])
        self.assertEqual(lengths, [8, 111])

    def test_its_branches_and_loops_are_differentiated(self):
        v = tf.Variable(2.0)

        @tf.function
        def power(x):
            _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * v), [0, x])
            return tf.cond(y > 0.0, lambda: y, lambda: y * y)

        x = tf.placeholder(tf.float32, [])
        gradients = tf.gradients(power(x), [x, v])
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(gradients, {x: 3.0}), [8.0, 36.0])
            self.assertEqual(session.run(gradients, {x: -1.0}), [-128.0, 192.0])

    def test_its_calls_are_differentiated(self):
        square = tf.function(lambda x: x * x)
        x = tf.constant(3.0)
        (dx,) = tf.gradients(square(square(x)), x)
        with tf.Session() as session:
            self.assertEqual(session.run(dx), 108.0)


if __name__ == "__main__":
    unittest.main()
