"""Parts of graphs that take other tensors, are detached, connected and bypassed."""

import unittest

import troupe as tf
from troupe.contrib import graph_editor as ge


class RewiringTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.graph = tf.get_default_graph()
        self.ones = [tf.constant(float(number), name=f"one{number}") for number in (1, 2)]
        self.others = [tf.constant(float(number), name=f"other{number}") for number in (30, 40)]
        self.sum = tf.subtract(*self.ones, name="sum")
        self.other = tf.subtract(*self.others, name="other")

    def check(self, sums):
        with tf.Session() as session:
            self.assertEqual(session.run([self.sum, self.other]), sums)

    def test_operations_take_each_others_tensors(self):
        self.assertEqual(ge.swap_ts(self.ones, self.others), 4)
        self.check([-10.0, -1.0])

    def test_an_operation_that_takes_both_gets_both_the_other_way_round(self):
        self.assertEqual(ge.swap_ts(self.ones[0], self.ones[1]), 2)
        self.check([1.0, -10.0])

    def test_operations_take_another_tensor_and_leave_one_dangling(self):
        self.assertEqual(ge.reroute_ts(self.ones[0], self.others[0]), 1)
        self.check([-1.0, -39.0])
        self.assertEqual(self.others[0].consumers(), [])

    def test_only_those_that_may_change_do(self):
        self.assertEqual(ge.reroute_ts(self.ones[0], self.others[0], can_modify=self.sum.op), 0)
        refused = [self.other.op]
        self.assertEqual(ge.swap_ts(self.ones, self.others, cannot_modify=refused), 2)
        self.check([-10.0, -10.0])

    def test_tensors_that_cannot_stand_for_each_other_are_refused(self):
        for wrong in (tf.ones([2]), tf.constant(1), self.ones):
            with self.assertRaises(ValueError):
                ge.reroute_ts(wrong, self.others[0])
        self.check([-1.0, -10.0])

    def test_views_swap_their_inputs(self):
        one, other = ge.swap_inputs(self.sum.op, self.other.op)
        self.check([-10.0, -1.0])
        self.assertEqual((list(one.inputs), list(other.inputs)), (self.others, self.ones))

    def test_a_view_takes_the_inputs_of_another(self):
        _, other = ge.reroute_inputs(self.sum.op, self.other.op)
        self.check([-1.0, -1.0])
        self.assertEqual(list(other.inputs), self.ones)

    def test_the_outputs_of_views_are_swapped_for_what_takes_them(self):
        squares = [tf.square(self.sum), tf.square(self.other)]
        ge.swap_outputs(self.sum.op, self.other.op)
        self.assertEqual(self.evaluate(squares), [100.0, 1.0])
        ge.reroute_outputs(self.other.op, self.sum.op)
        self.assertEqual([each.op.inputs[0].op.name for each in squares], ["other", "other"])

    def test_views_swap_all_that_they_are_connected_to(self):
        squares = [tf.square(self.sum), tf.square(self.other)]
        ge.swap_ios(self.sum.op, self.other.op)
        self.check([-10.0, -1.0])
        with tf.Session() as session:
            self.assertEqual(session.run(squares), [1.0, 100.0])

    def test_an_output_may_be_given_to_what_takes_several(self):
        added = tf.constant(7.0)
        view = ge.sgv(added.op).remap_outputs([0, 0])
        ge.reroute_outputs(view, ge.sgv(self.ones[0].op, self.ones[1].op))
        self.check([0.0, -10.0])

    def test_a_detached_part_has_placeholders_around_it(self):
        end = tf.square(self.sum, name="end")
        with tf.control_dependencies([self.other]):
            waiting = tf.identity(self.sum, name="waiting")
        _, inputs, outputs = ge.detach(waiting.op, control_inputs=True)
        self.assertEqual([each.op.name for each in inputs], ["geph__sum_0"])
        self.assertEqual((waiting.op.inputs, outputs), ((inputs[0],), []))
        self.assertEqual(waiting.op.control_inputs, [])
        _, outputs = ge.detach_outputs(self.sum.op)
        self.assertEqual([each.op.name for each in outputs], ["geph__sum_0_1"])
        with tf.Session() as session:
            self.assertEqual(session.run(end, {outputs[0]: 3.0}), 9.0)

    def test_nothing_waits_for_a_detached_part(self):
        with tf.control_dependencies([self.other]):
            waiting = tf.identity(self.sum, name="waiting")
        ge.detach(self.other.op, control_ios=ge.ControlOutputs(self.graph))
        self.assertEqual(waiting.op.control_inputs, [])
        with self.assertRaises(TypeError):
            ge.edit.detach_control_outputs(self.other.op, True)

    def test_parts_are_connected(self):
        squared = tf.square(self.other, name="squared")
        ge.connect(ge.sgv(self.ones[0].op, self.ones[1].op, self.sum.op), ge.sgv(squared.op))
        self.assertEqual(self.evaluate(squared), 1.0)

    def test_what_was_connected_before_gets_a_placeholder(self):
        before, after = tf.negative(self.sum), tf.square(self.other)
        ge.connect(ge.sgv(self.sum.op), ge.sgv(after.op), disconnect_first=True)
        self.assertEqual(before.op.inputs[0].op.type, "Placeholder")
        self.assertEqual(after.op.inputs, (self.sum,))

    def test_a_part_is_bypassed(self):
        squared = tf.square(self.sum, name="squared")
        end = tf.negative(squared)
        view, inputs = ge.bypass(squared.op)
        self.assertEqual((end.op.inputs, list(view.inputs)), ((self.sum,), inputs))
        self.assertEqual(self.evaluate(end), 1.0)

    def test_control_inputs_are_added_once_and_removed_once(self):
        ge.add_control_inputs(self.sum.op, self.other.op)
        with self.assertRaisesRegex(ValueError, "already"):
            ge.add_control_inputs(self.sum.op, [self.other.op])
        self.assertEqual(self.sum.op.control_inputs, [self.other.op])
        ge.remove_control_inputs(self.sum.op, self.other.op)
        with self.assertRaisesRegex(ValueError, "is not a control_input"):
            ge.remove_control_inputs(self.sum.op, self.other.op)
        with self.assertRaises(TypeError):
            ge.add_control_inputs(self.sum, self.other.op)

    def test_placeholders_are_named_after_what_they_stand_for(self):
        with tf.name_scope("s"):
            tensor = tf.constant([1.0], name="t")
        self.assertEqual(ge.placeholder_name(tensor), "s/geph__t_0")
        self.assertEqual(ge.placeholder_name(tensor, scope="x"), "x/geph__t_0")
        self.assertEqual(ge.placeholder_name(prefix="p", scope="x/"), "x/p")
        made = ge.make_placeholder_from_tensor(tensor, scope="")
        self.assertEqual((made.op.name, made.shape.as_list()), ("geph__t_0", [1]))
        self.assertEqual(ge.placeholder_name(made), "geph__t_0")
        self.assertEqual(ge.ph(tf.int32, [2]).dtype, tf.int32)
        with self.assertRaises(TypeError):
            ge.placeholder_name("t")


if __name__ == "__main__":
    unittest.main()
