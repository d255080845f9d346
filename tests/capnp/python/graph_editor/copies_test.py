"""Copies of parts of graphs, with other inputs, other operations, and in other graphs."""

import collections
import functools
import unittest

import troupe as tf
from troupe.contrib import graph_editor as ge


class CopiesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.graph = tf.get_default_graph()
        self.a = tf.constant(1.0, name="a")
        with tf.name_scope("inner"):
            self.b = tf.constant(2.0, name="b")
            self.sum = tf.add(self.a, self.b, name="sum")

    def run_in(self, graph, fetches, feeds=None):
        with tf.Session(graph=graph) as session:
            return session.run(fetches, feeds)

    def test_a_graph_is_copied_into_another(self):
        other = tf.Graph()
        view, info = ge.copy(self.graph, other)
        made = info.transformed({"k": [self.sum, self.sum.op]})
        self.assertEqual([each.name for each in made["k"]], ["inner/sum:0", "inner/sum"])
        self.assertIs(info.original(made["k"][0]), self.sum)
        self.assertEqual(list(view.outputs), [made["k"][0]])
        self.assertEqual(self.run_in(other, made["k"][0]), 3.0)
        self.assertIn("  inner/sum => inner/sum\n", str(info))
        self.assertIsNone(info.transformed(tf.zeros([])))
        self.assertEqual(info.transformed(tf.zeros([]), lambda tensor: 7), 7)
        with self.assertRaisesRegex(TypeError, "tf.Tensor or a tf.Operation"):
            info.transformed(1)

    def test_a_part_is_copied_with_placeholders_as_its_inputs(self):
        view, _ = ge.copy(self.sum.op, dst_scope="copy", src_scope="inner")
        self.assertEqual(view.ops[0].name, "copy/sum")
        names = [each.op.name for each in view.inputs]
        self.assertEqual(names, ["copy/geph__a_0", "copy/geph__b_0"])
        feeds = dict(zip(view.inputs, (5.0, 6.0)))
        self.assertEqual(self.run_in(self.graph, view.outputs[0], feeds), 11.0)
        with self.assertRaisesRegex(ValueError, "does not belong to source scope"):
            ge.copy(self.a.op, src_scope="inner")

    def test_scopes_of_copies_are_made_unique_unless_they_are_reused(self):
        names = [
            ge.copy(self.a.op, dst_scope="x", reuse_dst_scope=reuses)[0].ops[0].name
            for reuses in (False, False, True)
        ]
        self.assertEqual(names, ["x/a", "x_1/a", "x/a_1"])

    def test_a_view_of_a_copy_has_the_order_of_the_part(self):
        part = ge.sgv(self.sum.op).remap_inputs([1, 0])
        view, _ = ge.copy(part, dst_scope="x")
        self.assertEqual([each.op.name for each in view.inputs], ["x/geph__b_0", "x/geph__a_0"])
        hidden, _ = ge.copy(ge.sgv(self.sum.op).remap_inputs([1]), dst_scope="y")
        self.assertEqual(hidden.ops[0].inputs[0], self.a)

    def test_inputs_are_replaced_by_other_tensors(self):
        ten = tf.constant(10.0)
        view, _ = ge.copy_with_input_replacements(self.sum.op, {self.b: ten})
        self.assertEqual(view.ops[0].inputs, (self.a, ten))
        self.assertEqual(self.evaluate(view.outputs[0]), 11.0)

    def test_tensors_are_computed_once_more_from_others(self):
        variable = tf.Variable(3.0, name="v")
        end = tf.identity(self.sum * variable, name="end")
        targets = collections.namedtuple("Targets", ["end", "other"])(end, self.b)
        made = ge.graph_replace(targets, {self.a: tf.constant(5.0)}, dst_scope="new")
        self.assertIs(type(made), type(targets))
        self.assertIs(made.other, self.b)
        self.assertEqual(made.end.op.name, "new/end")
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run([end, made.end]), [9.0, 21.0])
        with self.assertRaisesRegex(ValueError, "not connected"):
            ge.graph_replace(self.a, {end: self.a})

    def test_a_session_that_has_run_steps_runs_copies(self):
        with tf.Session() as session:
            self.assertEqual(session.run(self.sum), 3.0)
            with tf.control_dependencies([self.a]):
                end = tf.square(self.sum)
            made = ge.graph_replace(end, {self.sum: self.b})
            self.assertEqual(session.run(made), 4.0)

    def test_copies_have_gradients(self):
        start = tf.constant(3.0)
        made = ge.graph_replace(tf.square(self.sum), {self.sum: start})
        self.assertEqual(self.evaluate(tf.gradients(made, start)), [6.0])

    def test_copies_wait_for_copies(self):
        with tf.control_dependencies([self.a]):
            waiting = tf.identity(self.b, name="waiting")
        _, info = ge.copy([self.a.op, waiting.op], dst_scope="x")
        copied = info.transformed(waiting.op)
        self.assertEqual(copied.control_inputs, [info.transformed(self.a.op)])
        _, info = ge.copy(waiting.op, dst_scope="y")
        self.assertEqual(info.transformed(waiting.op).control_inputs, [self.a.op])
        _, info = ge.copy(waiting.op, tf.Graph())
        self.assertEqual(info.transformed(waiting.op).control_inputs, [])

    def test_copies_share_the_devices_of_copies(self):
        with tf.colocate_with(self.a.op):
            beside = tf.constant(1.0, name="beside")
        _, info = ge.copy([self.a.op, beside.op], dst_scope="x")
        self.assertEqual(info.transformed(beside.op).colocation_groups(), [b"loc:@x/a"])
        _, info = ge.copy(beside.op, tf.Graph())
        self.assertEqual(info.transformed(beside.op).colocation_groups(), [b"loc:@beside"])

    def test_copies_are_in_collections_of_their_own(self):
        tf.add_to_collection("mine", self.sum)
        tf.add_to_collection(tf.GraphKeys.LOSSES, self.sum)
        _, info = ge.copy(self.sum.op, dst_scope="x")
        copied = info.transformed(self.sum)
        self.assertEqual(tf.get_collection("x/mine"), [copied])
        self.assertEqual(tf.get_collection(tf.GraphKeys.LOSSES), [self.sum, copied])

    def test_handlers_of_programs_make_the_results(self):
        def with_noise(info, op, new_inputs):
            made, outputs = ge.transform.copy_op_handler(info, op, new_inputs)
            if op.type != "AddV2":
                return made, outputs
            with info.graph_.as_default():
                return made, [tf.add(outputs[0], 100.0, name="noisy")]

        end = tf.square(self.sum)
        transformer, other = ge.Transformer(), tf.Graph()
        transformer.transform_op_handler = with_noise
        _, info = transformer(self.graph, other, "")
        self.assertEqual(self.run_in(other, info.transformed(end)), 103.0**2)

        transformer.transform_op_handler = lambda info, op, new_inputs: (op, op.outputs)
        with self.assertRaisesRegex(ValueError, "In-place"):
            transformer(self.graph, other, "")

    def test_messages_of_copies_may_be_changed(self):
        def marked(node_def):
            node_def.attr["_mark"].s = b"x"
            return node_def

        transformer, other = ge.Transformer(), tf.Graph()
        transformer.transform_op_handler = functools.partial(
            ge.transform.copy_op_handler, nodedef_fn=marked, copy_shape=True
        )
        transformer(self.graph, other, "")
        self.assertEqual({op.get_attr("_mark") for op in other.get_operations()}, {b"x"})
        with self.assertRaisesRegex(TypeError, "iterable"):
            ge.transform.copy_op_handler(None, self.a.op, True)

    def loop(self):
        start = tf.constant(0, name="start")
        end = tf.while_loop(lambda i: i < 5, lambda i: i + 2, [start])
        return start, end

    def test_loops_are_copied_beside_themselves_and_keep_their_gradients(self):
        weight = tf.constant(2.0)
        start, end = self.loop()
        total = tf.while_loop(lambda x: x < 9.0, lambda x: x * weight, [weight])
        view, info = ge.copy(self.graph, dst_scope="x")
        self.assertEqual(self.evaluate([end, info.transformed(end)]), [6, 6])
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gradients(total, weight)), [32.0])

    def test_loops_are_computed_once_more_as_a_whole(self):
        start, end = self.loop()
        made = ge.graph_replace(end, {start: tf.constant(1)})
        self.assertEqual(self.evaluate([end, made]), [6, 5])

    def test_a_loop_of_which_one_variable_is_replaced_is_computed_as_a_whole(self):
        count, start = tf.constant(0), tf.constant(10)
        _, end = tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + i), [count, start])
        made = ge.graph_replace(end, {start: tf.constant(20)}, dst_scope="new")
        copies = [op for op in self.graph.get_operations() if op.name.startswith("new/")]
        self.assertEqual(sum(op.type == "Exit" for op in copies), 2)
        self.assertEqual(sum(op.type == "LoopCond" for op in copies), 1)
        self.assertEqual(self.evaluate([end, made]), [13, 23])

    def test_loops_are_transformed_by_handlers_of_programs(self):
        _, end = self.loop()
        transformer, other = ge.Transformer(), tf.Graph()
        transformer.transform_op_handler = functools.partial(
            ge.transform.copy_op_handler, copy_shape=False
        )
        _, info = transformer(self.graph, other, "x")
        self.assertEqual(self.run_in(other, info.transformed(end)), 6)

    def test_branches_are_copied(self):
        choice = tf.placeholder(tf.bool, [], name="choice")
        result = tf.cond(choice, lambda: self.a, lambda: self.b)
        other = tf.Graph()
        _, info = ge.copy(self.graph, other)
        for value, wanted in ((True, 1.0), (False, 2.0)):
            feeds = {info.transformed(choice): value}
            self.assertEqual(self.run_in(other, info.transformed(result), feeds), wanted)

    def test_functions_that_nodes_call_come_into_the_other_graph(self):
        dataset = tf.data.Dataset.range(3).map(lambda x: x + 5)
        value = dataset.make_one_shot_iterator().get_next()
        other = tf.Graph()
        _, info = ge.copy(self.graph, other)
        self.assertEqual(self.run_in(other, info.transformed(value)), 5)


if __name__ == "__main__":
    unittest.main()
