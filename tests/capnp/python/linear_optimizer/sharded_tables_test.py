"""Tables whose keys are spread over several."""

import unittest

import numpy as np

import troupe as tf
from troupe._src.linear_optimizer.sharded_tables import ShardedMutableDenseHashTable


class ShardedTablesTest(tf.test.TestCase):
    def table(self, num_shards, **more):
        options = {
            "key_dtype": tf.int64,
            "value_dtype": tf.float32,
            "default_value": [-1.0, -2.0],
            "empty_key": [0, 0],
            "deleted_key": [1, 1],
            **more,
        }
        return ShardedMutableDenseHashTable(num_shards=num_shards, **options)

    def test_keys_have_their_values_wherever_they_are(self):
        keys = np.array([[5, 1], [-6, 2], [7, 3], [-(2**63), 4], [8, 5]], np.int64)
        values = np.arange(10, dtype=np.float32).reshape(5, 2)
        for num_shards in (1, 3):
            with self.subTest(num_shards), tf.Graph().as_default():
                table = self.table(num_shards)
                insert = table.insert(keys, values)
                found = table.lookup(np.concatenate([keys[::-1], [[9, 9]]]))
                self.assertEqual(found.shape.as_list(), [6, 2])
                with self.session() as sess:
                    sess.run(insert)
                    self.assertAllEqual(sess.run(found), [*values[::-1], [-1.0, -2.0]])
                    self.assertEqual(sess.run(table.size()), 5)

    def test_a_key_is_in_the_table_of_its_first_number(self):
        table = self.table(3)
        insert = table.insert([[3, 2], [4, 2], [-4, 2], [7, 2], [5, 0]], np.zeros([5, 2]))
        with self.session() as sess:
            sess.run(insert)
            sizes = sess.run([shard.size() for shard in table.table_shards])
            self.assertEqual(sizes, [1, 3, 1])
            keys, values = sess.run(table.export_sharded())
        firsts = [{key[0] for key in part.tolist() if key != [0, 0]} for part in keys]
        self.assertEqual(firsts, [{3}, {4, -4, 7}, {5}])
        self.assertEqual([value.shape[1] for value in values], [2, 2, 2])

    def test_keys_may_be_numbers_of_an_unknown_count(self):
        more = {"default_value": 0.0, "empty_key": -1, "deleted_key": -2}
        table = self.table(2, **more)
        keys = tf.placeholder(tf.int64, [None])
        insert = table.insert(keys, tf.cast(keys, tf.float32) * 2.0)
        found = table.lookup(keys)
        with self.session() as sess:
            for some in ([1, 2, 3], [], [4]):
                sess.run(insert, {keys: some})
                self.assertAllEqual(sess.run(found, {keys: some}), [2.0 * each for each in some])

    def test_nodes_are_where_their_table_is(self):
        with tf.device("/job:ps/task:0"):
            tables = [self.table(1).table_shards[0]]
            tables.append(tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1))
        with tf.device("/job:worker/task:0"):
            keys = [tf.zeros([1, 2], tf.int64), tf.constant(["a"])]
            for table, key in zip(tables, keys):
                values = table.lookup(key)
                nodes = [values.op, table.insert(key, values), table.remove(key), table.size().op]
                nodes += [each.op for each in table.export()]
                wanted = table.resource_handle.op.colocation_groups()
                self.assertEqual([node.colocation_groups() for node in nodes], [wanted] * 6)

    def test_keys_of_another_kind_are_refused(self):
        table = self.table(2)
        with self.assertRaisesRegex(TypeError, "Keys must be dtype"):
            table.lookup(tf.constant([[1, 2]], tf.int32))
        with self.assertRaisesRegex(ValueError, "Expected a vector or matrix"):
            table.lookup(tf.constant(1, tf.int64))


if __name__ == "__main__":
    unittest.main()
