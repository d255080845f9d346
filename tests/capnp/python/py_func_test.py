"""Functions of Python as ops: values and errors."""

import gc
import unittest

import numpy as np

import troupe as tf

LARGE = 1 << 18  # elements, more than the size up to which tensors are copied


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


class ValuesTest(tf.test.TestCase):
    def test_a_function_gets_arrays_and_returns_one(self):
        x = tf.placeholder(tf.float32)
        y = tf.py_func(np.sinh, [x], tf.float32)
        self.assertAllClose(run(y, {x: [[1.0, 2.0]]}), np.sinh([[1.0, 2.0]]))
        self.assertIsNone(y.shape.ndims)
        self.assertEqual([y.op.type, y.dtype], ["PyFunc", tf.float32])

    def test_a_scalar_is_one_of_numpy_and_text_is_bytes(self):
        given = []
        y = tf.py_func(lambda *args: given.extend(args), [1.5, 2, "\u00e9", ["a\0", ""]], [])
        run(y)
        self.assertEqual([type(item) for item in given[:3]], [np.float32, np.int32, bytes])
        self.assertEqual([given[0], given[1], given[2]], [1.5, 2, "\u00e9".encode()])
        self.assertEqual([given[3].dtype, given[3].tolist()], [object, [b"a\0", b""]])

    def test_several_results_are_a_list(self):
        for returned in ((np.float64(2), b"b"), [np.float64(2), b"b"]):
            results = tf.py_func(lambda r=returned: r, [], [tf.float64, tf.string])
            self.assertEqual(run(results), [2.0, b"b"])
        (only,) = tf.numpy_function(lambda x: x + 1, [tf.constant(1.0)], [tf.float32])
        self.assertEqual(run(only), 2)

    def test_a_function_without_results_is_an_operation(self):
        calls = []
        for returned in (None, [], ()):
            op = tf.py_func(lambda r=returned: (calls.append(r), r)[1], [], [])
            self.assertIsInstance(op, tf.Operation)
            self.assertIsNone(run(op))
        self.assertEqual(calls, [None, [], ()])

    def test_each_dtype_comes_and_goes(self):
        for dtype in (tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.bool,
                      tf.int8, tf.int16, tf.int32, tf.int64,
                      tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bfloat16):  # fmt: skip
            array = np.array([[0, 1, 1]], dtype.as_numpy_dtype)
            given = []

            def function(x, given=given):
                given.append(x)
                return x

            y = tf.py_func(function, [tf.constant(array, dtype)], dtype)
            self.assertEqual(y.dtype, dtype)
            self.assertAllEqual(run(y), array)
            self.assertEqual(given[0].dtype, array.dtype)

    def test_arrays_of_any_layout_are_returned_right(self):
        whole = np.arange(24, dtype=np.float32).reshape(4, 6)
        for array in (whole.T, whole[::2, ::3], np.asfortranarray(whole), whole[:, ::-1],
                      whole.astype(">f4"), whole[:0], np.float32(3), np.array(3, np.float32),
                      np.broadcast_to(whole[0], (3, 6))):  # fmt: skip
            found = run(tf.py_func(lambda a=array: a, [], tf.float32))
            self.assertEqual(np.shape(found), np.shape(array))
            self.assertAllEqual(found, array)

    def test_texts_are_encoded_and_keep_their_zeros(self):
        for returned, expected in (
            ("\u00e9", "\u00e9".encode()),
            (b"a\0", b"a\0"),
            ([["a\0", "\u00e9\u00e9"]], [b"a\0", "\u00e9\u00e9".encode()]),
            (np.array(["a", "\u00e9\u00e9"]), [b"a", "\u00e9\u00e9".encode()]),
            (np.array([b"a", b""]), [b"a", b""]),
            (np.array([[b"a\0", "b"]], object), [[b"a\0", b"b"]]),
            (np.array([], object), []),
        ):
            found = run(tf.py_func(lambda r=returned: r, [], tf.string))
            self.assertEqual(np.asarray(found, object).tolist(), expected)

    def test_a_function_may_write_into_its_arguments_and_changes_nobody_elses(self):
        v = tf.Variable(np.ones(LARGE, np.float32))
        x = tf.placeholder(tf.float32)

        def doubled(array):
            array *= 2
            return array

        results = [tf.py_func(doubled, [value], tf.float32) for value in (v, v, x, x * 1.0)]
        fed = np.ones(LARGE, np.float32)
        with tf.Session() as session:
            session.run(v.initializer)
            for _ in range(2):
                found = session.run(results + [x * 1.0, v], {x: fed})
                self.assertEqual([array[0] for array in found], [2, 2, 2, 2, 1, 1])
        self.assertEqual(fed[0], 1)

    def test_an_array_that_was_returned_may_change_later(self):
        kept = np.zeros(LARGE, np.float32)

        def count():
            kept[:] += 1
            return kept

        y = tf.py_func(count, [], tf.float32)
        with tf.Session() as session:
            first, second = session.run(y), session.run(y)
        self.assertEqual([first[0], second[-1], kept[0]], [1, 2, 2])

    def test_a_stateful_function_runs_once_for_each_node_and_step(self):
        calls = []
        nodes = [tf.py_func(lambda: calls.append(1), [], []) for _ in range(3)]
        stateless = tf.py_func(lambda x: x + 1, [1.0], tf.float32, stateful=False, name="f")
        self.assertEqual([nodes[0].type, stateless.op.type], ["PyFunc", "PyFuncStateless"])
        self.assertEqual(stateless.op.name, "f")
        with tf.Session() as session:
            for _ in range(4):
                session.run([nodes, nodes[0]])
            self.assertEqual(session.run([stateless, stateless]), [2, 2])
        self.assertEqual(len(calls), 12)

    def test_a_function_runs_in_each_iteration_of_a_loop_and_in_the_branch_that_is_taken(self):
        seen = []

        def double(x):
            seen.append(int(x))
            return x * 2

        looped = tf.while_loop(
            lambda x: x < 100, lambda x: tf.py_func(double, [x], tf.int32), [3],
            shape_invariants=[tf.TensorShape(None)],
        )  # fmt: skip
        taken = tf.cond(
            tf.placeholder_with_default(True, []),
            lambda: tf.py_func(double, [1000], tf.int32),
            lambda: tf.py_func(double, [2000], tf.int32),
        )
        self.assertEqual(run([looped, taken]), [192, 2000])
        self.assertEqual(sorted(seen), [3, 6, 12, 24, 48, 96, 1000])

    def test_no_gradient_passes_through_unless_the_graph_names_one(self):
        x = tf.constant(3.0)
        plain = tf.py_func(np.square, [x], tf.float32)
        self.assertEqual(tf.gradients(plain, x), [None])

        @tf.RegisterGradient("SquareInPython")
        def _gradient(op, grad):
            return 2.0 * op.inputs[0] * grad

        with tf.get_default_graph().gradient_override_map({"PyFunc": "SquareInPython"}):
            y = tf.py_func(np.square, [x], tf.float32)
        self.assertEqual(run(tf.gradients(y, x)), [6])

    def test_what_is_no_function_or_no_list_is_refused(self):
        with self.assertRaisesRegex(ValueError, "Expected func to be callable, got func of type"):
            tf.py_func(5, [], tf.float32)
        with self.assertRaises(TypeError):
            tf.py_func(np.sinh, tf.constant(1.0), tf.float32)
        with self.assertRaises(TypeError):
            tf.py_func(np.sinh, [1.0], "no dtype")


class ErrorsTest(tf.test.TestCase):
    def error_of(self, function, dtypes=(), inputs=()):
        node = tf.py_func(function, list(inputs), dtypes, name="f")
        with tf.Session() as session:
            with self.assertRaises(tf.errors.OpError) as caught:
                session.run(node)
            self.assertEqual(session.run(tf.constant(7)), 7)
        error = caught.exception
        self.assertEqual(error.node_op, "PyFunc")
        self.assertEqual(error.device, "/job:localhost/task:0/device:CPU:0")
        return error

    def test_an_exception_is_the_error_of_its_code_with_its_message(self):
        class OwnError(Exception):
            pass

        def raising(exception):
            def f():
                raise exception

            return f

        for exception, kind, text in (
            (ValueError("bad"), tf.errors.InvalidArgumentError, "ValueError: bad"),
            (UnicodeError("odd"), tf.errors.InvalidArgumentError, "UnicodeError: odd"),
            (TypeError("bad"), tf.errors.InvalidArgumentError, "TypeError: bad"),
            (StopIteration("end"), tf.errors.OutOfRangeError, "StopIteration: end"),
            (MemoryError("full"), tf.errors.ResourceExhaustedError, "MemoryError: full"),
            (NotImplementedError("no"), tf.errors.UnimplementedError, "NotImplementedError: no"),
            (KeyError("key"), tf.errors.UnknownError, "KeyError: 'key'"),
            (OwnError("own"), tf.errors.UnknownError, "OwnError: own"),
            (SystemExit(3), tf.errors.UnknownError, "SystemExit: 3"),
            (KeyboardInterrupt(), tf.errors.UnknownError, "KeyboardInterrupt"),
            (ValueError("\u00e9\ud800"), tf.errors.InvalidArgumentError, "\u00e9"),
            (tf.errors.AbortedError(None, None, "again"), tf.errors.AbortedError, "again"),
        ):
            error = self.error_of(raising(exception))
            self.assertIs(type(error), kind)
            self.assertIn(text, error.message)
            self.assertRegex(error.message, r"Traceback[^$]*py_func_test.py\", line \d+, in f\b")
            self.assertNotIn("_src/session/py_func.py", error.message)
            self.assertNotIn("also:", str(error))

    def test_an_exception_without_a_text_and_deep_recursion_are_errors_too(self):
        class MuteError(Exception):
            def __str__(self):
                raise RuntimeError

        def mute():
            raise MuteError

        def deep():
            return deep()

        self.assertIn("MuteError", self.error_of(mute).message)
        message = self.error_of(deep).message
        self.assertIn("RecursionError: maximum recursion depth exceeded", message)
        self.assertLess(len(message), 10000)

    def test_results_of_another_dtype_or_number_say_what_was_expected(self):
        for returned, dtypes, text in (
            (1.0, tf.float32, r"0-th value returned by pyfunc_\S+ is float64, but expects float32"),
            ((np.float32(1), 1), [tf.float32, tf.int32],
             r"1-th value returned by pyfunc_\S+ is int64, but expects int32"),
            ("text", tf.int32, r"0-th value returned by pyfunc_\S+ is string, but expects int32"),
            (np.float32(1), tf.string, "is float32, but expects string"),
            (object(), tf.float32, "is an object of <class 'object'>, but expects float32"),
            ([["a", 1]], tf.string, "is an object of <class 'int'>, but expects string"),
            (np.datetime64("2020"), tf.int64, "no tensor can have elements of the NumPy type"),
            (np.zeros(1, "i4,f4"), tf.int32, "no tensor can have elements of the NumPy type"),
            ([1.0, 2.0], tf.float64, r"pyfunc_\S+ returns 2 values, but expects to see 1 values"),
            (None, tf.float32, "returns 0 values, but expects to see 1 values"),
            (1.0, [], "returns 1 values, but expects to see 0 values"),
            ([[[1], [1, 2]]], tf.int64, "ValueError"),
        ):  # fmt: skip
            error = self.error_of(lambda r=returned: r, dtypes)
            self.assertIs(type(error), tf.errors.InvalidArgumentError)
            self.assertRegex(error.message, text)

    def test_a_wrong_number_of_arguments_is_an_error(self):
        error = self.error_of(lambda: None, [], [1.0])
        self.assertIs(type(error), tf.errors.InvalidArgumentError)
        self.assertIn("TypeError", error.message)

    def test_a_function_of_another_program_or_of_a_graph_that_is_gone_is_not_called(self):
        with tf.Graph().as_default() as other:
            token = tf.py_func(lambda: None, [], []).get_attr("token").decode()
        foreign = tf.raw_ops.PyFunc(input=[], token="pyfunc_0_other", Tout=[])
        shared = tf.raw_ops.PyFuncStateless(input=[], token=token, Tout=[])
        with tf.Session() as session:
            session.run(shared)
            with self.assertRaisesRegex(
                tf.errors.InvalidArgumentError, "callback pyfunc_0_other is not found"
            ):
                session.run(foreign)
            del other
            gc.collect()
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f"{token} is not found"):
                session.run(shared)


if __name__ == "__main__":
    unittest.main()
