"""Variables that functions of datasets use: each call reads and writes them."""

import unittest

import troupe as tf


class CapturedVariablesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def variables(self):
        return [tf.get_variable(f"v{i}", initializer=10, use_resource=bool(i)) for i in range(2)]

    def elements(self, dataset, between=None):
        """The values of a dataset of three elements, with a step between them."""
        iterator = dataset.make_initializable_iterator()
        following = iterator.get_next()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(iterator.initializer)
            found = []
            for _ in range(3):
                found.append(session.run(following))
                if between is not None:
                    session.run(between)
            return found

    def test_each_call_reads_a_variable_anew(self):
        for v in self.variables():
            dataset = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.int32) + v)
            self.assertEqual(self.elements(dataset), [10, 11, 12])
            self.assertEqual(self.elements(dataset, v.assign_add(100)), [10, 111, 212])

    def test_a_function_updates_variables(self):
        for v in self.variables():
            dataset = tf.data.Dataset.range(3)
            added = dataset.map(lambda x: tf.assign_add(v, tf.cast(x, tf.int32)))
            self.assertEqual(self.elements(added), [10, 11, 13])
            taken = dataset.map(lambda x: v.assign_sub(tf.cast(x, tf.int32)))
            self.assertEqual(self.elements(taken), [10, 9, 7])
            assigned = dataset.map(lambda x: tf.assign(v, tf.cast(x, tf.int32)) * 2)
            self.assertEqual(self.elements(assigned), [0, 2, 4])

    def test_get_variable_gives_what_there_is(self):
        tf.get_variable("w", initializer=3)

        def shifted(x):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                return tf.cast(x, tf.int32) + tf.get_variable("w", dtype=tf.int32)

        self.assertEqual(self.elements(tf.data.Dataset.range(3).map(shifted)), [3, 4, 5])

    def test_filters_and_reductions_read_variables(self):
        v = tf.get_variable("v", initializer=tf.constant(2, tf.int64))
        numbers = tf.data.Dataset.range(6)
        total = numbers.filter(lambda x: x > v).reduce(v, lambda state, x: state + x * v)
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(total), 2 + 2 * (3 + 4 + 5))

    def test_a_variable_that_a_function_makes_is_in_the_graph_around_it(self):
        def counted(x):
            with tf.variable_scope("scope", reuse=tf.AUTO_REUSE):
                zero = tf.zeros_initializer()
                count = tf.get_variable("count", [], tf.int64, zero)
            return x * 10 + count.assign_add(1)

        dataset = tf.data.Dataset.range(3).map(counted)
        (count,) = tf.global_variables()
        self.assertEqual((count.name, count.graph), ("scope/count:0", tf.get_default_graph()))
        iterator = tf.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        with tf.Session() as session:
            session.run([count.initializer, iterator.initializer])
            self.assertEqual([session.run(following) for _ in range(3)], [1, 12, 23])
            self.assertEqual(session.run(count), 3)
        with self.assertRaisesRegex(ValueError, "init_scope or callable"):
            tf.data.Dataset.range(3).map(lambda x: tf.Variable(x) + 1)
        with self.assertRaisesRegex(ValueError, "init_scope or callable"):
            tf.data.Dataset.range(3).map(lambda x: tf.get_variable("x", initializer=x) + 1)


if __name__ == "__main__":
    unittest.main()
