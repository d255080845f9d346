"""Feeds of variables: the values that they have in one step."""

import numpy as np

import troupe as tf


class FedVariableTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.x = tf.get_variable("x", initializer=2.0)
        self.session = self.enter_context(tf.Session())
        self.session.run(self.x.initializer)

    def enter_context(self, manager):
        self.addCleanup(manager.__exit__, None, None, None)
        return manager.__enter__()

    def test_all_that_reads_a_fed_variable_gets_the_value(self):
        fetches = [self.x * 3.0, self.x.read_value(), self.x.value(), tf.identity(self.x), self.x]
        self.assertEqual(self.session.run(fetches, {self.x: 10.0}), [30.0, 10.0, 10.0, 10.0, 10.0])

    def test_the_value_is_that_of_one_step(self):
        self.session.run(self.x * 3.0, {self.x: 10.0})
        self.assertEqual(self.session.run(self.x), 2.0)

    def test_a_variable_without_a_value_can_be_fed(self):
        y = tf.get_variable("y", initializer=1.0)
        self.assertEqual(self.session.run(y + 1.0, {y: 4.0}), 5.0)

    def test_branches_loops_and_functions_get_the_value(self):
        flag = tf.placeholder(tf.bool)
        branch = tf.cond(flag, lambda: self.x * 2.0, lambda: self.x * 3.0)
        _, loop = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + self.x), [0, 0.0])
        mapped = tf.map_fn(lambda y: y * self.x, tf.constant([1.0, 2.0]))
        found = self.session.run([branch, loop, mapped], {flag: False, self.x: 10.0})
        self.assertAllEqual(found[0], 30.0)
        self.assertAllEqual(found[1], 30.0)
        self.assertAllEqual(found[2], [10.0, 20.0])

    def test_the_name_of_a_variable_feeds_it(self):
        self.assertEqual(self.session.run(self.x * 3.0, {"x:0": 7.0}), 21.0)

    def test_a_learning_rate_is_fed(self):
        weight = tf.get_variable("weight", initializer=1.0)
        train = tf.train.GradientDescentOptimizer(self.x).minimize(weight * 1.0, var_list=[weight])
        self.session.run(weight.initializer)
        self.session.run(train, {self.x: 0.25})
        self.assertEqual(self.session.run(weight), 0.75)

    def test_rows_of_a_fed_table_are_looked_up(self):
        table = tf.get_variable("table", [4, 2], initializer=tf.ones_initializer())
        rows = tf.nn.embedding_lookup(table, [1, 3])
        fed = np.arange(8.0).reshape(4, 2)
        self.assertAllEqual(self.session.run(rows, {table: fed}), fed[[1, 3]])

    def test_callables_and_partial_runs_feed_variables(self):
        tripled = self.x * 3.0
        self.assertEqual(self.session.make_callable(tripled, [self.x])(5.0), 15.0)
        handle = self.session.partial_run_setup([tripled], [self.x])
        self.assertEqual(self.session.partial_run(handle, tripled, {self.x: 6.0}), 18.0)

    def test_a_step_that_changes_a_fed_variable_is_refused(self):
        change = self.x.assign_add(1.0)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "'x/handle' is fed a value"):
            self.session.run(change, {self.x: 10.0})

    def test_a_value_of_another_shape_is_refused(self):
        with self.assertRaisesRegex(ValueError, "Cannot feed value of shape"):
            self.session.run(self.x * 3.0, {self.x: [1.0, 2.0]})

    def test_references_to_variables_are_fed(self):
        y = tf.get_variable("y", initializer=1.0, use_resource=False)
        found = self.session.run([y + 1.0, y.read_value()], {y: 4.0})
        self.assertEqual(found, [5.0, 4.0])


if __name__ == "__main__":
    tf.test.main()
