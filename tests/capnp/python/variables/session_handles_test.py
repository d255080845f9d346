"""Tensors that a session keeps from step to step, by handles."""

import gc
import unittest

import numpy as np

import troupe as tf


class SessionHandlesTest(tf.test.TestCase):
    def test_a_kept_tensor_is_read_by_other_steps(self):
        a = tf.constant([1.0, 2.0])
        kept = tf.get_session_handle(a * 3)
        with tf.Session() as session:
            handle = session.run(kept)
            self.assertAllEqual(handle.eval(), [3, 6])
            holder, x = tf.get_session_tensor(handle.handle, tf.float32)
            self.assertAllEqual(session.run(x + 1, {holder: handle.handle}), [4, 7])
            self.assertAllEqual(session.run(x + 2, {holder: handle}), [5, 8])
            values = session.run({"kept": [kept, a]})["kept"]
            self.assertAllEqual(values[0].eval(), [3, 6])
            self.assertNotEqual(str(values[0]), str(handle))
            self.assertAllEqual(values[1], [1, 2])

    def test_a_handle_can_be_fed_for_any_tensor(self):
        a = tf.constant(2.0)
        b = a * 5
        with tf.Session() as session:
            handle = session.run(tf.get_session_handle(b))
            self.assertEqual(session.run(b + a, {a: handle}), 60)

    def test_a_kept_tensor_is_not_changed_with_what_it_came_from(self):
        fed = tf.placeholder(tf.float32, [1000])
        variable = tf.Variable(tf.zeros([1000]))
        with tf.Session() as session:
            session.run(variable.initializer)
            array = np.ones(1000, np.float32)
            handles = session.run(
                [tf.get_session_handle(fed), tf.get_session_handle(variable.read_value())],
                {fed: array},
            )
            array[:] = 7
            session.run(tf.assign_add(variable, tf.ones([1000])))
            self.assertAllEqual(handles[0].eval(), np.ones(1000))
            self.assertAllEqual(handles[1].eval(), np.zeros(1000))

    def test_a_deleted_tensor_is_gone(self):
        kept = tf.get_session_handle(tf.constant(1))
        with tf.Session() as session:
            handle = session.run(kept)
            handle.delete()
            for use in (handle.eval, handle.delete):
                with self.assertRaisesRegex(TypeError, "may have already been deleted"):
                    use()
            raw = session.run(kept).get_raw_handle()
            holder, deleter = tf.delete_session_tensor(raw)
            session.run(deleter, {holder: raw})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "is not in the session"):
                session.run(deleter, {holder: raw})

    def test_tensors_whose_handles_are_gone_are_deleted(self):
        kept = tf.get_session_handle(tf.constant(1))
        with tf.Session() as session:
            names = [str(session.run(kept)) for _ in range(25)]
            gc.collect()
            last = session.run(kept)
            holder, x = tf.get_session_tensor(last.handle, tf.int32)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "is not in the session"):
                session.run(x, {holder: names[0]})
            self.assertEqual(session.run(x, {holder: last}), 1)

    def test_a_handle_is_of_one_session_and_one_dtype(self):
        kept = tf.get_session_handle(tf.constant(1))
        with tf.Session() as session, tf.Session() as other:
            handle = session.run(kept)
            holder, x = tf.get_session_tensor(handle.handle, tf.int32)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "is not in the session"):
                other.run(x, {holder: handle.handle})
            holder, x = tf.get_session_tensor(handle.handle, tf.float32)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "int32, but float32"):
                session.run(x, {holder: handle.handle})

    def test_only_tensors_can_be_kept(self):
        with self.assertRaisesRegex(TypeError, "must be of type Tensor"):
            tf.get_session_handle(3)


if __name__ == "__main__":
    unittest.main()
