"""What tests of programs import from the place of TensorFlow's own helpers."""

import unittest

from absl.testing import parameterized

import troupe as tf
from troupe.python.framework import test_util


class Inner(tf.test.TestCase):
    @test_util.run_in_graph_and_eager_modes
    def in_a_session(self):
        self.session_of_test = tf.get_default_session()
        self.assertEqual(self.evaluate(tf.constant(1)), 1)

    @test_util.run_v2_only
    def of_version_2(self):
        raise AssertionError

    @test_util.run_gpu_only()
    def of_a_gpu(self):
        self.assertTrue(tf.test.is_gpu_available())


class TestUtilTest(tf.test.TestCase):
    def outcome(self, name):
        test = Inner(name)
        result = test.run()
        self.assertTrue(result.wasSuccessful(), result.failures + result.errors)
        return test, [reason for _, reason in result.skipped]

    def test_a_test_of_graphs_and_eager_modes_has_a_default_session(self):
        test, skipped = self.outcome("in_a_session")
        self.assertIsNotNone(test.session_of_test)
        self.assertEqual(skipped, [])
        with self.assertRaisesRegex(ValueError, "run_all_in_graph_and_eager_modes"):
            test_util.run_in_graph_and_eager_modes(Inner)

    def test_all_tests_of_a_class_get_one_but_those_that_skip_eager_mode(self):
        @test_util.run_all_in_graph_and_eager_modes
        class Both(tf.test.TestCase):
            def test_one(self):
                found.append(tf.get_default_session())

            def test_skip_eager_two(self):
                found.append(tf.get_default_session())

        found = []
        for name in ("test_one", "test_skip_eager_two"):
            Both(name).run()
        self.assertEqual([each is not None for each in found], [True, False])

    def test_tests_of_what_is_not_there_are_skipped(self):
        self.assertEqual(self.outcome("of_version_2")[1], ["Test is only compatible with v2"])
        reasons = [] if tf.test.is_gpu_available() else ["Test requires GPU"]
        self.assertEqual(self.outcome("of_a_gpu")[1], reasons)

    def test_tests_of_graphs_are_as_they_are(self):
        def function():
            pass

        for decorated in (
            test_util.run_deprecated_v1(function), test_util.deprecated_graph_mode_only()(function),
            test_util.run_v1_only("why", function), test_util.run_v1_only("why")(function),
            test_util.enable_c_shapes(function), test_util.with_c_shapes(function),
        ):  # fmt: skip
            self.assertIs(decorated, function)
        with self.assertRaisesRegex(ValueError, "should be string"):
            test_util.run_v1_only(function)

    def test_a_function_does_nothing_under_a_condition(self):
        for condition, expected in (
            (True, None), (False, 1), (lambda: True, None), (lambda: False, 1)
        ):  # fmt: skip
            self.assertEqual(test_util.skip_if(condition)(lambda: 1)(), expected)

    def test_a_class_is_decorated_test_by_test(self):
        @test_util.for_all_test_methods(test_util.skip_if, True)
        class Skipped(tf.test.TestCase):
            def test_one(self):
                raise AssertionError

            def other(self):
                return 2

        self.assertTrue(Skipped("test_one").run().wasSuccessful())
        self.assertEqual(Skipped("test_one").other(), 2)

    def test_the_ops_of_a_graph_are_looked_up_by_names(self):
        tf.multiply(tf.constant(1, name="a"), 2, name="b")
        graph = tf.get_default_graph()
        found = test_util.assert_ops_in_graph({"a": "Const", "b": "Mul"}, graph)
        self.assertEqual(found["b"].op, "Mul")
        with self.assertRaisesRegex(ValueError, "different. Add vs Mul"):
            test_util.assert_ops_in_graph({"b": "Add"}, graph)
        with self.assertRaisesRegex(ValueError, "Not all expected ops are present"):
            test_util.assert_ops_in_graph({"c": "Mul"}, graph)

    def test_channels_go_before_the_space_and_back(self):
        for sizes, moved in (([1, 2, 3, 4], [1, 4, 2, 3]), ([1, 2, 3, 4, 5], [1, 5, 2, 3, 4])):
            self.assertEqual(test_util.NHWCToNCHW(sizes), moved)
            self.assertEqual(test_util.NCHWToNHWC(moved), sizes)
            before = test_util.NHWCToNCHW(tf.zeros(sizes))
            self.assertEqual(before.shape, moved)
            self.assertEqual(test_util.NCHWToNHWC(before).shape, sizes)

    def test_nodes_are_on_the_gpu_that_there_is_or_on_the_cpu(self):
        best = tf.test.gpu_device_name() or "/device:CPU:0"
        for context, expected in (
            (test_util.device(use_gpu=False), "/device:CPU:0"), (test_util.use_gpu(), best),
            (test_util.force_cpu(), "/device:CPU:0"), (test_util.force_gpu(), "/device:GPU:0"),
        ):  # fmt: skip
            with context:
                self.assertEqual(tf.constant(1).device, expected)

    def test_errors_are_matched_by_patterns_in_tests_of_absl_too(self):
        class Both(parameterized.TestCase, tf.test.TestCase):
            def of_an_error(self):
                with self.assertRaisesOpError("was wrong"):
                    raise tf.errors.InternalError(None, None, "This was wrong.")

        result = Both("of_an_error").run()
        self.assertTrue(result.wasSuccessful(), result.failures + result.errors)


if __name__ == "__main__":
    unittest.main()
