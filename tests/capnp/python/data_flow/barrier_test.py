"""Barriers."""

import unittest

import numpy as np
import troupe as tf
from troupe.python.ops.data_flow_ops import Barrier


class BarrierTest(tf.test.TestCase):
    def test_elements_are_taken_once_they_have_all_components(self):
        barrier = Barrier((tf.float32, tf.int32), shapes=((), (2,)))
        taken = barrier.take_many(2)
        self.assertEqual(taken.values[1].shape.as_list(), [2, 2])
        with tf.Session() as session:
            session.run(barrier.insert_many(0, ["a", "b"], [1.0, 2.0]))
            self.assertEqual(session.run([barrier.ready_size(), barrier.incomplete_size()]), [0, 2])
            session.run(barrier.insert_many(1, ["b", "a"], [[3, 4], [5, 6]]))
            indices, keys, (numbers, pairs) = session.run(taken)
            self.assertAllEqual(indices, [np.iinfo(np.int64).min] * 2)
            order = [list(keys).index(key) for key in (b"a", b"b")]
            self.assertAllEqual(numbers[order], [1.0, 2.0])
            self.assertAllEqual(pairs[order], [[5, 6], [3, 4]])

    def test_a_closed_barrier_gives_what_is_left(self):
        barrier = Barrier(tf.int32, shapes=())
        with tf.Session() as session:
            session.run(barrier.insert_many(0, ["a"], [1]))
            session.run(barrier.close())
            with self.assertRaisesRegex(tf.errors.OutOfRangeError, "requested 2, total size 1"):
                session.run(barrier.take_many(2))
            self.assertAllEqual(
                session.run(barrier.take_many(2, allow_small_batch=True).values[0]), [1]
            )
            with self.assertRaises(tf.errors.CancelledError):
                session.run(barrier.insert_many(0, ["b"], [2]))

    def test_shapes_have_elements_and_are_known(self):
        with self.assertRaisesRegex(ValueError, "Empty tensors are not supported"):
            Barrier((tf.float32, tf.float32), shapes=((1,), (0,)))
        with self.assertRaisesRegex(ValueError, "fully defined"):
            Barrier((tf.float32,), shapes=((None,),))

    def test_its_handle_has_the_name_of_the_barrier(self):
        barrier = Barrier(tf.int32, shapes=(), shared_name="named")
        with tf.Session() as session:
            self.assertEqual(session.run(barrier.barrier_ref)[1], b"named")


if __name__ == "__main__":
    unittest.main()
