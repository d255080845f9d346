"""The functions of the ops, against NumPy."""

import unittest

import numpy as np

import troupe as tf

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
POSITIVE = np.abs(X)


class OpsTest(tf.test.TestCase):
    def check(self, expected, tensor, **tolerance):
        with tf.Session() as session:
            value = session.run(tensor)
        self.assertAllClose(value, expected, rtol=1e-5, atol=1e-6)
        self.assertTrue(tensor.shape.is_compatible_with(np.shape(expected)))

    def test_element_wise_functions_are_those_of_numpy(self):
        for name in ("exp", "square", "sign", "negative", "abs", "tanh"):
            with self.subTest(name):
                self.check(getattr(np, name)(X), getattr(tf, name)(X))
                self.check(getattr(np, name)(X), getattr(tf.math, name)(X))
        for name in ("sqrt", "log", "reciprocal"):
            with self.subTest(name):
                self.check(getattr(np, name)(POSITIVE), getattr(tf.math, name)(POSITIVE))
        self.check(1 / np.sqrt(POSITIVE), tf.rsqrt(POSITIVE))

    def test_binary_functions_broadcast_as_numpy(self):
        row = np.array([1.0, 2.0, 3.0], np.float32)
        for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "equal",
                     "not_equal", "less", "less_equal", "greater", "greater_equal"):  # fmt: skip
            with self.subTest(name):
                self.check(getattr(np, name)(X, row), getattr(tf, name)(X, row))
        self.check(np.power(POSITIVE, row), tf.pow(POSITIVE, row))
        self.check((X - row) ** 2, tf.squared_difference(X, row))

    def test_strings_are_added_one_after_the_other(self):
        folder = tf.constant("folder/")
        names = tf.placeholder_with_default([["a"], ["b"]], [2, 1])
        self.assertEqual((folder + "a").op.type, "Add")
        with tf.Session() as session:
            paths = session.run(folder + names + [".x", ".yz"])
            others = session.run(["to " + folder, tf.add("a", "b")])
        joined = [[b"folder/a.x", b"folder/a.yz"], [b"folder/b.x", b"folder/b.yz"]]
        self.assertEqual(paths.tolist(), joined)
        self.assertEqual(others, [b"to folder/", b"ab"])

    def test_operators_take_numbers_arrays_and_tensors_on_both_sides(self):
        x = tf.constant(X)
        self.check(X + 1, x + 1)
        self.check(1 - X, 1 - x)
        self.check(2 * X, np.float32(2) * x)
        self.check(X + X, X + x)
        self.check(X / 2, x / 2)
        self.check(-X, -x)
        self.check(abs(X), abs(x))
        self.check(X**2, x**2)
        self.check(X @ X.T, x @ X.T)
        self.check(X > 1, x > 1)
        self.check(~(X > 1), ~(x > 1))
        self.check((X > 1) & (X < 4), (x > 1) & (x < 4))
        self.check((X > 3) | (X < 0), (x > 3) | (x < 0))

    def test_integers_divide_to_fractions_as_in_python(self):
        self.check([0.5, 1.5], tf.constant([1, 3]) / 2)
        self.assertEqual((tf.constant([1, 3]) / 2).dtype, tf.float64)

    def test_reductions_take_axes_and_may_keep_them(self):
        for name, reference in (("sum", np.sum), ("mean", np.mean), ("max", np.max),
                                ("min", np.min), ("prod", np.prod)):  # fmt: skip
            function = getattr(tf, "reduce_" + name)
            with self.subTest(name):
                self.check(reference(X), function(X))
                self.check(reference(X, axis=1), function(X, 1))
                self.check(reference(X, axis=0, keepdims=True), function(X, [0], keepdims=True))
                by_older_names = function(X, reduction_indices=[0], keep_dims=True)
                self.check(reference(X, axis=0, keepdims=True), by_older_names)
        self.check(False, tf.reduce_all(tf.constant(X) > 0))
        self.check([True, True, True], tf.reduce_any(tf.constant(X) > 0, 0))
        self.check(np.argmax(X, 1), tf.argmax(X, 1))

    def test_a_reduction_of_unknown_rank_is_over_all_axes(self):
        x = tf.placeholder(tf.float32)
        with tf.Session() as session:
            self.assertAllClose(session.run(tf.reduce_sum(x), {x: X}), X.sum())

    def test_shapes_are_changed_as_by_numpy(self):
        self.check(X.reshape(3, 2), tf.reshape(X, [3, -1]))
        self.check(X.T, tf.transpose(X))
        self.check(X[None], tf.expand_dims(X, 0))
        self.check(X, tf.squeeze(X[None], [0]))
        self.check(np.concatenate([X, X], 1), tf.concat([X, X], 1))
        self.check(np.stack([X, X], 1), tf.stack([X, X], axis=1))
        self.check(np.pad(X, [(1, 0), (0, 2)]), tf.pad(X, [[1, 0], [0, 2]]))
        self.check(X[:, [2, 0]], tf.gather(X, [2, 0], axis=1))
        self.check([2, 3], tf.shape(X))
        self.check(6, tf.size(X))
        self.check(X[1:, :2], tf.slice(X, [1, 0], [-1, 2]))
        self.check(np.zeros_like(X), tf.zeros_like(X))
        self.assertEqual(tf.ones_like(X, tf.int32).dtype, tf.int32)
        self.check(2, tf.rank(X))
        self.check(np.eye(3, dtype=np.float32)[[2, 0]], tf.one_hot([2, 0], 3))
        self.check(np.where(X > 0, X, 0), tf.where(X > 0, X, np.zeros_like(X)))
        self.check(np.arange(1, 9, 3), tf.range(1, 9, 3))
        self.check(np.arange(1, 2.5, 0.5), tf.range(1, 2.5, 0.5))
        self.check(np.arange(0, 6, 2.0, np.float32), tf.range(tf.constant(0), np.int64(6), 2.0))
        self.assertEqual(tf.range(0, 6, 2.0).shape.as_list(), [3])
        self.check(np.broadcast_to(X[:1], (4, 3)), tf.broadcast_to(X[:1], [4, 3]))
        parts = tf.unstack(tf.constant(X), axis=1) + tf.split(tf.constant(X), [1, 2], 1)
        for part, expected in zip(parts, [X[:, 0], X[:, 1], X[:, 2], X[:, :1], X[:, 1:]]):
            self.check(expected, part)

    def test_an_index_takes_positions_ranges_ellipses_and_new_axes(self):
        cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        x = tf.constant(cube)
        for key in (1, -1, (0, 2), np.s_[:, 1:], np.s_[..., 0], np.s_[..., None], np.s_[None, 1],
                    np.s_[1, None],
                    np.s_[0, ..., 1:3], np.s_[:, None, -2:], np.s_[1, 1, 1]):  # fmt: skip
            with self.subTest(key):
                self.check(cube[key], x[key])
        with self.assertRaises(ValueError):
            x[2]

    def test_layers_and_losses(self):
        exps = np.exp(X - X.max(1, keepdims=True))
        softmax = exps / exps.sum(1, keepdims=True)
        self.check(np.maximum(X, 0), tf.nn.relu(X))
        self.check(1 / (1 + np.exp(-X)), tf.nn.sigmoid(X))
        self.check(softmax, tf.nn.softmax(X))
        self.check(np.log(softmax), tf.nn.log_softmax(X))
        columns = np.exp(X) / np.exp(X).sum(0)
        self.check(columns, tf.nn.softmax(X, axis=0))
        self.check(softmax[None], tf.nn.softmax(X[None], dim=2))
        self.check((X**2).sum() / 2, tf.nn.l2_loss(X))
        self.check(X + [1, 2, 3], tf.nn.bias_add(X, [1.0, 2.0, 3.0]))
        losses = -np.log(softmax[[0, 1], [2, 0]])
        self.check(losses, tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=X))
        labels = np.eye(3, dtype=np.float32)[[2, 0]]
        self.check(losses, tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=X))

    def test_random_numbers_follow_their_seeds(self):
        tf.set_random_seed(1)
        drawn = [tf.random_normal([100], stddev=2.0), tf.random_uniform([100], -1, 1),
                 tf.truncated_normal([100])]  # fmt: skip
        with tf.Session() as one, tf.Session() as other:
            normal, uniform, truncated = one.run(drawn)
            self.assertAllEqual(other.run(drawn)[0], normal)
        self.assertGreater(normal.std(), 1.5)
        self.assertTrue((np.abs(uniform) <= 1).all() and uniform.min() < 0)
        self.assertLessEqual(np.abs(truncated).max(), 2)

    def test_a_placeholder_may_have_a_default(self):
        x = tf.placeholder_with_default(0.5, [])
        with tf.Session() as session:
            self.assertEqual([session.run(x), session.run(x, {x: 2.0})], [0.5, 2])
        any_length = tf.placeholder_with_default([1.0], [None])
        self.assertEqual(any_length.shape.as_list(), [None])
        with tf.Session() as session:
            self.assertAllEqual(session.run(any_length, {any_length: [2.0, 3.0]}), [2, 3])
        with self.assertRaisesRegex(ValueError, "PlaceholderWithDefault"):
            tf.placeholder_with_default([1.0], [3])

    def test_casts(self):
        self.check(X.astype(np.int32), tf.cast(X, tf.int32))
        x = tf.constant(X)
        self.assertIs(tf.cast(x, tf.float32), x)


class CatalogTest(unittest.TestCase):
    def test_every_op_of_the_catalog_is_a_raw_op_with_its_documentation(self):
        from troupe import _native

        for name, op_def in _native.ops().items():
            if not name.startswith("_"):
                function = getattr(tf.raw_ops, name)
                doc = function.__doc__.partition("\n\n    Args:\n")[0]
                self.assertEqual(" ".join(doc.split()), " ".join(op_def["doc"].split()))

    def test_a_raw_op_says_the_dtypes_of_its_arguments_and_results(self):
        for function, sentences in (
            (tf.raw_ops.TopKV2, (
                "input: A tensor of real numbers.", "k: A tensor of int32.", "sorted: A bool.",
                "A list of `values`, a tensor of the dtype of `input`; `indices`, a tensor of",
            )),
            (tf.raw_ops.ConcatV2, (
                "values: A list of tensors of any dtype.", "axis: A tensor of int32 or int64.",
                "The tensor `output`, of the dtype of `values`.",
            )),
            (tf.raw_ops.Cast, ("DstT: A dtype: numbers or bool.", "`y`, of the dtype `DstT`.")),
            (tf.raw_ops.Assign, ("ref: A reference to a variable of any dtype.",)),
            (tf.raw_ops.QueueEnqueueV2, (
                "handle: The handle of a resource.", "Returns: The operation.",
            )),
            (tf.raw_ops.IteratorGetNext, ("`components`, tensors of the dtypes `output_types`.",)),
        ):  # fmt: skip
            for sentence in sentences:
                self.assertIn(sentence, " ".join(function.__doc__.split()))

    def test_an_unsupported_name_is_an_error_that_tells_why(self):
        with self.assertRaisesRegex(AttributeError, "not part of this .*: quantized dtypes"):
            tf.quantize
        with self.assertRaisesRegex(AttributeError, "did you mean 'reduce_sum'"):
            tf.reduce_sun
        self.assertFalse(hasattr(tf.nn, "conv_of_tomorrow"))

    def test_the_name_of_the_compatible_module_is_the_same_package(self):
        import troupe.compat.v1 as v1

        v1.disable_v2_behavior()
        self.assertIs(v1.matmul, tf.matmul)
        self.assertIs(tf.random.normal, tf.random_normal)
        self.assertIs(tf.initializers.zeros, tf.zeros_initializer)

    def test_a_program_ends_with_what_its_main_returns(self):
        with self.assertRaises(SystemExit) as caught:
            tf.app.run(lambda argv: len(argv), ["program", "argument"])
        self.assertEqual(caught.exception.code, 2)

    def test_raw_ops_take_keywords_only(self):
        with self.assertRaisesRegex(TypeError, r"Add only .* keys: \['x', 'y', 'name'\]"):
            tf.raw_ops.Add(1.0, y=1.0)
        found = tf.raw_ops.Any(input=[[True, False]], axis=0)
        with tf.Session() as session:
            self.assertEqual(session.run(found).tolist(), [True, False])


if __name__ == "__main__":
    unittest.main()
