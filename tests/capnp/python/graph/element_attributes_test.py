"""What tensors, nodes, variables, scopes and graphs tell besides: as in TensorFlow 1.15."""

import os
import tempfile

import numpy as np

import troupe as tf


class ElementAttributesTest(tf.test.TestCase):
    def test_references_stand_for_objects_in_sets(self):
        variable, tensor = tf.get_variable("v", [2]), tf.constant(1.0)
        self.assertEqual(variable.experimental_ref(), variable.experimental_ref())
        self.assertIs(tensor.experimental_ref().deref(), tensor)
        found = {each.experimental_ref() for each in (variable, tensor, variable)}
        self.assertEqual(len(found), 2)
        with self.assertRaisesRegex(TypeError, "unwrapped object"):
            tensor.experimental_ref() == tensor

    def test_a_node_tells_where_the_functions_begin_that_have_added_it(self):
        node = tf.constant(1.0).op
        calls = node.traceback_with_start_lines
        self.assertEqual(len(calls), len(node.traceback))
        file, line, function, text, start = calls[-1]
        self.assertEqual(os.path.basename(file), os.path.basename(__file__))
        self.assertIn("tf.constant(1.0)", text)
        self.assertEqual(line, start + 1)
        self.assertIn("where_the_functions_begin", function)

    def test_a_graph_tells_whether_it_is_a_function(self):
        seen = []
        dataset = tf.data.Dataset.range(1)
        dataset.map(lambda x: seen.append(tf.get_default_graph().building_function) or x)
        self.assertEqual(seen[0], True)
        self.assertFalse(tf.get_default_graph().building_function)

    def test_slices_tell_who_reads_them(self):
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
        self.assertEqual(slices.consumers(), [])
        read = [tf.identity(slices.values).op, tf.identity(slices.indices).op]
        self.assertEqual(slices.consumers(), read)

    def test_a_variable_takes_rows_of_each_element_of_a_batch(self):
        variable = tf.get_variable("v", initializer=tf.zeros([2, 3]))
        slices = tf.IndexedSlices(tf.constant([[5.0], [6.0]]), tf.constant([[0], [2]]))
        update = variable.batch_scatter_update(slices)
        with self.session() as session:
            session.run(variable.initializer)
            self.assertAllEqual(session.run(update), [[5, 0, 0], [0, 0, 6]])
        with self.assertRaisesRegex(TypeError, "not IndexedSlices"):
            variable.batch_scatter_update(3)

    def test_a_scope_makes_variables_of_its_own(self):
        with tf.variable_scope("outer") as scope:
            pass
        made = scope.get_variable(None, "v", [2], initializer=tf.zeros_initializer())
        self.assertEqual(made.op.name, "outer/v")

    def test_dtypes_of_handles_are_none_of_arrays(self):
        kinds = (tf.float32, tf.string, tf.bfloat16, tf.resource, tf.variant)
        found = [each.is_numpy_compatible for each in kinds]
        self.assertEqual(found, [True, True, True, False, False])

    def test_files_give_one_line_after_another(self):
        path = os.path.join(tempfile.mkdtemp(), "file")
        with tf.gfile.GFile(path, "w") as file:
            file.write("one\ntwo\n")
        with tf.gfile.GFile(path) as file:
            self.assertTrue(file.seekable())
            self.assertEqual([file.next(), next(file)], ["one\n", "two\n"])
            with self.assertRaises(StopIteration):
                file.next()
        with tf.gfile.GFile(path) as file:
            self.assertEqual(list(file), ["one\n", "two\n"])

    def test_operators_are_modules(self):
        variable = tf.get_variable("v", [2])
        inner = tf.linalg.LinearOperatorDiag(variable, name="own")
        outer = tf.linalg.LinearOperatorComposition([inner, inner])
        self.assertIsInstance(inner, tf.Module)
        self.assertEqual(outer.submodules, (inner,))
        with inner.name_scope:
            self.assertEqual(tf.constant(1.0).op.name, "own/Const")

        class Both(tf.Module):
            def __init__(self):
                super().__init__()
                self.operator, self.layer = inner, tf.layers.Dense(2)

        both = Both()
        both.layer(tf.constant(np.ones((1, 2), np.float32)))
        self.assertEqual(len(both.submodules), 2)
        self.assertEqual(len(both.trainable_variables), 3)

    def test_replicas_exchange_values(self):
        strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        exchange = tf.distribute.ReductionToOneDevice()
        value = strategy.experimental_run_v2(lambda: tf.constant([1.0, 2.0]))
        found = [
            exchange.reduce(tf.distribute.ReduceOp.SUM, value, "/cpu:0"),
            exchange.broadcast(value, value),
            *exchange.batch_reduce("MEAN", [(value, value)]),
        ]
        with self.session() as session:
            self.assertAllEqual(session.run(found), [[1.0, 2.0]] * 3)
            self.assertIsNone(session.run(strategy.group([value, tf.no_op()])))
        with self.assertRaisesRegex(ValueError, "pairs"):
            exchange.batch_reduce("SUM", [value])

    def test_containers_of_checkpoints_have_what_their_layers_have(self):
        layers = tf.contrib.checkpoint.List([tf.layers.Dense(2), tf.keras.layers.Dense(3)])
        for layer in layers:
            layer(tf.ones([1, 2]))
        held = tf.contrib.checkpoint.Mapping(a=layers)
        self.assertEqual([len(held.layers), len(held.weights)], [2, 4])
        layers.trainable = False
        layers[0].trainable = False
        self.assertEqual(layers.trainable_weights, [])
        self.assertEqual(len(layers.non_trainable_variables), 4)

    def test_helpers_have_their_names_of_tensorflow(self):
        self.assertTrue(tf.test.Benchmark.is_abstract())
        self.assertIsNone(tf.losses.Reduction.validate("none"))
        with self.assertRaisesRegex(ValueError, "Invalid Reduction Key"):
            tf.losses.Reduction.validate("other")
        self.assertEqual(tf.contrib.training.HParams(a=1).set_from_map({"a": 2}).a, 2)
        self.assertEqual(tf.GraphKeys.CONCATENATED_VARIABLES, "concatenated_variables")
        self.assertEqual(tf.data.Options().experimental_stats.prefix, "")
        self.assertIs(tf.train.MonitoredSession.StepContext.__name__, "StepContext")
        supervisor = tf.train.Supervisor(logdir=None)
        self.assertIsInstance(supervisor.session_manager, tf.train.SessionManager)


if __name__ == "__main__":
    tf.test.main()
