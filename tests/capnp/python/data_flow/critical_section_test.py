"""Critical sections."""

import threading
import unittest

import troupe as tf
from troupe.python.ops.critical_section_ops import CRITICAL_SECTION_EXECUTIONS


def slow_zero(begin):
    """0, some milliseconds after that tensor is there."""
    ones = tf.fill([300, 300], begin * 0.0 + 1.0)
    return tf.reduce_sum(tf.matmul(ones, ones)) * 0.0


def counting(variable):
    """A function that raises the variable by 1, and gives what it was: two updates could mix."""

    def count():
        before = variable.read_value()
        with tf.control_dependencies([variable.assign(before + 1.0 + slow_zero(before))]):
            return tf.identity(before)

    return count


class CriticalSectionTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.counter = tf.get_variable("counter", initializer=0.0, use_resource=True)

    def test_functions_of_one_step_run_one_after_the_other(self):
        section = tf.CriticalSection()
        counts = [section.execute(counting(self.counter)) for _ in range(50)]
        with tf.Session() as session:
            session.run(self.counter.initializer)
            self.assertAllEqual(sorted(session.run(counts)), range(50))

    def test_functions_of_steps_that_run_at_once_run_one_after_the_other(self):
        count = tf.CriticalSection(shared_name="counting").execute(counting(self.counter))
        seen = []
        with tf.Session() as session:
            session.run(self.counter.initializer)

            def run_some():
                for _ in range(40):
                    seen.append(float(session.run(count)))

            threads = [threading.Thread(target=run_some) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(sorted(seen), list(range(160)))

    def test_a_result_of_the_section_can_be_used_in_it_again(self):
        section = tf.CriticalSection()
        begin = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([slow_zero(begin)]):
            first = section.execute(lambda: tf.constant(1.0) + 1.0)
        second = section.execute(lambda: first * 10.0)
        options = tf.RunOptions(timeout_in_ms=60000)
        with tf.Session() as session:
            self.assertEqual(session.run(second, {begin: 1.0}, options=options), 20.0)

    def test_a_function_that_fails_lets_the_next_one_in(self):
        section = tf.CriticalSection()
        divisor = tf.placeholder(tf.int32, [])
        result = section.execute(lambda: tf.constant(6) // divisor)
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "zero"):
                session.run(result, {divisor: 0})
            self.assertEqual(session.run(result, {divisor: 2}), 3)

    def test_all_of_a_function_runs_whatever_is_fetched(self):
        section = tf.CriticalSection()

        def count_twice():
            return {"op": self.counter.assign_add(1.0).op, "other": [tf.constant(5)]}

        results = section.execute(count_twice)
        with tf.Session() as session:
            session.run(self.counter.initializer)
            self.assertEqual(session.run(results["other"]), [5])
            self.assertIsNone(session.run(results["op"]))
            self.assertEqual(session.run(self.counter), 2.0)

    def test_a_section_within_itself_is_refused(self):
        for other in ("s", None):
            section = tf.CriticalSection(shared_name="s")
            inner = section if other is None else tf.CriticalSection(shared_name=other)
            with self.assertRaisesRegex(ValueError, "attempts to directly access the Critical"):
                section.execute(lambda: inner.execute(lambda: tf.constant(1)))

    def test_two_sections_share_a_resource_only_where_both_allow_it(self):
        one, two = tf.CriticalSection(), tf.CriticalSection()
        one.execute(self.counter.read_value, exclusive_resource_access=False)
        two.execute(self.counter.read_value, exclusive_resource_access=False)
        with self.assertRaisesRegex(ValueError, "requested exclusive resource access"):
            two.execute(self.counter.read_value)
        self.assertLen(tf.get_collection(CRITICAL_SECTION_EXECUTIONS), 2)

    def test_branches_in_a_section_may_have_effects(self):
        with tf.Graph().as_default(), tf.Session() as session:
            section, count = tf.CriticalSection(), tf.Variable(0, use_resource=True)

            def doubled():
                grown = tf.cond(
                    tf.equal(count, 3), lambda: tf.assign(count, 2 * count), lambda: count
                )
                with tf.control_dependencies([grown]):
                    return tf.assign_add(count, 1)

            added = section.execute(doubled)
            session.run(tf.global_variables_initializer())
            self.assertEqual([session.run(added) for _ in range(5)], [1, 2, 3, 7, 8])


if __name__ == "__main__":
    unittest.main()
