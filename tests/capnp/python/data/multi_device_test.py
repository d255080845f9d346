"""Iterators whose elements go to several devices."""

import unittest

import troupe as tf
from troupe.python.data.ops.multi_device_iterator_ops import MultiDeviceIterator

Dataset = tf.data.Dataset


class MultiDeviceIteratorTest(tf.test.TestCase):
    devices = ["/cpu:1", "/cpu:2"]
    config = tf.ConfigProto(device_count={"CPU": 3})

    def test_a_device_has_every_nth_element_whichever_asks_first(self):
        dataset = Dataset.range(6).map(lambda x: (x, 2 * x))
        iterator = MultiDeviceIterator(dataset, self.devices, max_buffer_size=8)
        first, second = (iterator.get_next(device) for device in self.devices)
        with tf.Session(config=self.config) as session:
            session.run(iterator.initializer)
            self.assertEqual([session.run(second) for _ in range(3)], [(1, 2), (3, 6), (5, 10)])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(second)
            self.assertEqual([session.run(first) for _ in range(3)], [(0, 0), (2, 4), (4, 8)])

    def test_all_devices_get_their_next_elements_in_one_step(self):
        iterator = MultiDeviceIterator(Dataset.range(6), [*self.devices, "/cpu:0"])
        following = iterator.get_next()
        self.assertIn("CPU:2", following[1].device)
        with tf.Session(config=self.config) as session:
            session.run(iterator.initializer)
            self.assertEqual(session.run(following), [0, 1, 2])
            self.assertEqual(session.run(following), [3, 4, 5])

    def test_it_begins_anew_with_its_initializer(self):
        iterator = MultiDeviceIterator(Dataset.range(9), self.devices, prefetch_buffer_size=0)
        following, one = iterator.get_next(), iterator.get_next(self.devices[0])
        with tf.Session(config=self.config) as session:
            for _ in range(2):
                session.run(iterator.initializer)
                self.assertEqual(session.run(following), [0, 1])
                self.assertEqual(session.run(one), 2)

    def test_a_device_without_an_element_at_the_end_has_none(self):
        iterator = MultiDeviceIterator(Dataset.range(3), self.devices)
        following = iterator.get_next_as_optional()
        states = [each.has_value() for each in following]
        with tf.Session(config=self.config) as session:
            session.run(iterator.initializer)
            self.assertEqual(session.run(following[1].get_value()), 1)
            self.assertEqual(session.run(states), [True, False])

    def test_components_that_are_datasets_stay_where_they_are_made(self):
        iterator = MultiDeviceIterator(Dataset.range(4).window(2), self.devices)
        batches = [window.batch(2) for window in iterator.get_next()]
        windows = [tf.data.experimental.get_single_element(batch) for batch in batches]
        with tf.Session(config=self.config) as session:
            session.run(iterator.initializer)
            self.assertAllEqual(session.run(windows), [[0, 1], [2, 3]])

    def test_a_device_that_it_has_not_is_refused(self):
        iterator = MultiDeviceIterator(Dataset.range(3), self.devices)
        self.assertEqual(iterator.element_spec, tf.TensorSpec([], tf.int64))
        with self.assertRaises(ValueError):
            iterator.get_next("/gpu:7")


if __name__ == "__main__":
    unittest.main()
