"""AutoGraph: control flow of Python in functions is that of the graph."""

import contextlib
import io
import sys
import unittest
from unittest import mock

import numpy as np

import troupe as tf
from troupe._src.autograph import transpiler


def magnitude(x):
    """A function that those below call."""
    if x > 0:
        return x
    return -x


class AutographTest(tf.test.TestCase):
    def values(self, function, *arguments):
        """What a tf.function gives for each argument, in a graph of its own."""
        with tf.Graph().as_default(), tf.Session() as session:
            return [np.asarray(session.run(function(tf.constant(x)))).tolist() for x in arguments]

    def test_branches_and_conditions(self):
        @tf.function
        def kind(x):
            if x > 10:
                found = 1
            elif x > 5 and tf.not_equal(x, 7) or not x > -5:
                found = 2
            else:
                found = 3 if x < 0 else 4
            return found

        self.assertEqual(self.values(kind, 11, 8, -9, -2, 3), [1, 2, 2, 3, 4])

    def test_a_branch_may_return(self):
        @tf.function
        def doubled(x):
            if x > 0:
                return x * 2
            return magnitude(x)

        self.assertEqual(self.values(doubled, 3, -4), [6, 4])

    def test_loops_of_conditions_with_break_and_continue(self):
        @tf.function
        def total(n):
            found, i = 0, 0
            while i < n:
                i += 1
                if tf.equal(i % 2, 0):
                    continue
                if found > 20:
                    break
                found += i
            return found, i

        self.assertEqual(self.values(total, 4, 100), [[4, 4], [25, 11]])

    def test_loops_over_ranges_of_tensors(self):
        @tf.function
        def total(n):
            found = 0
            for i in range(n):
                found += i
            for i in tf.range(10, 4, -n):
                found += 100 * i
            return found

        self.assertEqual(self.values(total, 3, -1), [1703, 0])

    def test_loops_over_rows_of_a_tensor(self):
        @tf.function
        def folded(rows):
            found = tf.zeros([2])
            for row in rows:
                found = 2.0 * found + row
                if found[0] > 4.0:
                    break
            return found

        self.assertEqual(self.values(folded, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [[5.0, 8.0]])

    def test_loops_over_datasets(self):
        @tf.function
        def total(limit):
            found = tf.constant(0, tf.int64)
            for i, x in enumerate(tf.data.Dataset.range(3)):
                found += i * x
            for x in tf.data.Dataset.range(10).repeat():
                found += x
                if found > limit:
                    break
            for _ in tf.data.Dataset.range(2):
                tf.no_op()
            return found

        self.assertEqual(self.values(total, np.int64(100)), [101])

    def test_loops_over_what_is_left_of_an_iterator(self):
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(6))

        @tf.function
        def total(limit):
            found = tf.constant(0, tf.int64)
            for x in iterator:
                if found > limit:
                    break
                found += x
            return found

        result = total(tf.constant(4, tf.int64))
        with tf.Session() as session:
            session.run(iterator.initializer)
            self.assertEqual(session.run(result), 6)  # 0 to 3; the element 4 is taken
            self.assertEqual(session.run(result), 5)

    def test_functions_of_datasets_are_converted(self):
        def tenfold_if_even(x):
            if tf.equal(x % 2, 0):
                return x * 10
            return x

        dataset = tf.data.Dataset.range(6).map(tenfold_if_even).filter(lambda x: x > 0 and x < 30)
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        with tf.Session() as session:
            self.assertEqual([session.run(element) for _ in range(4)], [1, 20, 3, 5])

    def test_attributes_and_items_are_variables_of_a_loop(self):
        @tf.function
        def total(n):
            found = {"a": 0}
            holder = type("Holder", (), {})()
            holder.count = 0
            for i in tf.range(n):
                found["a"] += i
                holder.count += 1
            return found["a"], holder.count

        self.assertEqual(self.values(total, 4), [[6, 4]])

    def test_gradients_go_through(self):
        @tf.function
        def power(x):
            y = x
            for _ in tf.range(3):
                if y < 10.0:
                    y = y * x
            return y

        x = tf.constant(2.0)
        gradient = tf.gradients(power(x), x)
        with tf.Session() as session:
            self.assertEqual(session.run(gradient), [32.0])

    def test_builtins_take_tensors(self):
        @tf.function
        def numbers(x):
            return len(x), int(x[0]), float(tf.constant("1.5")), abs(x[1])

        x = tf.placeholder(tf.float32, [None])
        with tf.Session() as session:
            self.assertEqual(session.run(numbers(x), {x: [2.7, -3.0]}), (2, 2, 1.5, 3.0))

    def test_assertions_fail_in_a_step(self):
        @tf.function
        def root(x):
            assert x >= 0.0 and x < 100.0, "out of range"
            return tf.sqrt(x)

        self.assertEqual(self.values(root, 4.0), [2.0])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "out of range"):
            self.values(root, -4.0)

    def test_equality_by_element_and_lists_are_optional(self):
        features = tf.autograph.experimental.Feature

        @tf.function(experimental_autograph_options=features.EQUALITY_OPERATORS)
        def tenfold_if_three(x):
            return x * 10 if x == 3 else x

        @tf.function(experimental_autograph_options=(features.LISTS,))
        def squares(n):
            found = []
            tf.contrib.autograph.set_element_type(found, tf.int32)
            for i in tf.range(n):
                found.append(i * i)
            return tf.contrib.autograph.stack(found, tf.int32)

        self.assertEqual(self.values(tenfold_if_three, 3, 4), [30, 4])

    def test_printing_of_tensors_is_part_of_the_step(self):
        @tf.function(
            experimental_autograph_options=tf.autograph.experimental.Feature.BUILTIN_FUNCTIONS
        )
        def shown(x):
            if x > 1:
                print("got", x)
            return x

        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            self.values(shown, 1, 2)
        self.assertEqual(output.getvalue(), "got 2\n")

    def test_loops_take_further_arguments(self):
        @tf.function
        def grown(x):
            sums = tf.TensorArray(tf.float32, 0, dynamic_size=True)
            pair = [0, 1]
            for i in tf.range(9):
                tf.autograph.experimental.set_loop_options(
                    maximum_iterations=2, shape_invariants=[(x, tf.TensorShape([None]))]
                )
                x = tf.concat([x, x], 0)
                sums = sums.write(i, tf.reduce_sum(x))
                pair = [pair[1], pair[0] + pair[1]]
            return tf.concat([x, sums.stack(), tf.cast(pair, tf.float32)], 0)

        self.assertEqual(self.values(grown, [1.0]), [[1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 1.0, 2.0]])

    def test_functions_of_datasets_may_have_loops(self):
        def steps_to_one(x):
            count = 0
            while x > 1:
                x = x // 2 if tf.equal(x % 2, 0) else 3 * x + 1
                count += 1
            return count

        dataset = tf.data.Dataset.range(1, 8).map(steps_to_one)
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        with tf.Session() as session:
            self.assertEqual([session.run(element) for _ in range(7)], [0, 1, 7, 2, 5, 8, 16])


class ConversionTest(tf.test.TestCase):
    def test_a_function_that_needs_no_conversion_is_traced_once_as_it_is(self):
        traces = []

        @tf.function
        def plain(x):
            traces.append(len(traces))
            return x + 1

        with mock.patch.object(transpiler, "converted_call") as converted:
            plain(tf.constant(1))
        self.assertEqual(traces, [0])
        converted.assert_not_called()

    def test_it_may_be_refused_for_methods(self):
        class Kept:
            @tf.function(autograph=False)
            def plain(self, x):
                return x if x > 0 else -x

        kept = Kept()
        with self.assertRaisesRegex(TypeError, "as a Python `bool`"):
            kept.plain(tf.constant(1))

    def test_it_may_be_refused(self):
        @tf.function(autograph=False)
        def plain(x):
            return x if x > 0 else -x

        @tf.function
        @tf.autograph.experimental.do_not_convert
        def kept(x):
            return x if x > 0 else -x

        for function in (plain, kept):
            with self.assertRaisesRegex(TypeError, "as a Python `bool`"):
                function(tf.constant(1))

    def test_without_the_package_the_error_says_what_to_install(self):
        @tf.function
        def plain(x):
            return x if x > 0 else -x

        transpiler.library.cache_clear()
        self.addCleanup(transpiler.library.cache_clear)
        with mock.patch.dict("sys.modules", {"malt": None}):
            with self.assertRaisesRegex(TypeError, "pip install diastatic-malt"):
                plain(tf.constant(1))
            with self.assertRaisesRegex(ImportError, "pip install diastatic-malt"):
                tf.autograph.to_graph(magnitude)

    def test_a_function_that_cannot_be_converted_is_told_once(self):
        def make():
            def numbers(x):
                yield x

            return numbers

        with mock.patch.object(transpiler.logging, "warning") as warning:
            for _ in range(3):
                self.assertEqual(list(transpiler.converted(make())(1)), [1])
        self.assertEqual(warning.call_count, 1)

    def test_converted_functions_and_their_code(self):
        found = tf.autograph.to_graph(magnitude)(tf.constant(-3))
        with tf.Session() as session:
            self.assertEqual(session.run(found), 3)
        self.assertIn("ag__.if_stmt(", tf.autograph.to_code(magnitude))
        with self.assertRaisesRegex(ValueError, "converting 3"):
            tf.autograph.to_graph(3)

    def test_variables_that_may_have_no_value_are_refused_by_name(self):
        def in_branch(x):
            if x > 0:
                late = 1
            return late

        def in_loop(x):
            for i in tf.range(x):
                late = i
            return late

        def of_two_dtypes(x):
            late = 1
            if x > 0:
                late = 2.5
            return late

        def growing(x):
            late = tf.zeros([1])
            while x > 0:
                late = tf.concat([late, late], 0)
            return late

        for function, error, message in (
            (in_branch, ValueError, "'late' must also be initialized in the else branch"),
            (in_loop, ValueError, "defined before it: .*late"),
            (of_two_dtypes, TypeError, "'late' has dtype float32 in the if branch"),
            (growing, ValueError, "'late' has shape .1,. before the loop"),
        ):
            with self.assertRaisesRegex(error, message):
                tf.function(function)(tf.constant(1))

    @unittest.skipIf(sys.version_info < (3, 11), "errors have no notes")
    def test_errors_name_the_lines_of_the_program(self):
        def refused(x):
            if x > 0:
                raise KeyError("here")
            return x

        with self.assertRaises(KeyError) as caught:
            tf.function(refused)(tf.constant(1))
        notes = "".join(caught.exception.__notes__)
        self.assertIn("refused", notes)
        self.assertIn(__file__, notes)


if __name__ == "__main__":
    unittest.main()
