"""Functions that make the variables of a scope, and scopes of what functions make once."""

import numpy as np

import troupe as tf


class CreatorsTest(tf.test.TestCase):
    def test_the_innermost_creator_is_called_first(self):
        called = []

        def remember(name):
            def creator(next_creator, **kwargs):
                called.append(name)
                return next_creator(**kwargs)

            return creator

        with tf.variable_creator_scope(remember("outer")):
            with tf.variable_creator_scope(remember("inner")):
                first = tf.Variable(1.0)
            second = tf.get_variable("w", [2])
        tf.Variable(2.0)
        self.assertEqual(called, ["inner", "outer", "outer"])
        self.assertEqual(tf.global_variables()[:2], [first, second])
        self.assertEqual(len(tf.global_variables()), 3)

    def test_a_creator_changes_the_arguments(self):
        def on_the_side(next_creator, **kwargs):
            changed = {"name": f"side/{kwargs['name']}", "trainable": False}
            return next_creator(**{**kwargs, **changed})

        with tf.variable_creator_scope(on_the_side):
            made = tf.Variable([1.0, 2.0], name="v")
            got = tf.get_variable("w", [2], initializer=tf.ones_initializer())
            reference = tf.Variable(5.0, name="r", use_resource=False)
        self.assertEqual(
            [v.name for v in (made, got, reference)], ["side/v:0", "side/w:0", "side/r:0"]
        )
        self.assertEqual(tf.trainable_variables(), [])
        self.assertEqual(reference.op.type, "VariableV2")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run([made, got]), [[1, 2], [1, 1]])

    def test_a_creator_sees_all_arguments_by_name(self):
        seen = []

        def creator(next_creator, **kwargs):
            seen.append(kwargs)
            return next_creator(**kwargs)

        with tf.variable_creator_scope(creator):
            tf.Variable(3, False, ["mine"])
            tf.get_variable("w", [2], tf.float64, collections=["mine"])
        given = {"initial_value": 3, "trainable": False, "collections": ["mine"], "dtype": None}
        self.assertEqual({key: seen[0][key] for key in given}, given)
        self.assertIs(seen[0]["validate_shape"], True)
        self.assertEqual((seen[1]["name"], seen[1]["dtype"]), ("w", tf.float64))
        self.assertTrue(callable(seen[1]["initial_value"]))

    def test_what_a_creator_gives_is_what_the_program_gets(self):
        existing = tf.Variable(1.0, name="existing")
        with tf.variable_creator_scope(lambda next_creator, **kwargs: existing):
            self.assertIs(tf.Variable(2.0), existing)
        with tf.variable_creator_scope(lambda next_creator, **kwargs: "none"):
            self.assertEqual(tf.Variable(2.0), "none")
        self.assertEqual(tf.global_variables(), [existing])
        with tf.Session() as session:
            session.run(existing.initializer)
            self.assertEqual(session.run(existing), 1)

    def test_a_creator_of_one_thread_and_graph_makes_no_variable_of_others(self):
        with tf.variable_creator_scope(lambda next_creator, **kwargs: None):
            with tf.Graph().as_default():
                self.assertIsNotNone(tf.Variable(1.0))
            self.assertIsNone(tf.Variable(1.0))

    def test_wrong_arguments_are_those_of_the_variable(self):
        with tf.variable_creator_scope(lambda next_creator, **kwargs: next_creator(**kwargs)):
            with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'colour'"):
                tf.Variable(1.0, colour="red")


class InitScopeTest(tf.test.TestCase):
    def test_a_function_makes_a_variable_outside_of_itself(self):
        variables = []

        @tf.function
        def add_to_total(x):
            with tf.name_scope("part"), tf.init_scope():
                if not variables:
                    variables.append(tf.Variable(10.0, name="total"))
                self.assertIs(tf.get_default_graph(), variables[0].graph)
            return x + variables[0]

        outputs = add_to_total(1.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(outputs), 11)
        self.assertIs(variables[0].graph, tf.get_default_graph())

    def test_branches_and_control_dependencies_end(self):
        x = tf.placeholder(tf.float32, [])
        made = []

        def branch():
            with tf.init_scope():
                made.append(tf.constant(2.0, name="outside"))
            return x * made[0]

        with tf.control_dependencies([tf.assert_less(x, 0.0)]), tf.name_scope("outer"):
            outputs = tf.cond(x > 0, branch, lambda: x)
            with tf.init_scope():
                independent = tf.constant(3.0, name="c")
        self.assertEqual(independent.name, "outer/c:0")
        self.assertEqual(independent.op.control_inputs, [])
        with tf.Session() as session:
            self.assertEqual(session.run([made[0], independent]), [2, 3])
            self.assertEqual(session.run(outputs, {x: np.float32(-1)}), -1)

    def test_devices_of_the_scopes_around_it_apply(self):
        with tf.device("/job:worker/task:1"), tf.init_scope():
            self.assertEqual(tf.constant(1.0).device, "/job:worker/task:1")


class InitializersTest(tf.test.TestCase):
    def test_numbers_are_drawn_of_floats_alone(self):
        for kind in (
            tf.random_normal_initializer, tf.truncated_normal_initializer,
            tf.uniform_unit_scaling_initializer, tf.variance_scaling_initializer,
            tf.glorot_uniform_initializer, tf.orthogonal_initializer, tf.initializers.identity,
        ):  # fmt: skip
            self.assertEqual(kind(dtype=tf.float16).dtype, tf.float16)
            for dtype in (tf.string, tf.int32):
                with self.assertRaisesRegex(ValueError, f"floating point type, got {dtype.name}"):
                    kind(dtype=dtype)
        self.assertEqual(tf.random_uniform_initializer(0, 5, dtype=tf.int32).dtype, tf.int32)

    def test_constants_are_numbers_text_or_arrays_of_them(self):
        for value in (1, 2.5, True, "text", [1, 2], (1, 2), np.ones(2), np.float32(1)):
            tf.constant_initializer(value)
        for value in ({"a": 1}, None, tf.constant(1.0)):
            with self.assertRaisesRegex(TypeError, "Invalid type for initial value"):
                tf.constant_initializer(value)


if __name__ == "__main__":
    tf.test.main()
