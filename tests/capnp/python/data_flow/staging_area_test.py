"""Staging areas, with and without keys."""

import threading
import unittest

import troupe as tf
from troupe.python.ops.data_flow_ops import MapStagingArea, StagingArea


class StagingAreaTest(tf.test.TestCase):
    def test_tuples_come_in_order(self):
        area = StagingArea([tf.float32, tf.string], shapes=[[2], []], shared_name="in_order")
        number = tf.placeholder(tf.float32, [2])
        put = area.put([number, tf.constant("a")])
        get, peek, size = area.get(), area.peek(0), area.size()
        self.assertEqual(get[0].shape.as_list(), [2])
        with tf.Session() as session:
            session.run(area.clear())
            for value in (1.0, 2.0):
                session.run(put, {number: [value, value]})
            self.assertEqual(session.run(size), 2)
            self.assertAllEqual(session.run(peek)[0], [1.0, 1.0])
            self.assertAllEqual(session.run(get)[0], [1.0, 1.0])
            self.assertAllEqual(session.run(get)[0], [2.0, 2.0])
            self.assertEqual(session.run(size), 0)

    def test_named_components_are_dicts(self):
        area = StagingArea([tf.int32, tf.int32], names=["a", "b"], shared_name="named")
        put, get = area.put({"b": tf.constant(2), "a": tf.constant(1)}), area.get()
        with tf.Session() as session:
            session.run(area.clear())
            session.run(put)
            self.assertEqual(session.run(get), {"a": 1, "b": 2})

    def test_a_put_waits_for_room_until_its_step_ends(self):
        area = StagingArea([tf.int32], capacity=1, shared_name="bounded")
        put, get, size = area.put(tf.constant(1)), area.get(), area.size()
        soon = tf.RunOptions(timeout_in_ms=100)
        with tf.Session() as session:
            session.run(area.clear())
            session.run(put)
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(put, options=soon)
            self.assertEqual(session.run(size), 1)
            thread = threading.Thread(target=session.run, args=(put,))
            thread.start()
            self.assertEqual(session.run(get), [1])
            thread.join(60)
            self.assertEqual(session.run(get), [1])
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(get, options=soon)

    def test_what_does_not_fit_is_refused(self):
        area = StagingArea([tf.int32], shapes=[[2]])
        with self.assertRaisesRegex(ValueError, "Datatypes do not match"):
            area.put(tf.constant([1.0, 2.0]))
        with self.assertRaisesRegex(ValueError, "incompatible"):
            area.put(tf.constant([1]))
        with self.assertRaisesRegex(ValueError, "same length"):
            StagingArea([tf.int32], names=["a", "b"])


class MapStagingAreaTest(tf.test.TestCase):
    def test_tuples_are_taken_by_key_or_the_lowest_first(self):
        area = MapStagingArea([tf.int32], ordered=True, shared_name="by_key")
        key = tf.placeholder(tf.int64)
        put = area.put(key, [tf.cast(key, tf.int32) * 10], indices=[0])
        with tf.Session() as session:
            session.run(area.clear())
            for value in (3, 1, 2):
                session.run(put, {key: value})
            self.assertEqual(session.run(area.get(2)[1]), [20])
            self.assertEqual(session.run(area.get()), (1, [10]))
            self.assertEqual(session.run(area.size()), 1)

    def test_tuples_come_and_go_in_parts(self):
        area = MapStagingArea(
            [tf.int32, tf.string], names=["number", "text"], shared_name="parts"
        )
        number = area.put(7, {"number": tf.constant(1)})
        text = area.put(7, {"text": tf.constant("a")})
        with tf.Session() as session:
            session.run(area.clear())
            session.run(text)
            self.assertEqual(session.run([area.size(), area.incomplete_size()]), [0, 1])
            session.run(number)
            self.assertEqual(session.run(area.peek(7)), {"number": 1, "text": b"a"})
            self.assertEqual(session.run(area.get(7, ["text"])[1]), {"text": b"a"})
            self.assertEqual(session.run(area.get(7, [0])[1]), {"number": 1})
            self.assertEqual(session.run(area.size()), 0)

    def test_indices_must_name_components(self):
        area = MapStagingArea([tf.int32], names=["a"])
        with self.assertRaisesRegex(ValueError, "Named index 'b'"):
            area.get(1, ["b"])
        with self.assertRaisesRegex(ValueError, "Empty indices"):
            area.get(1, [])
        with self.assertRaisesRegex(TypeError, "Mixed types"):
            area.get(1, ["a", 0])


if __name__ == "__main__":
    unittest.main()
