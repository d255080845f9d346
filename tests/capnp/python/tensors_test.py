"""Conversions of values between Python, NumPy and the runtime."""

import gc
import unittest
import weakref

import numpy as np

import troupe as tf

LARGE = 1 << 16  # elements, more than the size up to which tensors are copied


class ConstantTest(tf.test.TestCase):
    def test_numbers_of_python_are_float32_and_int32_and_arrays_keep_their_type(self):
        self.assertEqual(tf.constant(1.5).dtype, tf.float32)
        self.assertEqual(tf.constant([1, 2]).dtype, tf.int32)
        self.assertEqual(tf.constant(2**40).dtype, tf.int64)
        self.assertEqual(tf.constant(True).dtype, tf.bool)
        self.assertEqual(tf.constant(np.float64(1)).dtype, tf.float64)
        self.assertEqual(tf.constant(np.zeros(2, np.int8)).dtype, tf.int8)

    def test_a_value_that_the_dtype_cannot_represent_is_refused(self):
        with self.assertRaises(TypeError):
            tf.constant(1.5, tf.int32)
        with self.assertRaises(TypeError):
            tf.constant(300, tf.uint8)
        with self.assertRaises(TypeError):
            tf.constant("text", tf.float32)

    def test_a_shape_lays_values_out_and_repeats_the_last(self):
        with tf.Session() as session:
            self.assertAllEqual(session.run(tf.constant(7, shape=[2, 2])), [[7, 7], [7, 7]])
            self.assertAllEqual(session.run(tf.constant([1, 2], shape=[4])), [1, 2, 2, 2])
        with self.assertRaises(ValueError):
            tf.constant([1, 2, 3], shape=[2])

    def test_an_empty_shape_takes_any_value_of_python_as_float32_or_the_given_dtype(self):
        with tf.Session() as session:
            for value, dtype, found in (
                (0.0, None, tf.float32), (3, None, tf.float32), ("a", None, tf.float32),
                ([1, 2], tf.int64, tf.int64), ("a", tf.string, tf.string), (1, tf.bool, tf.bool),
            ):  # fmt: skip
                empty = tf.constant(value, dtype, [0, 4])
                self.assertEqual((empty.dtype, empty.shape), (found, [0, 4]))
                self.assertEqual(session.run(empty).shape, (0, 4))
        with self.assertRaisesRegex(ValueError, "Needed at most 0, but received 1"):
            tf.constant(np.float32(1), shape=[0])
        with self.assertRaisesRegex(ValueError, "None values not supported"):
            tf.constant(None, shape=[0])

    def test_each_dtype_is_fetched_as_it_was_given(self):
        with tf.Session() as session:
            for dtype in (tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.bool,
                          tf.int8, tf.int16, tf.int32, tf.int64,
                          tf.uint8, tf.uint16, tf.uint32, tf.uint64):  # fmt: skip
                array = np.array([[0, 1, 1]], dtype.as_numpy_dtype)
                fetched = session.run(tf.constant(array))
                self.assertEqual(fetched.dtype, array.dtype)
                self.assertAllEqual(fetched, array)

    def test_bfloat16_goes_and_comes_as_float32(self):
        x = tf.placeholder(tf.bfloat16, [2])
        with tf.Session() as session:
            self.assertAllEqual(session.run(tf.constant([1.5, -2.0], tf.bfloat16)), [1.5, -2.0])
            between = [1 + 2.0**-8, 1 + 3 * 2.0**-8]  # ties, which go to the even neighbour
            self.assertAllEqual(
                session.run(tf.constant(between, tf.bfloat16)), [1, 1 + 4 * 2.0**-8]
            )
            self.assertAllEqual(session.run(tf.identity(x), {x: [0.5, 3.0]}), [0.5, 3.0])

    def test_strings_are_bytes(self):
        with tf.Session() as session:
            self.assertEqual(session.run(tf.constant("a word")), b"a word")
            fetched = session.run(tf.constant([["a", "\u00e9"]]))
            self.assertEqual(fetched.tolist(), [[b"a", "\u00e9".encode()]])

    def test_bytes_keep_the_zeros_at_their_ends(self):
        x = tf.placeholder(tf.string)
        for value in (b"a\0", [b"a\0", b"\0"], [[b"\0\0"]]):
            with tf.Session() as session:
                found = session.run([tf.constant(value), tf.identity(x)], {x: value})
            for array in found:
                self.assertEqual(np.asarray(array, object).tolist(), value)

    def test_a_list_of_tensors_becomes_one(self):
        x = tf.constant(1.0)
        with tf.Session() as session:
            self.assertAllEqual(session.run(tf.convert_to_tensor([x, 2.0, [3.0][0]])), [1, 2, 3])


class FeedTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.x = tf.placeholder(tf.float32, [None, None], name="x")
        self.y = self.x + 1.0

    def test_arrays_of_any_layout_are_fed_right(self):
        whole = np.arange(24, dtype=np.float32).reshape(4, 6)
        layouts = [whole, whole.T, whole[::2, ::3], np.asfortranarray(whole), whole[:, ::-1],
                   whole.astype(">f4"), whole.astype(np.float64), whole.tolist()]  # fmt: skip
        for session in self.sessions():
            for array in layouts:
                self.assertAllEqual(session.run(self.y, {self.x: array}), np.asarray(array) + 1)

    def sessions(self):
        with tf.Session() as session:
            yield session
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target) as session:
            yield session
        server.stop()

    def test_a_wrong_shape_is_refused_before_the_step(self):
        with tf.Session() as session:
            with self.assertRaisesRegex(ValueError, r"Cannot feed value of shape \(2,\).*'x:0'"):
                session.run(self.y, {self.x: [1, 2]})

    def test_an_invalid_feed_is_a_type_error(self):
        count = tf.placeholder(tf.int8)
        with tf.Session() as session:
            with self.assertRaises(TypeError):
                session.run(self.y, {self.x: self.y})
            with self.assertRaises(TypeError):
                session.run(self.y, {"nobody:0": 1.0})
            with self.assertRaises(TypeError):
                session.run(tf.identity(count), {count: 1000})

    def test_any_tensor_may_be_fed_and_names_and_tuples_too(self):
        z = self.y * 2.0
        with tf.Session() as session:
            self.assertAllEqual(session.run(z, {self.y: [[3.0]]}), [[6]])
            self.assertAllEqual(session.run(z, {"x:0": [[3.0]]}), [[8]])
            self.assertAllEqual(session.run(self.y, {(self.x,): ([[1.0]],)}), [[2]])

    def test_a_local_session_copies_feeds_because_variables_may_keep_them(self):
        fed = tf.placeholder(tf.float32, [LARGE])
        v = tf.Variable(tf.zeros([LARGE]))
        array = np.ones(LARGE, np.float32)
        with tf.Session() as session:
            session.run(tf.assign(v, fed), {fed: array})
            array[:] = 7
            self.assertEqual(session.run(v)[0], 1)

    def test_a_remote_session_does_not_keep_fed_arrays(self):
        fed = tf.placeholder(tf.float32, [LARGE])
        v = tf.Variable(tf.zeros([LARGE]))
        array = np.ones(LARGE, np.float32)
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target) as session:
            session.run(tf.assign(v, fed), {fed: array})
            array[:] = 7
            self.assertEqual(session.run(v)[0], 1)
            session.run(v.initializer)
            kept = weakref.ref(array)
            del array
            gc.collect()
            self.assertIsNone(kept())
        server.stop()


class FetchTest(tf.test.TestCase):
    def test_a_fetched_array_shares_the_memory_of_the_tensor(self):
        with tf.Session() as session:
            array = session.run(tf.ones([LARGE]) + 1.0)
        self.assertFalse(array.flags.owndata)
        self.assertEqual(array.sum(), 2 * LARGE)  # the session is closed, the memory is not

    def test_an_array_whose_memory_is_not_shared_is_writable(self):
        with tf.Session() as session:
            value = tf.ones([LARGE]) + 1.0
            call = session.make_callable(value)
            for _ in range(100):
                for array in (session.run(value), call()):
                    array += 1
                    self.assertEqual(array[0], 3)

    def test_the_memory_of_a_variable_is_read_only(self):
        v = tf.Variable(tf.ones([LARGE]))
        with tf.Session() as session:
            session.run(v.initializer)
            array = session.run(v)
            with self.assertRaises(ValueError):
                array += 1
            session.run(tf.assign_add(v, tf.ones([LARGE])))
            self.assertEqual(array[0], 1)

    def test_a_slice_is_writable_and_keeps_nothing_else(self):
        v = tf.Variable(tf.ones([2, LARGE]))
        with tf.Session() as session:
            session.run(v.initializer)
            array = session.run(v[1])
            array += 1
            self.assertEqual(session.run(v).sum(), 2 * LARGE)

    def test_an_array_from_another_node_is_writable(self):
        v = tf.Variable(tf.ones([LARGE]))
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target) as session:
            session.run(v.initializer)
            array = session.run(v)
            array += 1
            self.assertEqual(session.run(v)[0], 1)
        server.stop()

    def test_a_scalar_is_one_of_numpy(self):
        with tf.Session() as session:
            self.assertIsInstance(session.run(tf.constant(1.5)), np.float32)
            self.assertIsInstance(session.run(tf.constant(True)), np.bool_)

    def test_an_empty_array_has_its_shape(self):
        with tf.Session() as session:
            self.assertEqual(session.run(tf.zeros([2, 0, 3])).shape, (2, 0, 3))


if __name__ == "__main__":
    unittest.main()
