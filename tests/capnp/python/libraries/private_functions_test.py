"""Functions that programs import by private names from their places in TensorFlow's source."""

import glob
import os
import tempfile
import unittest

import numpy as np

import troupe as tf
import troupe.as_tensorflow  # noqa: F401
from troupe.core.util import event_pb2
from troupe.python import pywrap_tensorflow
from troupe.python.distribute import summary_op_util as replicas
from troupe.python.eager import context
from troupe.python.framework import constant_op, ops
from troupe.python.lib.io import file_io
from troupe.python.ops import (
    cond_v2,
    metrics_impl,
    resource_variable_ops,
    resources,
    rnn,
    state_ops,
    summary_op_util,
    while_v2,
)
from troupe.python.tpu import tpu_function
from troupe.python.training import checkpoint_management, device_setter, optimizer, saver


class PrivateFunctionsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()
        self.addCleanup(lambda: self.session.close())

    def test_batch_and_time_are_exchanged(self):
        from tensorflow.contrib.cudnn_rnn.python.ops import cudnn_rnn_ops
        from tensorflow.contrib.seq2seq.python.ops import beam_search_ops, decoder

        own = tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell
        self.assertIs(cudnn_rnn_ops.CudnnCompatibleLSTMCell, own)
        self.assertIs(beam_search_ops.gather_tree, tf.contrib.seq2seq.gather_tree)
        for place in (decoder, rnn):
            turned = place._transpose_batch_time(tf.zeros([2, 3, 4]))
            self.assertEqual(turned.shape.as_list(), [3, 2, 4])
        self.assertEqual(rnn._best_effort_input_batch_size([tf.zeros([3, 2])]), 2)

    def test_a_tensor_of_sizes_is_a_shape_as_far_as_it_is_known(self):
        shape_of = rnn._maybe_tensor_shape_from_tensor
        self.assertEqual(shape_of(tf.constant([2, 3])).as_list(), [2, 3])
        self.assertIsNone(shape_of(tf.placeholder(tf.int32, [2])).rank)
        self.assertEqual(shape_of([2]), [2])
        self.assertEqual([each.value for each in tf.TensorShape([2, None])._dims], [2, None])
        self.assertIsNone(tf.TensorShape(None)._dims)

    def test_a_program_counts_which_class_was_taken_for_which(self):
        total, update = metrics_impl._streaming_confusion_matrix([0, 1, 1], [0, 1, 0], 2, [1, 2, 4])
        self.session.run(tf.local_variables_initializer())
        np.testing.assert_array_equal(self.session.run(update), [[1, 0], [4, 2]])
        np.testing.assert_array_equal(self.session.run(total), [[1, 0], [4, 2]])

    def test_slices_of_one_index_are_added(self):
        sums, indices = optimizer._deduplicate_indexed_slices([[1.0], [2.0], [4.0]], [7, 3, 7])
        np.testing.assert_array_equal(self.session.run(sums), [[5.0], [2.0]])
        np.testing.assert_array_equal(self.session.run(indices), [7, 3])

    def test_a_variable_gets_a_first_value_of_its_own(self):
        x = tf.get_variable("x", [2], use_resource=False)
        assigned = state_ops.init_variable(x, lambda shape, dtype: tf.fill(shape, 3.0))
        self.assertEqual(assigned.op.name, "x/init")
        np.testing.assert_array_equal(self.session.run(assigned), [3.0, 3.0])
        self.assertFalse(resource_variable_ops.is_resource_variable(x))
        y = tf.get_variable("y", [2], use_resource=True)
        self.assertTrue(resource_variable_ops.is_resource_variable(y))

    def test_summaries_have_scopes_and_collections(self):
        with summary_op_util.summary_scope("a b", "family") as (tag, scope):
            self.assertEqual((tag, scope), ("family/family/a_b", "family/a_b/"))
        with summary_op_util.summary_scope(None, default_name="d", values=[]) as (tag, scope):
            self.assertEqual((tag, scope), ("d", "d/"))
        summary_op_util.collect("x", None, ["first"])
        summary_op_util.collect("y", ["second"], ["first"])
        self.assertEqual(tf.get_collection("first"), ["x"])
        self.assertEqual(tf.get_collection("second"), ["y"])
        self.assertFalse(replicas.skip_summary())

    def test_branches_and_loops_of_functions_are_those_of_the_graph(self):
        chosen = cond_v2.cond_v2(tf.constant(True), lambda: 1, lambda: 2)
        counted = while_v2.while_loop(
            lambda i: i < 9, lambda i: (i + 2,), [0], None, 1, 3, return_same_structure=False
        )
        self.assertEqual(self.session.run([chosen, counted]), [1, 6])

    def test_a_program_registers_resources(self):
        self.assertEqual(self.session.run(resources.report_uninitialized_resources()).tolist(), [])
        made = tf.get_variable("made", initializer=False)
        self.session.run(made.initializer)
        handle = tf.constant(0, name="handle")
        resources.register_resource(handle, made.assign(True).op, made)
        missing = resources.report_uninitialized_resources()
        self.assertEqual(self.session.run(missing).tolist(), [b"handle:0"])
        self.session.run(resources.initialize_resources(resources.shared_resources()))
        self.assertEqual(self.session.run(missing).tolist(), [])
        self.assertEqual(resources.local_resources(), [])

    def test_there_is_one_saver_of_a_graph(self):
        tf.get_variable("x", [2])
        found = saver._get_saver_or_default()
        self.assertIs(saver._get_saver_or_default(), found)
        tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
        with self.assertRaisesRegex(RuntimeError, "More than one item in collection"):
            saver._get_saver_or_default()

    def test_parameter_servers_come_in_turn(self):
        strategy = device_setter._RoundRobinStrategy(2)
        self.assertEqual([strategy(None) for _ in range(3)], [0, 1, 0])
        self.assertIn("VariableV2", device_setter.STANDARD_PS_OPS)

    def test_the_number_of_shards_is_that_of_the_block(self):
        shards = tpu_function.get_tpu_context()
        self.assertIsNone(shards.number_of_shards)
        with tpu_function.tpu_shard_context(4):
            self.assertEqual(shards.number_of_shards, 4)
            with self.assertRaises(NotImplementedError), tpu_function.tpu_shard_context(2):
                pass
        self.assertIsNone(shards.number_of_shards)

    def test_a_writer_makes_files_of_events(self):
        with tempfile.TemporaryDirectory() as folder:
            writer = pywrap_tensorflow.EventsWriter(f"{folder}/logs/events".encode())
            with self.assertRaisesRegex(TypeError, "Expected an event_pb2.Event proto"):
                writer.WriteEvent("x")
            summary = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=2.0)])
            writer.WriteEvent(event_pb2.Event(wall_time=1.0, step=3, summary=summary))
            self.assertTrue(writer.Flush())
            (path,) = glob.glob(f"{folder}/logs/events.out.tfevents.*")
            self.assertEqual(writer.FileName().decode(), path)
            first, second = tf.train.summary_iterator(path)
            self.assertEqual(first.file_version, "brain.Event:2")
            self.assertEqual((second.step, second.summary.value[0].simple_value), (3, 2.0))
            self.assertTrue(writer.Close())

    def test_files_have_the_functions_of_their_module(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a", "b")
            file_io.recursive_create_dir(path)
            file_io.write_string_to_file(f"{path}/x", "text")
            with self.assertRaises(tf.errors.AlreadyExistsError):
                file_io.atomic_write_string_to_file(f"{path}/x", "other", overwrite=False)
            self.assertEqual(file_io.list_directory(path), ["x"])
            file_io.atomic_write_string_to_file(f"{path}/y", b"text")
            self.assertTrue(file_io.filecmp(f"{path}/x", f"{path}/y"))
            self.assertEqual(file_io.file_crc32(f"{path}/x"), "0x3b8ba7c7")
            with file_io.FileIO(f"{path}/x", mode="w") as file:
                file.write("test")
            self.assertFalse(file_io.filecmp(f"{path}/x", f"{path}/y"))
            self.assertEqual(file_io.read_file_to_string(f"{path}/x"), "test")
            self.assertTrue(file_io.file_exists(f"{path}/x"))
            file_io.delete_recursively(path)
            self.assertFalse(file_io.is_directory(path))

    def test_shapes_become_tensors(self):
        convert = constant_op._tensor_shape_tensor_conversion_function
        sizes = convert(tf.TensorShape([2, 3]))
        self.assertEqual((sizes.op.name, sizes.dtype), ("shape_as_tensor", tf.int32))
        self.assertEqual(sizes._shape_tuple(), (2,))
        self.assertEqual(self.session.run(sizes).tolist(), [2, 3])
        self.assertEqual(convert(tf.TensorShape([2]), dtype=tf.int64).dtype, tf.int64)
        with self.assertRaises(TypeError):
            convert(tf.TensorShape([2]), dtype=tf.float32)
        for shape in (tf.TensorShape([None, 2]), tf.TensorShape(None)):
            with self.assertRaises(ValueError):
                convert(shape)
        self.assertIsNone(tf.placeholder(tf.float32)._shape_tuple())
        self.assertEqual(tf.placeholder(tf.float32, [None, 2])._shape_tuple(), (None, 2))

    def test_small_functions_are_at_their_places(self):
        self.assertLess(ops.uid(), ops.uid())
        self.assertFalse(context.in_eager_mode())
        with context.graph_mode():
            self.assertIsInstance(tf.constant(1), tf.Tensor)
        path = checkpoint_management._prefix_to_checkpoint_path("a", tf.train.SaverDef.V2)
        self.assertEqual(path, "a.index")


if __name__ == "__main__":
    unittest.main()
