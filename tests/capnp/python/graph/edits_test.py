"""Changes of nodes that a graph has already."""

import threading
import unittest

import troupe as tf


class EditsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.graph = tf.get_default_graph()
        self.a, self.b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        with tf.name_scope("inner"):
            self.sum = tf.add(self.a, self.b, name="sum")
        self.end = tf.square(self.sum, name="end")
        self.later = tf.placeholder_with_default(5.0, [], name="later")

    def test_an_operation_takes_a_tensor_that_was_added_later(self):
        self.sum.op._update_input(0, self.later)
        self.assertEqual(self.sum.op.inputs, (self.later, self.b))
        self.assertEqual(self.evaluate([self.end, self.sum]), [49.0, 7.0])
        self.assertEqual(self.sum.op.inputs, (self.later, self.b))
        self.assertEqual(list(self.sum.op.node_def.input), ["later", "b"])
        names = [op.name for op in self.graph.get_operations()]
        self.assertLess(names.index("later"), names.index("inner/sum"))
        self.assertIs(self.graph.get_tensor_by_name("inner/sum:0"), self.sum)

    def test_consumers_are_those_after_an_edit(self):
        self.assertEqual([op.name for op in self.a.consumers()], ["inner/sum"])
        self.sum.op._update_input(0, self.later)
        for _ in range(2):  # before the edit is made, and after
            self.assertEqual((self.a.consumers(), self.later.consumers()), ([], [self.sum.op]))
            tf.identity(self.end)
        more = tf.negative(self.later)
        self.assertEqual(self.later.consumers(), [self.sum.op, more.op])
        both = tf.multiply(self.b, self.b)
        both.op._update_input(0, self.a)
        self.assertEqual((self.a.consumers(), both.op in self.b.consumers()), ([both.op], True))

    def test_consumers_that_an_edit_moves_are_known(self):
        self.assertEqual(self.b.consumers(), [self.sum.op])
        late = tf.square(self.b)
        self.sum.op._update_input(0, late)
        tf.identity(self.end)
        self.assertCountEqual(self.b.consumers(), [self.sum.op, late.op])

    def test_gradients_are_those_of_the_edited_graph(self):
        variable = tf.Variable(3.0, name="v")
        self.sum.op._update_input(0, variable.value())
        gradients = tf.gradients(self.end, [variable, self.b, self.a])
        self.assertIsNone(gradients[2])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(gradients[:2]), [10.0, 10.0])
            session.run(variable.assign_add(1.0))
            self.assertEqual(session.run(self.end), 36.0)

    def test_variables_of_references_go_on(self):
        variable = tf.Variable(3.0, name="v", use_resource=False)
        doubled = variable * 2.0
        self.sum.op._update_input(0, doubled)
        train = tf.train.GradientDescentOptimizer(0.25).minimize(self.end)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(self.end), 64.0)
            session.run(train)
            self.assertEqual(session.run(variable), -5.0)

    def test_scopes_go_on_in_the_edited_graph(self):
        with tf.name_scope("outer"), self.graph.container("c"), tf.device("/cpu:0"):
            self.sum.op._update_input(0, self.later)
            with tf.name_scope("in"):
                inner = tf.identity(self.end, name="x")
            other = tf.identity(self.end, name="x")
            queue = tf.FIFOQueue(1, [tf.float32])
        last = tf.identity(self.end, name="x")
        self.assertEqual([t.op.name for t in (inner, other, last)], ["outer/in/x", "outer/x", "x"])
        self.assertEqual([other.device, last.device], ["/device:CPU:0", ""])
        self.assertEqual(queue.queue_ref.op.get_attr("container"), b"c")
        with tf.name_scope("inner"):  # whose name is taken
            self.assertEqual(tf.identity(self.end, name="x").op.name, "inner_1/x")

    def test_scopes_of_another_thread_go_on(self):
        entered, edited, names = threading.Event(), threading.Event(), []

        def add():
            with self.graph.as_default(), tf.name_scope("other"):
                entered.set()
                edited.wait()
                names.append(tf.identity(self.end, name="x").op.name)

        thread = threading.Thread(target=add)
        thread.start()
        entered.wait()
        self.sum.op._update_input(0, self.later)
        tf.identity(self.end)
        edited.set()
        thread.join()
        self.assertEqual(names, ["other/x"])

    def test_a_later_variable_has_a_name_of_its_own(self):
        first = tf.Variable(3.0, name="v")
        self.sum.op._update_input(0, first.value())
        second = tf.Variable(4.0, name="v")
        self.assertEqual([first.op.name, second.op.name], ["v", "v_1"])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run([first, second]), [3.0, 4.0])

    def test_a_variable_beside_one_of_a_message_has_a_name_of_its_own(self):
        tf.Variable(3.0, name="v")
        message = tf.train.export_meta_graph()
        tf.reset_default_graph()
        tf.train.import_meta_graph(message)
        first, second = tf.global_variables()[0], tf.Variable(4.0, name="v")
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run([first, second]), [3.0, 4.0])

    def test_control_inputs_are_added_and_removed(self):
        asserted = tf.Assert(self.later < 0.0, [self.later], name="negative")
        self.end.op._add_control_input(asserted)
        self.assertEqual(self.end.op.control_inputs, [asserted])
        with self.session() as session:
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(self.end)
        self.end.op._remove_all_control_inputs()
        self.assertEqual((self.end.op.control_inputs, self.end.op.inputs), ([], (self.sum,)))
        with self.session() as session:
            self.assertEqual(session.run(self.end), 9.0)

    def test_attributes_are_changed(self):
        value = tf.AttrValue(s=b"bar") if hasattr(tf, "AttrValue") else None
        value = value or type(self.end.op.node_def.attr["_foo"])(s=b"bar")
        self.end.op._set_attr("_foo", value)
        self.assertEqual(self.end.op.get_attr("_foo"), b"bar")
        self.assertEqual(self.evaluate(self.end), 9.0)

    def test_a_device_is_set(self):
        self.end.op._set_device("/job:localhost/device:CPU:0")
        self.assertEqual(self.end.op.device, "/job:localhost/device:CPU:0")
        self.sum.op._set_device(tf.DeviceSpec(device_type="CPU", device_index=0))
        self.assertEqual(self.sum.op.device, "/device:CPU:0")
        self.assertEqual(self.evaluate(self.end), 9.0)
        self.end.op._set_device("")
        self.assertEqual(self.end.op.device, "")

    def test_shapes_are_inferred_again(self):
        given = tf.placeholder(tf.float32, [3])
        self.sum.op._update_input(0, given)
        tf.identity(self.end)
        self.assertEqual(self.end.shape.as_list(), [3])
        self.assertEqual(self.a.shape.as_list(), [])

    def test_shapes_that_were_refined_stay_so(self):
        refined = tf.identity(tf.placeholder(tf.float32))
        refined.set_shape([2])
        refined.op._update_input(0, tf.placeholder(tf.float32, [None]))
        tf.identity(self.end)
        self.assertEqual(refined.shape.as_list(), [2])

    def test_a_session_that_has_run_steps_says_that_it_cannot_see_edits(self):
        with tf.Session() as session:
            call = session.make_callable(self.end)
            self.assertEqual(session.run(self.end), 9.0)
            self.sum.op._update_input(0, self.later)
            for run in (lambda: session.run(self.end), call):
                with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "new session"):
                    run()
        with tf.Session() as session:
            self.assertEqual(session.run(self.end), 49.0)

    def test_a_session_that_was_made_before_sees_edits(self):
        with tf.Session() as session:
            self.sum.op._update_input(0, self.later)
            self.assertEqual(session.run(self.end), 49.0)

    def test_functions_and_datasets_of_the_graph_stay(self):
        dataset = tf.data.Dataset.range(3).map(lambda x: x * 2)
        total = tf.cast(dataset.make_one_shot_iterator().get_next(), tf.float32)
        self.sum.op._update_input(0, total)
        more = tf.data.Dataset.range(2).map(lambda x: x + 7).make_one_shot_iterator().get_next()
        with self.session() as session:
            self.assertEqual([session.run(self.end) for _ in range(3)], [4.0, 16.0, 36.0])
            self.assertEqual(session.run(more), 7)

    def test_a_saver_that_was_made_before_goes_on(self):
        variable = tf.Variable(3.0, name="v")
        saver = tf.train.Saver(max_to_keep=2)
        prefix = f"{self.get_temp_dir()}/model"
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            first = [saver.save(session, prefix, global_step=step) for step in (1, 2)]
        self.sum.op._update_input(0, variable.value())
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            path = saver.save(session, prefix, global_step=3)
            self.assertEqual(saver.last_checkpoints, [first[1], path])
            self.assertFalse(tf.train.checkpoint_exists(first[0]))
            session.run(variable.assign(0.0))
            saver.restore(session, path)
            self.assertEqual(session.run(variable), 3.0)

    def test_loops_run_after_an_edit(self):
        _, total = tf.while_loop(
            lambda i, _: i < 3, lambda i, s: (i + 1, s + self.sum), [0, tf.zeros([])]
        )
        branch = tf.cond(self.later > 0.0, lambda: self.sum, lambda: self.b)
        self.sum.op._update_input(0, self.later)
        self.assertEqual(self.evaluate([total, branch]), [21.0, 7.0])

    def test_loops_and_branches_say_that_they_have_no_gradients_after_an_edit(self):
        loop = tf.while_loop(lambda x: x < 9.0, lambda x: x * 2.0, [self.a])
        branch = tf.cond(self.later > 0.0, lambda: self.a * 3.0, lambda: self.a)
        before = tf.gradients([loop, branch], self.a)
        self.sum.op._update_input(0, self.later)
        for result in (loop, branch):
            with self.assertRaisesRegex(ValueError, "edited since have none"):
                tf.gradients(result, self.a)
        self.assertEqual(self.evaluate(before), [19.0])

    def test_a_cycle_is_refused_and_leaves_the_graph_as_it_was(self):
        self.sum.op._update_input(0, self.end)
        with self.assertRaisesRegex(ValueError, "stays as it was"):
            tf.identity(self.end)
        self.assertEqual(self.sum.op.inputs, (self.a, self.b))
        self.assertEqual(self.a.consumers(), [self.sum.op])
        self.assertEqual(self.evaluate(self.end), 9.0)

    def test_tensors_that_do_not_fit_are_refused(self):
        with self.assertRaisesRegex(TypeError, "dtype float32"):
            self.sum.op._update_input(0, tf.constant(1))
        with self.assertRaises(IndexError):
            self.sum.op._update_input(2, self.later)
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        with self.assertRaisesRegex(ValueError, "another graph"):
            self.sum.op._update_input(0, other)
        with self.assertRaisesRegex(ValueError, "another graph"):
            self.sum.op._add_control_input(other.op)
        self.assertEqual(self.sum.op.inputs, (self.a, self.b))

    def test_a_finalized_graph_and_one_with_an_open_branch_are_not_edited(self):
        def branch():
            with self.assertRaisesRegex(RuntimeError, "branch or loop"):
                self.sum.op._update_input(0, self.later)
            return self.a

        tf.cond(self.later > 0.0, branch, lambda: self.b)
        self.graph.finalize()
        with self.assertRaisesRegex(RuntimeError, "finalized"):
            self.sum.op._update_input(0, self.later)


if __name__ == "__main__":
    unittest.main()
