"""Variables, initializers and variable scopes."""

import enum
import unittest

import numpy as np

import troupe as tf


class VariableTest(tf.test.TestCase):
    def test_a_constraint_is_a_function(self):
        with self.assertRaisesRegex(ValueError, "must be a callable"):
            tf.Variable(1.0, constraint=0)

    def test_a_variable_has_no_value_before_its_initializer_has_run(self):
        v = tf.Variable([1.0, 2.0], name="v")
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "'v'"):
                session.run(v)
            self.assertFalse(session.run(tf.is_variable_initialized(v)))
            session.run(v.initializer)
            self.assertAllEqual(session.run(v), [1, 2])

    def test_the_node_of_a_value_after_an_update_is_that_of_the_update(self):
        v, x = tf.Variable([1.0, 2.0], name="v"), tf.placeholder(tf.float32, [2])
        for update in (tf.assign(v, x), v.assign_add(x), tf.assign_sub(v, x, name="less")):
            self.assertIs(update.op.inputs[1], x)
        named = tf.assign(v, x, name="setter")
        self.assertIs(tf.get_default_graph().get_tensor_by_name("setter:0"), named)
        self.assertEqual(v.assign(x, name="only", read_value=False).name, "only")
        with tf.Session() as session:
            self.assertAllEqual(session.run(named, {named.op.inputs[1]: [3.0, 4.0]}), [3, 4])
            session.run("less", {x: [1.0, 1.0]})
            self.assertAllEqual(session.run(tf.assign_add(named, [1.0, 1.0]), {x: [5, 6]}), [6, 7])

    def test_assignments_give_the_value_after_them(self):
        v = tf.Variable(1.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(v.assign_add(2.0)), 3)
            self.assertEqual(session.run(tf.assign_sub(v, 1.0)), 2)
            self.assertEqual(session.run(tf.assign(v, 7)), 7)
            v.load(5.0, session)
            self.assertEqual(v.eval(), 5)

    def test_the_value_after_an_update_stands_for_the_variable_in_the_next(self):
        v = tf.Variable(1.0)

        def change():
            doubled = tf.assign(v, v * 2.0)
            return tf.assign_sub(tf.assign_add(doubled, 5.0), 1.0)

        both = tf.cond(v < 0.0, lambda: 0.0, change)
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(change()), 6)
            self.assertEqual(session.run(both), 16)
            self.assertEqual(session.run(v), 16)
        with self.assertRaisesRegex(AttributeError, "assign_add"):
            tf.assign_add(v + 1.0, 1.0)

    def test_names_are_those_of_tensorflow(self):
        one, other = tf.Variable(0.0, name="w"), tf.Variable(0.0, name="w")
        self.assertEqual([one.name, other.name], ["w:0", "w_1:0"])
        with tf.name_scope("layer"):
            self.assertEqual(tf.Variable(0.0, name="w").name, "layer/w:0")

    def test_the_name_of_a_variable_may_be_fed_and_fetched(self):
        v = tf.Variable(1.0, name="v")
        graph = tf.get_default_graph()
        self.assertEqual(v.op.name, "v")
        self.assertIs(graph.get_operation_by_name("v"), v.op)
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(["v:0", "v"]), [1, None])
            self.assertEqual(session.run(v + 1.0, {"v:0": 2.0}), 3)
            self.assertEqual(session.run("v:0", {v: 2.0}), 2)
            session.run(v.op)

    def test_reads_follow_control_dependencies(self):
        v = tf.Variable(1.0)
        with tf.control_dependencies([v.assign_add(1.0)]):
            after = v.read_value()
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(after), 2)

    def test_a_read_beside_an_update_gets_the_value_from_before(self):
        x = tf.placeholder(tf.float32, [None, 8])
        v = tf.Variable(1.0)
        change = tf.reduce_sum(tf.matmul(x, tf.Variable(tf.eye(8))))
        before = v * 2.0 + change
        update = v.assign_add(change)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in range(20):
                found = session.run([before, update.op], {x: np.ones((1, 8))})[0]
                self.assertEqual(found, (1 + 8 * step) * 2 + 8)

    def test_a_variable_computes_like_a_tensor(self):
        v = tf.Variable([1.0, 2.0])
        with tf.Session() as session:
            session.run(v.initializer)
            results = session.run([v + 1, 2 * v, -v, v / 2, v**2, 1 - v, v[1], tf.exp(v)])
        values = np.array([1.0, 2.0], np.float32)
        expected = [values + 1, 2 * values, -values, values / 2, values**2, 1 - values, 2,
                    np.exp(values)]  # fmt: skip
        for result, right in zip(results, expected):
            self.assertAllClose(result, right)

    def test_a_wrong_dtype_or_shape_is_refused_at_the_assignment(self):
        v = tf.Variable([1.0, 2.0])
        with self.assertRaises(ValueError):
            tf.assign(v, [1.0, 2.0, 3.0])
        with self.assertRaises((TypeError, ValueError)):
            tf.assign(v, tf.constant([1, 2]))

    def test_variables_live_on_the_device_of_their_scope_with_their_first_values(self):
        with tf.device("/job:ps/task:1"):
            v = tf.get_variable("v", [2])
        self.assertEqual(v.device, "/job:ps/task:1")
        self.assertIn("device=/job:ps/task:1", repr(v))
        self.assertEqual(v.initializer.inputs[1].device, "/job:ps/task:1")
        self.assertEqual(v.read_value().device, "/job:ps/task:1")

    def test_variables_are_in_the_collections_that_they_are_made_for(self):
        both = tf.Variable(1.0, name="both")
        local = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
        neither = tf.Variable(1.0, collections=["mine"])
        self.assertEqual(tf.global_variables(), [both])
        self.assertEqual(tf.local_variables(), [local])
        self.assertEqual(tf.trainable_variables(), [both, neither])
        self.assertEqual(tf.get_collection("mine"), [neither])

    def test_variables_without_a_value_are_reported_by_name(self):
        kinds = [None, [tf.GraphKeys.LOCAL_VARIABLES], None, None]
        made = [tf.Variable(1.0, name=name, collections=kind) for name, kind in zip("abcd", kinds)]
        report = tf.report_uninitialized_variables()
        some = tf.report_uninitialized_variables([made[3], made[0]])
        with tf.Session() as session:
            self.assertAllEqual(session.run(report), [b"a", b"c", b"d", b"b"])
            session.run([made[0].initializer, made[2].initializer])
            self.assertAllEqual(session.run(report), [b"d", b"b"])
            self.assertAllEqual(session.run(some), [b"d"])
            session.run(tf.local_variables_initializer())
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(report).shape, (0,))
        self.assertEqual(tf.report_uninitialized_variables([]).shape, [0])

    def test_variables_do_not_get_the_control_dependencies_of_the_scope(self):
        x = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([x]):
            v = tf.Variable(1.0)
        with tf.Session() as session:
            session.run(v.initializer)  # without a feed of x

    def test_initial_values_may_be_numbers_of_numpy_or_of_derived_types(self):
        class Level(enum.IntEnum):
            HIGH = 3

        for value, dtype in [
            (np.float64(0.5), tf.float64), (np.float32(0.5), tf.float32), (np.int64(2), tf.int64),
            (np.bool_(True), tf.bool), (np.complex64(1j), tf.complex64), (np.str_("a"), tf.string),
            (Level.HIGH, tf.int32),
        ]:  # fmt: skip
            with self.subTest(value=value):
                self.assertIs(tf.Variable(value).dtype.base_dtype, dtype)
        self.assertIs(tf.Variable(np.float64(0.5), dtype=tf.float32).dtype, tf.float32)


class VariableScopeTest(tf.test.TestCase):
    def test_scopes_prefix_names_of_variables_and_of_nodes(self):
        with tf.variable_scope("a"):
            with tf.variable_scope("b") as scope:
                v = tf.get_variable("v", [1])
                self.assertEqual(v.name, "a/b/v:0")
                self.assertEqual(tf.no_op("n").name, "a/b/n")
        self.assertEqual(scope.name, "a/b")
        self.assertEqual([x.name for x in tf.global_variables("a/b")], ["a/b/v:0"])

    def test_a_scope_that_is_entered_again_finds_its_variables(self):
        with tf.variable_scope("s"):
            v = tf.get_variable("v", [1])
        with tf.variable_scope("s", reuse=True):
            self.assertIs(tf.get_variable("v", [1]), v)
            with self.assertRaisesRegex(ValueError, "does not exist"):
                tf.get_variable("w", [1])
        with self.assertRaisesRegex(ValueError, "already exists"), tf.variable_scope("s"):
            tf.get_variable("v", [1])
        with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
            self.assertIs(tf.get_variable("v"), v)
            self.assertEqual(tf.get_variable("w", [1]).name, "s/w:0")

    def test_a_scope_in_one_that_reuses_does_so_whatever_it_says(self):
        with tf.variable_scope("s") as scope, tf.variable_scope("t"):
            v = tf.get_variable("v", [1])
        with tf.variable_scope("s", reuse=True), tf.variable_scope("t", reuse=False) as inner:
            self.assertIs(inner.reuse, True)
            self.assertIs(tf.get_variable("v", [1]), v)
        with tf.variable_scope("other", reuse=True), tf.variable_scope(scope, reuse=False) as inner:
            self.assertFalse(inner.reuse)  # a scope that is given has its own
        with self.assertRaisesRegex(ValueError, "must be True or False or None"):
            with tf.variable_scope("s", reuse="yes"):
                pass
        with self.assertRaisesRegex(ValueError, "cannot be used without a name_or_scope"):
            with tf.variable_scope(None, default_name="s", reuse=True):
                pass

    def test_default_names_start_again_where_a_scope_is_entered_again_by_name(self):
        def build():
            for _ in range(2):
                with tf.variable_scope(None, default_name="part"):
                    tf.get_variable("v", [1])

        for _ in range(2):
            with tf.variable_scope("model", reuse=tf.AUTO_REUSE) as scope:
                build()
        with tf.variable_scope(scope):
            build()
        with tf.variable_scope("part"), tf.variable_scope(None, default_name="part"):
            tf.get_variable("v", [1])
        with tf.variable_scope(None, default_name="part"):
            tf.get_variable("v", [1])
        names = ["model/part/v:0", "model/part_1/v:0", "part/part/v:0", "part_1/v:0"]
        self.assertEqual([v.name for v in tf.global_variables()], names)

    def test_a_shared_variable_must_have_the_same_shape_and_dtype(self):
        tf.get_variable("v", [1])
        with tf.variable_scope("", reuse=True):
            with self.assertRaisesRegex(ValueError, "specified shape"):
                tf.get_variable("v", [2])
            with self.assertRaisesRegex(ValueError, "specified dtype"):
                tf.get_variable("v", [1], tf.int32)

    def test_a_scope_may_be_entered_again_without_its_name_scope(self):
        with tf.variable_scope("s") as scope:
            pass
        with tf.variable_scope(scope, auxiliary_name_scope=False) as again:
            self.assertEqual(tf.no_op("x").name, "x")
            with tf.name_scope(again.original_name_scope):
                self.assertEqual(tf.no_op("x").name, "s/x")

    def test_a_custom_getter_makes_what_get_variable_returns(self):
        def doubled(getter, name, *args, **kwargs):
            return getter(name, *args, **kwargs) * 2.0

        with tf.variable_scope("s", custom_getter=doubled):
            with tf.variable_scope("t", custom_getter=doubled):
                four = tf.get_variable("v", initializer=1.0)
        self.assertEqual([v.name for v in tf.global_variables()], ["s/t/v:0"])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(four), 4)

    def test_a_template_finds_its_variables_again(self):
        scale = tf.make_template("scale", lambda x, by: x * tf.get_variable("s", [1]) * by, by=2.0)
        scale(tf.constant(1.0))
        scale(tf.constant(2.0))
        tf.make_template("scale", scale)(tf.constant(1.0))
        self.assertEqual([v.name for v in tf.global_variables()], ["scale/s:0"])

    def test_a_template_knows_its_variables(self):
        def layer(x):
            tf.get_variable("steps", [], trainable=False)
            tf.get_local_variable("seen", [])
            return x * tf.get_variable("w", [2])

        template = tf.make_template("layer", layer, create_scope_now_=True)
        self.assertEqual((template.variable_scope.name, template.variables), ("layer", []))
        first, second = template(tf.ones([2])), template(tf.ones([2]))
        self.assertEqual((first.op.name, second.op.name), ("layer/mul", "layer_1/mul"))
        self.assertEqual([v.op.name for v in template.trainable_variables], ["layer/w"])
        self.assertEqual([v.op.name for v in template.non_trainable_variables], ["layer/steps"])
        self.assertEqual([v.op.name for v in template.local_variables], ["layer/seen"])
        self.assertEqual(len(template.global_variables), 2)
        self.assertEqual(template.variable_scope_name, "layer/")
        self.assertIn("3 variables", repr(template))
        self.assertIs(template.func, layer)

    def test_a_template_refuses_variables_that_its_calls_would_share_by_chance(self):
        def fresh(x):
            return x * tf.Variable(1.0)

        template = tf.make_template("fresh", fresh)
        template(1.0)
        with self.assertRaisesRegex(ValueError, "not its first"):
            template(1.0)
        makes = [
            tf.make_template("one", lambda: tf.get_variable("v", []), unique_name_="same")
            for _ in range(2)
        ]
        makes[0]()
        with self.assertRaisesRegex(ValueError, "same/v"):
            makes[1]()
        with self.assertRaises(ValueError):
            tf.make_template(None, fresh)

    def test_initial_values_may_be_computed_of_other_variables_in_any_order(self):
        first = tf.Variable(tf.random_normal([2]), name="first")
        second = tf.Variable(first * 2, name="second")
        third = tf.get_variable("third", initializer=second + first)
        copy = tf.Variable(first)
        with tf.Session() as session:
            session.run(third.initializer)  # it is first alone
            with self.assertRaises(tf.errors.FailedPreconditionError):
                session.run(first)
        for _ in range(5):
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                values = session.run([first, second, third, copy])
                self.assertAllClose(values[1], values[0] * 2)
                self.assertAllEqual(values[3], values[0])

    def test_an_initial_value_may_be_computed_of_another_by_thousands_of_ops(self):
        value = tf.get_variable("a", initializer=1.0) * 1.0
        for _ in range(2000):
            value = value + 1.0
        far = tf.get_variable("b", initializer=value)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(far), 2001)

    def test_an_initial_value_is_that_of_a_variable_which_has_one(self):
        first = tf.Variable(3.0)
        second = tf.Variable(tf.sqrt(first + 1))
        third = tf.Variable(tf.while_loop(lambda i: i < 10, lambda i: i * 2, [first]))
        with tf.Session() as session:
            with self.assertRaises(tf.errors.FailedPreconditionError):
                session.run(third.initializer)
            session.run(first.initializer)
            session.run(tf.assign(first, 8.0))
            session.run([second.initializer, third.initializer])
            self.assertEqual(session.run([second, third]), [3, 16])

    def test_a_variable_is_made_of_its_definition(self):
        first = tf.Variable(3.0, name="first")
        again = tf.Variable(variable_def=first.to_proto())
        self.assertEqual([again.name, again.dtype], ["first:0", tf.float32])
        with tf.Session() as session:
            session.run(again.initializer)
            self.assertEqual(session.run(first), 3)
        with self.assertRaisesRegex(ValueError, "mutually exclusive"):
            tf.Variable(1.0, variable_def=first.to_proto())

    def test_initializers_give_values_of_their_kind(self):
        kinds = {
            "zeros": (tf.zeros_initializer(), lambda v: (v == 0).all()),
            "ones": (tf.ones_initializer(), lambda v: (v == 1).all()),
            "constant": (tf.constant_initializer(3.5), lambda v: (v == 3.5).all()),
            "normal": (tf.random_normal_initializer(1.0, 0.1), lambda v: abs(v.mean() - 1) < 0.1),
            "uniform": (tf.random_uniform_initializer(2, 3), lambda v: (v >= 2).all()),
            "truncated": (tf.truncated_normal_initializer(), lambda v: abs(v).max() <= 2),
            "glorot": (tf.glorot_uniform_initializer(), lambda v: abs(v).max() < np.sqrt(6 / 100)),
            "identity": (tf.initializers.identity(), lambda v: (v == np.eye(50)).all()),
            "he": (tf.initializers.he_uniform(), lambda v: abs(v).max() < np.sqrt(6 / 50)),
            "scaled": (tf.uniform_unit_scaling_initializer(), lambda v: abs(v).max() < 0.25),
            "none": (None, lambda v: 0 < abs(v).max() < np.sqrt(6 / 100)),
        }
        made = {
            name: tf.get_variable(name, [50, 50], initializer=kind)
            for name, (kind, _) in kinds.items()
        }
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for name, value in session.run(made).items():
                with self.subTest(name):
                    self.assertTrue(kinds[name][1](value))

    def test_uniform_initializers_give_integers_too(self):
        draw = tf.random_uniform_initializer(2, 5, dtype=tf.int64)
        v = tf.get_variable("v", [100], tf.int64, initializer=draw)
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(set(session.run(v)), {2, 3, 4})
        with self.assertRaisesRegex(ValueError, "maxval"):
            tf.random_uniform_initializer()([1], tf.int32)

    def test_an_initializer_may_be_a_value(self):
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        self.assertEqual(v.shape, [2])

    def test_trainable_variables_are_those_that_say_so(self):
        v = tf.get_variable("v", [1])
        tf.get_variable("w", [1], trainable=False)
        self.assertEqual(tf.trainable_variables(), [v])
        self.assertEqual(len(tf.global_variables()), 2)

    def test_regularizers_add_their_losses_to_a_collection(self):
        with tf.variable_scope("s", regularizer=tf.nn.l2_loss):
            tf.get_variable("v", [2], initializer=tf.ones_initializer())
        (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(loss), 1)


if __name__ == "__main__":
    unittest.main()
