"""What libraries import by its place in TensorFlow's source."""

import sys
import types
import unittest

import numpy as np

import troupe as tf
from troupe.python import pywrap_tensorflow
from troupe.python.autograph.pyct import transformer
from troupe.python.framework import composite_tensor, ops, test_util, type_spec
from troupe.python.ops import control_flow_ops, control_flow_util, io_ops, variables
from troupe.python.ops.linalg import linear_operator_util
from troupe.python.util import lazy_loader, nest, tf_inspect


class SourceLibrariesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_a_lazy_module_is_imported_when_something_of_it_is_used(self):
        module = types.ModuleType("loaded_later")
        module.value = 7
        names = {}
        lazy = lazy_loader.LazyLoader("later", names, "loaded_later")
        self.assertEqual(names, {})
        sys.modules["loaded_later"] = module
        try:
            self.assertEqual(lazy.value, 7)
            self.assertIn("value", dir(lazy))
        finally:
            del sys.modules["loaded_later"]
        self.assertIs(names["later"], module)

    def test_scopes_are_put_before_names_and_taken_from_them(self):
        for name, within in (("x:0", "a/x:0"), ("^x", "^a/x"), ("loc:@x", "loc:@a/x")):
            self.assertEqual(ops.prepend_name_scope(name, "a"), within)
            self.assertEqual(ops.strip_name_scope(within, "a/"), name)
            self.assertEqual(ops.strip_name_scope(within, None), within)
        self.assertEqual(ops.strip_name_scope("ab/x", "a"), "ab/x")

    def test_a_case_uses_the_function_that_it_is_given_in_place_of_cond(self):
        seen = []

        def choose(predicate, true_fn, false_fn):
            seen.append(predicate)
            return true_fn() if predicate else false_fn()

        pairs = [(False, lambda: 1), (True, lambda: 2)]
        found = control_flow_ops._case_helper(choose, pairs, lambda: 3, False, "case", True)
        self.assertEqual((found, seen), (2, [False, True]))
        self.assertFalse(control_flow_util.GraphOrParentsInXlaContext(tf.get_default_graph()))

    def test_matrices_are_solved_in_batches_that_are_broadcast(self):
        matrix, rhs = tf.constant([[2.0, 0.0], [1.0, 1.0]]), tf.ones([3, 2, 1])
        solvers = (
            linear_operator_util.matrix_triangular_solve_with_broadcast,
            linear_operator_util.matrix_solve_with_broadcast,
        )
        with tf.Session() as session:
            for solve in solvers:
                self.assertEqual(session.run(solve(matrix, rhs)).tolist(), [[[0.5], [0.5]]] * 3)
            chol = linear_operator_util.cholesky_solve_with_broadcast(2 * tf.eye(2), rhs)
            self.assertEqual(session.run(chol).tolist(), [[[0.25], [0.25]]] * 3)

    def test_functions_of_the_package_have_no_annotations(self):
        spec = tf_inspect.getfullargspec(tf.concat)
        self.assertIs(tf_inspect._inspect.isfunction, tf_inspect.isfunction)
        self.assertEqual((spec.args, spec.annotations), (["values", "axis", "name"], {}))

        def own(x: int) -> int:
            return x

        self.assertEqual(set(tf_inspect.getfullargspec(own).annotations), {"x", "return"})

    def test_classes_are_at_their_places(self):
        self.assertTrue(issubclass(tf.SparseTensor, composite_tensor.CompositeTensor))
        self.assertTrue(issubclass(type_spec.BatchableTypeSpec, tf.TypeSpec))
        whole = tf.get_variable("v", [4], partitioner=tf.fixed_size_partitioner(2))
        self.assertIsInstance(whole, variables.PartitionedVariable)
        self.assertTrue(nest._is_namedtuple(tf.SparseTensorValue([[0]], [1], [2])))
        self.assertFalse(nest._is_namedtuple((1, 2)))
        self.assertTrue(callable(io_ops.restore_v2))
        with self.assertRaisesRegex(NotImplementedError, "AutoGraph"):
            transformer.Base(None)

    def test_the_static_value_of_what_is_no_tensor_is_itself(self):
        self.assertIsNone(tf.get_static_value(None))
        self.assertEqual(tf.get_static_value([1, 2]), [1, 2])
        self.assertIsNone(tf.get_static_value(tf.Variable(1)))
        self.assertEqual(tf.get_static_value(tf.constant(3)), 3)

    def test_the_static_value_is_an_array_also_of_what_is_filled(self):
        self.assertIsInstance(tf.get_static_value(tf.constant(3)), np.ndarray)
        filled = tf.get_static_value(tf.fill([2, 3], 0.5))
        self.assertEqual(filled.tolist(), [[0.5] * 3] * 2)
        self.assertIsNone(tf.get_static_value(tf.fill([2], tf.placeholder(tf.float32, []))))

    def test_constants_are_evaluated_by_the_name_of_the_c_api(self):
        evaluate = pywrap_tensorflow.TF_TryEvaluateConstant_wrapper
        x, y = tf.constant(True), tf.placeholder(tf.bool, [])
        self.assertEqual(evaluate(x.graph._c_graph, x._as_tf_output()), True)
        self.assertIsNone(evaluate(y.graph._c_graph, y._as_tf_output()))

    def test_a_function_says_how_deep_a_structure_is_gone_through(self):
        shallow = nest.get_traverse_shallow_structure
        given = {"b": [1, (2, 3)], "a": (4, 5)}
        found = shallow(lambda value: not isinstance(value, tuple), given)
        self.assertEqual(found, {"b": [True, False], "a": False})
        parts = shallow(lambda value: [False, True] if isinstance(value, list) else True, [1, 2])
        self.assertEqual(parts, [False, True])
        self.assertIs(shallow(lambda value: False, given), False)
        with self.assertRaisesRegex(TypeError, "non-bool scalar"):
            shallow(lambda value: 1, given)
        with self.assertRaisesRegex(TypeError, "for non-structure"):
            shallow(lambda value: [True], 1)
        with self.assertRaisesRegex(TypeError, "depth=1 structure"):
            shallow(lambda value: [1, True] if isinstance(value, list) else True, [1, 2])

    def test_tensors_have_the_operators_of_python_2(self):
        x, y = tf.constant(7), tf.constant(2.0)
        with tf.Session() as session:
            self.assertEqual(session.run([x.__div__(2), x.__rdiv__(15), y.__div__(4)]), [3, 2, 0.5])
        self.assertEqual(tf.Tensor.__nonzero__, tf.Tensor.__bool__)


@test_util.run_all_in_graph_and_eager_modes
class GraphModeTest(tf.test.TestCase):
    def test_all_tests_have_a_default_session(self):
        self.assertIsNotNone(tf.get_default_session())
        self.assertEqual(self.evaluate(tf.constant(3)), 3)

    def test_the_session_of_a_test_is_the_same_in_each_context(self):
        with self.test_session() as first, self.test_session() as second:
            self.assertIs(first, second)


class ModesTest(tf.test.TestCase):
    @test_util.run_in_graph_and_eager_modes(use_gpu=False)
    def test_one_test_has_a_default_session(self):
        self.assertIsNotNone(tf.get_default_session())

    @test_util.run_v1_only("It makes placeholders")
    def test_those_of_the_first_version_run(self):
        tf.placeholder(tf.float32)

    def test_values_without_a_session_are_those_of_the_session_of_the_test(self):
        v = tf.get_variable("v", initializer=3.0)
        self.evaluate(v.initializer)
        self.assertEqual(self.evaluate(v), 3.0)

    def test_those_of_the_second_version_are_skipped(self):
        with self.assertRaises(unittest.SkipTest):
            test_util.run_v2_only(lambda self: None)(self)

    def test_a_class_is_not_taken_for_a_method(self):
        with self.assertRaisesRegex(ValueError, "run_all_in_graph_and_eager_modes"):
            test_util.run_in_graph_and_eager_modes(ModesTest)

    def test_arrays_are_near_by_the_norm_of_their_difference(self):
        self.assertNDArrayNear([3.0, 4.0], [0.0, 0.0], 5.1)
        with self.assertRaises(AssertionError):
            self.assertNDArrayNear([3.0, 4.0], [0.0, 0.0], 5.0)


if __name__ == "__main__":
    unittest.main()
