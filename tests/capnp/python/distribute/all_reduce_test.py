"""Reductions of one tensor per device, in a process and among the tasks of a cluster."""

import unittest

import numpy as np

import troupe as tf
import troupe.sim
from troupe.contrib import all_reduce, nccl


def inputs(devices, shape, seed=0):
    """A tensor on each device, and their values."""
    values = np.random.RandomState(seed).randn(len(devices), *shape).astype(np.float32)
    tensors = []
    for name, value in zip(devices, values):
        with tf.device(name):
            tensors.append(tf.constant(value))
    return tensors, values


def cpus(count):
    return [f"/job:localhost/task:0/device:CPU:{i}" for i in range(count)]


class ReductionTest(tf.test.TestCase):
    def check(self, results, tensors, expected):
        self.assertEqual([t.device for t in results], [t.device for t in tensors])
        config = tf.ConfigProto(device_count={"CPU": len(tensors)})
        with tf.Session(config=config) as session:
            for result in session.run(results):
                self.assertAllClose(result, expected)

    def test_a_ring_adds_pieces_of_any_number_of_elements(self):
        for count, shape, subchunks in ((2, (3, 2), 1), (4, (5,), 2), (3, (2, 2), 3), (4, (), 1)):
            with self.subTest(count=count, shape=shape), tf.Graph().as_default():
                tensors, values = inputs(cpus(count), shape)
                order = list(range(count))[::-1]
                results = all_reduce.build_ring_all_reduce(
                    tensors, 1, subchunks, order, tf.add, lambda x: x / count
                )
                self.check(results, tensors, values.mean(0))

    def test_a_ring_reduces_each_piece_on_the_device_where_it_ends(self):
        tensors, _ = inputs(cpus(4), (8,))
        all_reduce.build_ring_all_reduce(tensors, 1, 1, [0, 1, 2, 3], tf.add)
        added = [op.device for op in tf.get_default_graph().get_operations() if "Add" in op.type]
        self.assertEqual({name: added.count(name) for name in cpus(4)}, dict.fromkeys(cpus(4), 3))

    def test_halving_and_doubling_takes_pieces_of_any_number_of_elements(self):
        for count, shape in ((2, (3, 3)), (4, (7,)), (8, (8, 2))):
            with self.subTest(count=count), tf.Graph().as_default():
                tensors, values = inputs(cpus(count), shape)
                results = all_reduce.build_recursive_hd_all_reduce(tensors, tf.maximum)
                self.check(results, tensors, values.max(0))

    def test_a_shuffle_reduces_each_piece_on_one_of_the_given_devices(self):
        tensors, values = inputs(cpus(3), (2, 5))
        results = all_reduce.build_shuffle_all_reduce(tensors, cpus(2), tf.add_n, tf.negative)
        self.check(results, tensors, -values.sum(0))
        added = [op.device for op in tf.get_default_graph().get_operations() if op.type == "AddN"]
        self.assertEqual(added, cpus(2))

    def test_each_device_gets_the_reduction_and_its_gradient(self):
        tensors, values = inputs(cpus(2), (3,))
        for reduce, expected in (
            (nccl.all_sum, values.sum(0)),
            (nccl.all_prod, values.prod(0)),
            (nccl.all_min, values.min(0)),
            (nccl.all_max, values.max(0)),
        ):
            self.check(reduce(tensors), tensors, expected)
        sums = nccl.all_sum(tensors)
        gradients = tf.gradients([2 * sums[0], 3 * sums[1]], tensors)
        with self.session() as session:
            self.assertAllEqual(session.run(gradients), np.full([2, 3], 5.0))
        with tf.device(tensors[1].device):
            self.assertEqual(nccl.reduce_sum(tensors).device, tensors[1].device)
        self.assertEqual(nccl.broadcast(tensors[1]).device, tensors[1].device)

    def test_what_cannot_be_reduced_is_an_error(self):
        tensors, _ = inputs(cpus(3), (2,))
        placeholders = [tf.placeholder(tf.float32) for _ in range(2)]
        for message, build in (
            ("length 2", lambda: all_reduce.build_ring_all_reduce(tensors[:1], 1, 1, [0], tf.add)),
            ("num_subchunks", lambda: all_reduce.build_ring_all_reduce(tensors, 3, 2, [0], tf.add)),
            ("have 3", lambda: all_reduce.build_ring_all_reduce(tensors, 1, 1, [0, 1], tf.add)),
            ("power of 2", lambda: all_reduce.build_recursive_hd_all_reduce(tensors, tf.add)),
            ("known shape", lambda: all_reduce.build_recursive_hd_all_reduce(placeholders, tf.add)),
            ("not supported", lambda: all_reduce.build_nccl_all_reduce(tensors, tf.multiply)),
            ("Device assignment", lambda: nccl.all_sum(placeholders)),
            (">0 tensors", lambda: nccl.all_sum([])),
            ("current device", lambda: nccl.reduce_sum(tensors)),
            (
                "names no task",
                lambda: all_reduce.build_nccl_then_ring(inputs(["/cpu:0"], (2,))[0], 1, tf.add),
            ),
            (
                "one device per worker",
                lambda: all_reduce.build_shuffle_then_ring(
                    tensors, cpus(2), 1, tf.add_n, tf.add
                ),
            ),
        ):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                build()


class HybridTest(tf.test.TestCase):
    def test_tasks_reduce_their_own_tensors_before_those_of_all(self):
        devices = [f"/job:worker/task:{t}/device:GPU:{i}" for t in range(2) for i in range(2)]
        first = devices[::2]
        with troupe.sim.Cluster({"worker": 2}, accelerators=2) as cluster:
            tensors, values = inputs(devices, (3, 3))
            half = lambda x: x / 2  # noqa: E731
            results = {
                "ring": all_reduce.build_nccl_then_ring(tensors, 1, tf.add, half),
                "hd": all_reduce.build_nccl_then_recursive_hd(tensors, tf.add, half),
                "shuffle": all_reduce.build_nccl_then_shuffle(
                    tensors, first, tf.add, tf.add_n, half
                ),
                "shuffle_ring": all_reduce.build_shuffle_then_ring(
                    tensors, first, 1, tf.add_n, tf.add, half
                ),
                "shuffle_shuffle": all_reduce.build_shuffle_then_shuffle(
                    tensors, first, first[:1], tf.add_n, half
                ),
                "two rings": all_reduce.build_ring_all_reduce(tensors, 2, 2, [1, 0], tf.add, half),
            }
            got = cluster.session("worker").run(results)
        for name, of_devices in got.items():
            with self.subTest(name):
                self.assertEqual([t.device for t in results[name]], [t.device for t in tensors])
                for each in of_devices:
                    self.assertAllClose(each, values.sum(0) / 2)


if __name__ == "__main__":
    unittest.main()
