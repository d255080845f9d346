"""Names of TensorFlow's source that libraries on top of it use."""

import importlib
import unittest

import numpy as np

import troupe as tf
from troupe._src.source_locations.renamed import RENAMED
from troupe.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from troupe.python.ops import (
    control_flow_util,
    init_ops,
    inplace_ops,
    rnn_cell_impl,
    variable_scope,
)


class SourceNamesTest(tf.test.TestCase):
    def test_all_names_that_are_elsewhere_in_this_package_exist(self):
        importlib.import_module("troupe.as_tensorflow")
        missing = []
        for place, names in RENAMED.items():
            module = importlib.import_module(f"tensorflow.{place}")
            missing += [f"{place}.{name}" for name in names if not hasattr(module, name)]
        self.assertEqual(missing, [])
        self.assertEqual(tensor_shape.dimension_value(tensor_shape.as_dimension(3)), 3)
        self.assertIs(tf.contrib.eager.Checkpointable, tf.contrib.checkpoint.Checkpointable)

    def test_a_pure_variable_scope_enters_no_name_scope(self):
        with variable_scope._pure_variable_scope("s", None, tf.ones_initializer()) as scope:
            v = tf.get_variable("v", [2])
            total = tf.add(v, 1.0, name="total")
        self.assertEqual([scope.name, v.op.name, total.op.name], ["s", "s/v", "total"])
        with variable_scope._pure_variable_scope(scope, reuse=True, old_name_scope="s/"):
            self.assertIs(tf.get_variable("v", [2]), v)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(total), [2, 2])

    def test_programs_derive_from_the_class_of_initializers(self):
        class Halves(init_ops.Initializer):
            def __call__(self, shape, dtype=None, partition_info=None):
                return tf.fill(shape, 0.5)

        v = tf.get_variable("v", [2], initializer=Halves())
        self.assertIsInstance(tf.zeros_initializer(), init_ops.Initializer)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(v), [0.5, 0.5])

    def test_operators_and_distributions_are_at_their_places(self):
        from troupe.python.ops.distributions import distribution, normal
        from troupe.python.ops.linalg import linalg_impl, linear_operator_diag

        self.assertIs(normal.Normal, tf.distributions.Normal)
        self.assertIs(distribution.Distribution, tf.distributions.Distribution)
        self.assertIs(linalg_impl.tridiagonal_solve, tf.linalg.tridiagonal_solve)
        self.assertIs(linear_operator_diag.LinearOperatorDiag, tf.linalg.LinearOperatorDiag)

    def test_distributions_of_contrib_are_at_their_places(self):
        from troupe.contrib.distributions.python.ops import gumbel, mvn_linear_operator
        from troupe.contrib.distributions.python.ops.poisson import Poisson

        tfd = tf.contrib.distributions
        self.assertIs(Poisson, tfd.Poisson)
        places = "troupe.contrib.distributions.python.ops"
        for place, name in (
            ("mixture", "Mixture"), ("mvn_tril", "MultivariateNormalTriL"),
            ("wishart", "WishartFull"),
            ("normal_conjugate_posteriors", "normal_conjugates_known_scale_posterior"),
            ("quantized_distribution", "QuantizedDistribution"), ("sample_stats", "percentile"),
        ):  # fmt: skip
            module = importlib.import_module(f"{places}.{place}")
            self.assertIs(getattr(module, name), getattr(tfd, name))
        made = gumbel.Gumbel(0.0, 1.0)
        self.assertEqual(made.event_shape, [])
        base = mvn_linear_operator.MultivariateNormalLinearOperator
        self.assertTrue(issubclass(tfd.MultivariateNormalDiag, base))

    def test_datasets_are_at_their_places(self):
        from troupe.python.data.ops import dataset_ops
        from troupe.python.data.util import nest

        dataset = dataset_ops.DatasetV1.from_tensors({"a": [1, 2]})
        self.assertIsInstance(dataset, tf.data.Dataset)
        self.assertEqual(dataset_ops.get_legacy_output_types(dataset), {"a": tf.int32})
        self.assertEqual(nest.flatten({"a": [1, 2]}), [[1, 2]])  # lists are tensors there
        self.assertEqual(nest.pack_sequence_as({"a": 0}, [3]), {"a": 3})
        self.assertEqual([nest.is_sequence(each) for each in ((1,), [1])], [True, False])
        sparse = tf.SparseTensorValue([[0]], [1.0], [2])
        for each, expected in [(sparse, True), (tf.SparseTensor(*sparse), True), ([1], False)]:
            self.assertIs(sparse_tensor.is_sparse(each), expected)

    def test_states_of_zeros_have_the_structure_of_sizes(self):
        sizes = tf.nn.rnn_cell.LSTMStateTuple(tf.TensorShape([2, 3]), 4)
        state = rnn_cell_impl._zero_state_tensors(sizes, 5, tf.float32)
        self.assertEqual([each.shape.as_list() for each in state], [[5, 2, 3], [5, 4]])
        self.assertIsInstance(state, tf.nn.rnn_cell.LSTMStateTuple)

    def test_sizes_are_joined(self):
        batch, unknown = tf.placeholder(tf.int32, []), tf.TensorShape([None, 3])
        self.assertEqual(rnn_cell_impl._concat(2, tf.TensorShape([3]), static=True), [2, 3])
        self.assertEqual(rnn_cell_impl._concat(tf.constant(2), unknown, static=True), [2, None, 3])
        self.assertIsNone(rnn_cell_impl._concat(batch, 3, static=True))
        with self.session() as session:
            found = session.run(rnn_cell_impl._concat(batch, tf.constant([4, 5])), {batch: 2})
        self.assertAllEqual(found, [2, 4, 5])
        with self.assertRaisesRegex(ValueError, "suffix of None"):
            rnn_cell_impl._concat(2, unknown)
        with self.assertRaisesRegex(ValueError, "either a scalar or vector"):
            rnn_cell_impl._concat(tf.zeros([2, 2], tf.int32), 3)

    def test_rows_are_replaced_and_changed(self):
        x = tf.constant([[1, 2], [3, 4], [5, 6]])
        empty = inplace_ops.empty_like(tf.cast(x, tf.float32))
        found = self.evaluate([
            inplace_ops.alias_inplace_update(x, 1, [7, 8]),
            inplace_ops.inplace_add(x, [0, 2], [[1, 1], [2, 2]]),
            inplace_ops.alias_inplace_sub(x, None, x), inplace_ops.inplace_update(x, 0, [9, 9]),
        ])  # fmt: skip
        self.assertAllEqual(found[0], [[1, 2], [7, 8], [5, 6]])
        self.assertAllEqual(found[1], [[2, 3], [3, 4], [7, 8]])
        self.assertAllEqual(found[2], np.zeros([3, 2]))
        self.assertAllEqual(found[3], [[9, 9], [3, 4], [5, 6]])
        self.assertEqual((empty.shape.as_list(), empty.dtype), ([3, 2], tf.float32))

    def test_graphs_tell_whether_nodes_are_inside_of_branches(self):
        graph = tf.get_default_graph()
        contexts = [graph._get_control_flow_context()]

        def branch():
            contexts.append(graph._get_control_flow_context())
            return tf.constant(1)

        tf.cond(tf.placeholder(tf.bool, []), branch, branch)
        self.assertEqual([each is None for each in contexts], [True, False, False])
        self.assertIsNone(control_flow_util.GetContainingXLAContext(contexts[1]))

    def test_programs_for_both_modes_are_told_that_this_is_graph_mode(self):
        tfe = tf.contrib.eager
        self.assertIs(tfe.in_eager_mode(), False)
        self.assertIs(tfe.defun, tf.function)
        self.assertEqual(tfe.Variable(1.0).dtype, tf.float32)
        with self.assertRaisesRegex(AttributeError, "no 'implicit_gradients'"):
            tfe.implicit_gradients

    def test_classes_of_programs_stand_for_tensors(self):
        class Holder:
            name = property(lambda self: "holder")
            dtype = property(lambda self: tf.float32)

        self.assertFalse(ops.is_dense_tensor_like(Holder()))
        ops.register_dense_tensor_like_type(Holder)
        self.assertTrue(ops.is_dense_tensor_like(Holder()))
        with self.assertRaisesRegex(TypeError, "does not define a `name` property"):
            ops.register_dense_tensor_like_type(int)

    def test_dtypes_of_references_have_names(self):
        variable = tf.Variable(1.0, use_resource=False)
        self.assertEqual(variable.dtype, dtypes.float32_ref)
        self.assertEqual(dtypes.float16_ref.base_dtype, dtypes.float16)
        with self.assertRaisesRegex(AttributeError, "float33_ref"):
            dtypes.float33_ref

    def test_columns_estimators_and_what_is_for_tpus_are_at_their_places(self):
        from troupe.python.estimator.export import export
        from troupe.python.estimator.model_fn import ModeKeys
        from troupe.python.feature_column import feature_column_lib, feature_column_v2
        from troupe.python.tpu import bfloat16, tpu_config

        self.assertIs(feature_column_lib.numeric_column, tf.feature_column.numeric_column)
        self.assertIs(feature_column_v2.embedding_column, tf.feature_column.embedding_column)
        learn = importlib.import_module("troupe.contrib.learn.python.learn.monitored_session")
        self.assertIs(learn.MonitoredSession, tf.train.MonitoredSession)
        self.assertIs(ModeKeys, tf.estimator.ModeKeys)
        self.assertIs(export.ServingInputReceiver, tf.estimator.export.ServingInputReceiver)
        self.assertIs(tpu_config.TPUConfig, tf.contrib.tpu.TPUConfig)
        self.assertIs(bfloat16.bfloat16_scope, tf.contrib.tpu.bfloat16_scope)

    def test_passes_are_turned_off_by_constants(self):
        from troupe.core.protobuf.rewriter_config_pb2 import RewriterConfig

        config = tf.ConfigProto()
        rewrites = config.graph_options.rewrite_options
        self.assertIsInstance(rewrites, RewriterConfig)
        rewrites.constant_folding = RewriterConfig.OFF
        rewrites.scoped_allocator_opts.enable_op.append("CollectiveReduce")
        passes = ["fold_constants", "spread_constants"]
        self.assertEqual(config.graph_options._disabled_passes(), passes)
        self.assertEqual(RewriterConfig().scoped_allocator_opts.enable_op, [])
        with self.assertRaisesRegex(AttributeError, 'no "constant_melting" field'):
            rewrites.constant_melting = RewriterConfig.ON

    def test_datasets_have_no_threads_of_their_own(self):
        from troupe.python.data.ops.dataset_ops import Dataset
        from troupe._src.data import transformations as threadpool

        dataset = Dataset.range(3)
        pool = threadpool.PrivateThreadPool(2, display_name="two")
        self.assertIs(threadpool.override_threadpool(dataset, pool), dataset)

    def test_a_monitored_session_gives_the_plain_one(self):
        step = tf.train.get_or_create_global_step()
        with tf.train.MonitoredSession() as session:
            self.assertEqual(session._tf_sess().run(step), 0)
            self.assertIs(session._tf_sess(), session.plain_session)

    def test_modules_that_programs_need_on_other_machines_only_have_no_names(self):
        from troupe.python.ops import collective_ops

        with self.assertRaisesRegex(AttributeError, "has no 'all_reduce'"):
            collective_ops.all_reduce

    def test_reductions_among_devices_and_the_debugger_are_in_their_places(self):
        from troupe.contrib import all_reduce, nccl
        from troupe.python import debug
        from troupe.python.debug.lib import debug_data
        from troupe.python.debug.wrappers import dumping_wrapper, hooks, local_cli_wrapper
        from troupe.python.distribute import all_reduce as of_distribute
        from troupe.python.ops import nccl_ops

        self.assertIs(nccl_ops.all_sum, nccl.all_sum)
        for name in all_reduce.__all__:
            self.assertIs(getattr(of_distribute, name), getattr(all_reduce, name))
        for module, name in (
            (debug_data, "DebugDumpDir"),
            (dumping_wrapper, "DumpingDebugWrapperSession"),
            (hooks, "LocalCLIDebugHook"),
            (local_cli_wrapper, "LocalCLIDebugWrapperSession"),
        ):
            self.assertIs(getattr(module, name), getattr(debug, name))


if __name__ == "__main__":
    unittest.main()
