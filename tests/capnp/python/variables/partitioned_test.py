"""Partitioned variables are trained, assigned and read as one."""

import unittest

import numpy as np

import troupe as tf

TWO = tf.fixed_size_partitioner(2)


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


class PartitionedVariableTest(tf.test.TestCase):
    def test_its_parts_are_variables_with_the_next_rows(self):
        v = tf.get_variable("v", [5, 2], partitioner=TWO)
        self.assertIsInstance(v, tf.get_variable("v2", [2, 2], partitioner=TWO).__class__)
        self.assertEqual((v.name, v.shape.as_list(), v.dtype, len(v)), ("v", [5, 2], tf.float32, 2))
        self.assertEqual([part.name for part in v], ["v/part_0:0", "v/part_1:0"])
        self.assertEqual([part.shape.as_list() for part in v], [[3, 2], [2, 2]])
        self.assertEqual([part._save_slice_info.spec for part in v], ["5 2 0,3:0,2", "5 2 3,2:0,2"])
        self.assertEqual(v._get_partitions(), [2, 1])
        self.assertLessEqual(set(v), set(tf.trainable_variables()))

    def test_a_second_one_of_a_name_is_refused_with_the_place_of_the_first(self):
        tf.get_variable("v", [4], partitioner=TWO)
        with self.assertRaisesRegex(ValueError, r"Originally defined at .*_test\.py:\d+"):
            tf.get_variable("v", [4], partitioner=TWO)

    def test_as_a_tensor_it_is_all_parts(self):
        rows = np.arange(10, dtype=np.float32).reshape(2, 5)
        v = tf.get_variable("v", initializer=rows, partitioner=tf.fixed_size_partitioner(3, axis=1))
        self.assertEqual([part.shape.as_list() for part in v], [[2, 2], [2, 2], [2, 1]])
        found = run([v.as_tensor(), v + 1.0, v[:, 1:4], tf.matmul(v, v, transpose_b=True)])
        for value, expected in zip(found, [rows, rows + 1, rows[:, 1:4], rows @ rows.T]):
            self.assertAllClose(value, expected)

    def test_reading_it_waits_for_control_dependencies_only_if_asked_to(self):
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer(), partitioner=TWO)
        with tf.control_dependencies(v.assign(np.float32([1, 2, 3]))):
            after, free = v._concat(), v.as_tensor()
        self.assertAllEqual(run(after), [1, 2, 3])
        self.assertAllEqual(run(free), [0, 0, 0])

    def test_an_initializer_of_each_part_knows_the_whole(self):
        parts = []

        def initialize(shape, dtype=None, partition_info=None):
            axis = partition_info.single_slice_dim(shape)
            parts.append((shape, partition_info.full_shape, partition_info.single_offset(shape)))
            return tf.fill(shape, float(partition_info.var_offset[axis]))

        v = tf.get_variable(
            "v", [1, 5], initializer=initialize, partitioner=tf.fixed_size_partitioner(2, 1)
        )
        self.assertEqual(parts, [([1, 3], [1, 5], 0), ([1, 2], [1, 5], 3)])
        self.assertAllEqual(run(v.as_tensor()), [[0, 0, 0, 3, 3]])
        identity = tf.get_variable(
            "i", [4, 4], initializer=tf.initializers.identity(), partitioner=TWO
        )
        self.assertAllEqual(run(identity.as_tensor()), np.eye(4))

    def test_an_initializer_that_asks_for_its_part_gets_none_for_a_whole_variable(self):
        def initialize(shape, dtype, partition_info):
            parts.append(partition_info)
            return tf.ones(shape, dtype)

        parts = []
        v = tf.get_variable("v", [2], initializer=initialize)
        self.assertEqual(parts, [None])
        self.assertAllEqual(run(v), [1, 1])
        any_of_them = tf.get_variable(
            "any", [2], initializer=lambda shape, **given: tf.fill(shape, float(len(given)))
        )
        self.assertAllEqual(run(any_of_them), [1, 1])  # the dtype

    def test_parts_are_scaled_as_the_whole_would_be(self):
        tf.set_random_seed(1)
        glorot = tf.get_variable("g", [1000, 10], partitioner=tf.fixed_size_partitioner(100))
        limit = np.sqrt(6 / 1010)
        largest = np.abs(run(glorot.as_tensor())).max()
        self.assertLess(largest, limit)
        self.assertGreater(largest, 0.95 * limit)

    def test_assignments_are_cut(self):
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer(), partitioner=TWO)
        w = tf.get_variable("w", [3], initializer=tf.ones_initializer(), partitioner=TWO)
        changes = [
            v.assign([[1.0, 2.0], [3.0]]),
            v.assign_add(np.float32([1, 2, 3])),
            v.assign_sub(w),
        ]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            expected = [[1, 2, 3], [2, 4, 6], [1, 3, 5]]
            for change, values in zip(changes, expected):
                self.assertAllEqual(np.concatenate(session.run(change)), values)
            operations = v.assign(np.float32([7, 8, 9]), read_value=False)
            self.assertIsInstance(operations[0], tf.Operation)
            session.run(operations)
            self.assertAllEqual(session.run(v.as_tensor()), [7, 8, 9])
        with self.assertRaisesRegex(ValueError, "3 values are given for 2 parts"):
            v.assign([1.0, 2.0, 3.0])

    def test_optimizers_train_the_parts(self):
        for make in (
            lambda: tf.train.AdamOptimizer(0.1),
            lambda: tf.train.MomentumOptimizer(0.1, 0.9),
        ):
            with self.subTest(make().get_name()), tf.Graph().as_default():
                found = []
                for partitioner in (None, TWO):
                    with tf.variable_scope(f"p{partitioner is None}", partitioner=partitioner):
                        v = tf.get_variable("v", [5, 2], initializer=tf.ones_initializer())
                    rows = tf.nn.embedding_lookup(v, [0, 4, 4], partition_strategy="div")
                    loss = tf.reduce_sum(tf.square(rows)) + tf.reduce_sum(tf.square(v) * 0.5)
                    optimizer = make()
                    step = optimizer.minimize(loss)
                    with tf.Session() as session:
                        session.run(tf.global_variables_initializer())
                        for _ in range(3):
                            session.run(step)
                        found.append(session.run(tf.identity(v)))
                slot = optimizer.get_slot(next(iter(v)), optimizer.get_slot_names()[0])
                self.assertEqual(slot._save_slice_info.spec, "5 2 0,3:0,2")
                self.assertStartsWith(slot._save_slice_info.full_name, "pFalse/v/")
                self.assertAllClose(found[0], found[1])

    def test_layers_have_partitioned_kernels(self):
        with tf.variable_scope("model", partitioner=TWO):
            y = tf.layers.dense(
                tf.ones([1, 4]), 3, kernel_initializer=tf.ones_initializer(), name="d"
            )
        names = [variable.op.name for variable in tf.trainable_variables()]
        self.assertEqual(names, [f"model/d/{part}" for part in (
            "kernel/part_0", "kernel/part_1", "bias/part_0", "bias/part_1",
        )])  # fmt: skip
        self.assertAllEqual(run(y), [[4, 4, 4]])


class SharingTest(tf.test.TestCase):
    def test_a_partitioned_variable_is_reused_as_one(self):
        with tf.variable_scope("s", partitioner=TWO) as scope:
            v = tf.get_variable("v", [4])
            scalar = tf.get_variable("c", [])
        self.assertIsInstance(scalar, tf.Variable)
        with tf.variable_scope(scope, reuse=True):
            self.assertIs(tf.get_variable("v", [4]), v)
            with self.assertRaisesRegex(ValueError, r"specified shape \(5,\)"):
                tf.get_variable("v", [5])
            with self.assertRaisesRegex(ValueError, r"specified partitions \[3\]"):
                tf.get_variable("v", [4], partitioner=tf.fixed_size_partitioner(3))
            with self.assertRaisesRegex(ValueError, "does not exist"):
                tf.get_variable("w", [4])
        with tf.variable_scope("s", reuse=True):
            self.assertIs(tf.get_variable("v"), v)
        with self.assertRaisesRegex(ValueError, "already exists"), tf.variable_scope(scope):
            tf.get_variable("v", [4])

    def test_a_variable_is_whole_or_in_parts(self):
        tf.get_variable("whole", [4])
        tf.get_variable("parts", [4], partitioner=TWO)
        with tf.variable_scope("", reuse=tf.AUTO_REUSE):
            with self.assertRaisesRegex(ValueError, "an unpartitioned version"):
                tf.get_variable("whole", [4], partitioner=TWO)
            with self.assertRaisesRegex(ValueError, "a partitioned version"):
                tf.get_variable("parts", [4])

    def test_bad_partitions_are_refused(self):
        for partitions, words in (
            ([2], "does not match the Variable's rank"), ([0, 1], "zero partitions"),
            ([2, 2], "one dimension"), (2, "must return a sequence"),
        ):  # fmt: skip
            with self.subTest(partitions), self.assertRaisesRegex(ValueError, words):
                tf.get_variable("v", [4, 4], partitioner=lambda **_: partitions)  # noqa: B023
        with self.assertRaisesRegex(ValueError, "must be callable"):
            tf.get_variable("v", [4, 4], partitioner=[2, 1])
        with self.assertRaisesRegex(ValueError, "fully defined"):
            tf.get_variable("v", [None, 4], partitioner=TWO)

    def test_custom_getters_get_the_partitioner(self):
        given = []

        def getter(getter, name, *args, **kwargs):
            given.append((kwargs["partitioner"], kwargs["reuse"]))
            return getter(name, *args, **kwargs)

        with tf.variable_scope("s", partitioner=TWO, custom_getter=getter):
            self.assertEqual(len(tf.get_variable("v", [4])), 2)
        self.assertEqual(given, [(TWO, False)])

    def test_a_list_of_parts_is_created(self):
        rows = np.arange(6, dtype=np.float32).reshape(3, 2)
        with tf.variable_scope("s"):
            parts = tf.create_partitioned_variables([3, 2], [1, 2], tf.constant(rows), name="p")
            more = tf.create_partitioned_variables([3, 2], [3, 1], tf.ones_initializer())
        self.assertEqual([part.op.name for part in parts], ["s/p/part_0", "s/p/part_1"])
        self.assertEqual(more[2].op.name, "s/PartitionedVariable/part_2")
        self.assertAllEqual(np.concatenate(run(parts), 1), rows)
        with tf.variable_scope("s"):
            again = tf.create_partitioned_variables(
                [3, 2], [1, 2], tf.zeros_initializer(), name="p", reuse=True
            )
        self.assertEqual(again, parts)
        numbers = tf.create_partitioned_variables([3], [2], tf.constant([1, 2, 3]))
        self.assertEqual([part.dtype for part in numbers], [tf.int32] * 2)
        for shape, slicing in (([2], [1, 1]), ([], [])):
            with self.assertRaises(ValueError):
                tf.create_partitioned_variables(shape, slicing, tf.zeros_initializer())


class PartitionersTest(unittest.TestCase):
    def parts(self, partitioner, shape, dtype=tf.float32):
        return partitioner(shape=tf.TensorShape(shape), dtype=dtype)

    def test_a_fixed_size(self):
        self.assertEqual(self.parts(tf.fixed_size_partitioner(4, axis=1), [2, 9]), [1, 4])
        self.assertEqual(self.parts(tf.fixed_size_partitioner(4), [2, 9]), [2, 1])

    def test_a_greatest_size_of_parts(self):
        make = tf.variable_axis_size_partitioner
        self.assertEqual(self.parts(make(1024), [64, 64]), [16, 1])
        self.assertEqual(self.parts(make(100), [64, 64]), [64, 1])
        self.assertEqual(self.parts(make(1024, axis=1, max_shards=5), [64, 64]), [1, 5])
        self.assertEqual(self.parts(make(64, bytes_per_string_element=8), [16], tf.string), [2])
        self.assertEqual(self.parts(make(1 << 20), [3, 4], tf.float64), [1, 1])
        for arguments in ({"max_shard_bytes": 0}, {"max_shard_bytes": 1, "max_shards": -1}):
            with self.assertRaises(ValueError):
                make(**arguments)

    def test_a_least_size_of_parts(self):
        make = tf.min_max_variable_partitioner
        self.assertEqual(self.parts(make(100), [1024, 1024]), [16, 1])
        self.assertEqual(self.parts(make(7), [1024, 1024]), [7, 1])
        self.assertEqual(self.parts(make(9, axis=1, min_slice_size=8), [2, 3], tf.float64), [1, 3])
        self.assertEqual(self.parts(make(9), [2, 3]), [1, 1])
        with self.assertRaisesRegex(ValueError, "along axis 1"):
            self.parts(make(axis=1), [4])


if __name__ == "__main__":
    unittest.main()
