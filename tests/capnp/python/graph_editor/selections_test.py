"""Choosing operations and tensors of a graph, and views of them."""

import collections
import re
import unittest

import troupe as tf
import troupe.as_tensorflow
from troupe.contrib import graph_editor as ge


class SelectionsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.graph = tf.get_default_graph()
        self.a = tf.constant(1.0, name="a")
        with tf.name_scope("foo"):
            self.b = tf.constant(2.0, name="b")
            self.c = tf.add(self.a, self.b, name="c")
            with tf.name_scope("bar"):
                self.d = tf.square(self.c, name="d")
                with tf.control_dependencies([self.c]):
                    self.e = tf.add(self.a, self.d, name="e")

    def names(self, elements):
        return [each.name for each in elements]

    def test_names_choose_operations_and_tensors(self):
        self.assertEqual(self.names(ge.select_ops("^foo/bar/", graph=self.graph)), [
            "foo/bar/d", "foo/bar/e",
        ])  # fmt: skip
        self.assertEqual(self.names(ge.select_ts(re.compile("d:0$"), graph=self.graph)), [
            "foo/bar/d:0",
        ])  # fmt: skip
        ops, tensors = ge.select_ops_and_ts("^a$", "(?#ts)^foo/[bc]:", self.e.op, graph=self.graph)
        self.assertEqual(self.names(ops), ["a", "foo/bar/e"])
        self.assertEqual(self.names(tensors), ["foo/b:0", "foo/c:0"])
        only = ge.select_ops("a", "(?#ops)c$", graph=self.graph, restrict_ops_regex=True)
        self.assertEqual(self.names(only), ["foo/c"])

    def test_elements_are_chosen_each_once_and_may_be_filtered(self):
        found = ge.select_ops([self.a.op, self.b], self.a.op, self.c.op)
        self.assertEqual(found, [self.a.op, self.c.op])
        found = ge.select_ts([self.a, self.b.op, self.c], positive_filter=lambda t: t is self.c)
        self.assertEqual(found, [self.c])
        self.assertEqual(self.names(ge.filter_ops(self.graph, lambda op: op.type == "Const")), [
            "a", "foo/b",
        ])  # fmt: skip
        self.assertEqual(len(ge.filter_ts(self.d.op, True)), 2)
        self.assertEqual(self.names(ge.get_name_scope_ops(self.graph, "foo/bar/")), [
            "foo/bar/d", "foo/bar/e",
        ])  # fmt: skip

    def test_wrong_selections_are_refused(self):
        with self.assertRaisesRegex(ValueError, "'graph'"):
            ge.select_ops("a")
        with self.assertRaisesRegex(ValueError, "keywords.*graf"):
            ge.select_ts("a", graf=self.graph)
        with self.assertRaisesRegex(TypeError, "tf.Graph"):
            ge.select_ops("a", graph=1)
        with self.assertRaisesRegex(TypeError, "Expected a type"):
            ge.select_ops([1])
        with self.assertRaisesRegex(ValueError, "string or a regex"):
            ge.make_regex(1)

    def test_what_is_beside_operations(self):
        edges = ge.ControlOutputs(self.graph)
        self.assertEqual(self.names(ge.get_ops_ios(self.e.op)), ["a", "foo/bar/d"])
        beside = ge.get_ops_ios(self.c.op, control_ios=edges)
        self.assertEqual(self.names(beside), ["a", "foo/b", "foo/bar/d", "foo/bar/e"])
        self.assertEqual(edges.get(self.c.op), [self.e.op])
        self.assertEqual(edges.get(self.a.op), ())
        with tf.control_dependencies([self.c]):
            late = tf.no_op()
        self.assertEqual(edges.update().get(self.c.op), [self.e.op, late])
        ge.remove_control_inputs(late, self.c.op)
        self.assertEqual(edges.update().get(self.c.op), [self.e.op])

    def test_control_edges_are_asked_for_in_one_way(self):
        edges = ge.ControlOutputs(self.graph)
        self.assertEqual(ge.check_cios(control_ios=edges), (True, edges))
        self.assertEqual(ge.check_cios(False, edges), (False, edges))
        with self.assertRaisesRegex(ValueError, "None when using"):
            ge.check_cios(control_outputs=edges, control_ios=edges)
        with self.assertRaisesRegex(TypeError, "ControlOutputs"):
            ge.check_cios(control_ios=True)

    def test_tensors_around_and_between_operations(self):
        inputs, outputs, inside = ge.compute_boundary_ts([self.c.op, self.d.op])
        self.assertEqual((inputs, outputs, inside), ([self.a, self.b], [self.d], [self.c]))
        inputs, outputs, inside = ge.compute_boundary_ts([self.a.op, self.c.op])
        self.assertEqual((inputs, outputs, inside), ([self.b], [self.a, self.c], [self.a]))

    def test_operations_within_a_boundary(self):
        find = ge.get_within_boundary_ops
        found = find(self.graph, self.d.op, [self.c.op, self.e.op])
        self.assertEqual(self.names(found), ["foo/c", "foo/bar/d", "foo/bar/e"])
        found = find(self.graph, self.d.op, [self.c.op, self.e.op], inclusive=False)
        self.assertEqual(self.names(found), ["foo/bar/d"])
        with self.assertRaisesRegex(ValueError, "intersecting"):
            find(self.graph, self.d.op, [self.d.op])

    def test_walks_meet_and_join(self):
        found = ge.get_walks_intersection_ops(self.b.op, self.d.op)
        self.assertEqual(self.names(found), ["foo/b", "foo/c", "foo/bar/d"])
        found = ge.get_walks_intersection_ops([self.b], [self.e], backward_inclusive=False)
        self.assertEqual(set(self.names(found)), {"foo/c", "foo/bar/d"})
        found = ge.get_walks_union_ops([self.d], [self.c.op], forward_inclusive=True)
        self.assertEqual(set(self.names(found)), {"foo/bar/e", "a", "foo/b", "foo/c"})
        only = [self.c.op, self.e.op]
        self.assertEqual(ge.get_walks_union_ops(self.c.op, [], within_ops=only), [self.c.op])
        edges = ge.ControlOutputs(self.graph)
        by_order = ge.get_walks_union_ops(self.c.op, [], within_ops=only, control_ios=edges)
        self.assertEqual(by_order, only)

    def test_a_view_has_inputs_outputs_and_tensors_that_pass_through(self):
        view = ge.sgv(self.d.op, self.c, self.b, graph=self.graph)
        self.assertEqual((view.ops, list(view.inputs)), ([self.d.op], [self.c, self.b]))
        self.assertEqual(list(view.outputs), [self.d, self.b])
        self.assertEqual(list(view.passthroughs), [self.b])
        self.assertEqual((view.connected_inputs, view.connected_outputs), ([self.c], [self.d]))
        self.assertTrue(view.is_passthrough(self.b))
        self.assertEqual(set(view.consumers()), {self.e.op, self.c.op})
        self.assertIs(view.find_op_by_name("foo/bar/d"), self.d.op)
        self.assertIn("  foo/b:0 *\n", str(view))
        self.assertEqual((bool(ge.sgv()), str(ge.sgv())), (False, "SubGraphView: empty"))
        with view as entered:
            self.assertIs(ge.sgv(entered), view)
        self.assertEqual(ge.sgv_scope("foo/bar", self.graph).ops, [self.d.op, self.e.op])
        with self.assertRaisesRegex(ValueError, "not in subgraph"):
            view.find_op_by_name("a")
        with self.assertRaisesRegex(ValueError, "Graph mismatch"):
            ge.sgv(view, graph=tf.Graph())

    def test_a_view_is_made_with_other_inputs_and_outputs(self):
        view = ge.sgv(self.c.op)
        other = view.remap([1], [0, self.c])
        self.assertEqual((list(other.inputs), list(other.outputs)), ([self.b], [self.c, self.c]))
        self.assertEqual(list(view.inputs), [self.a, self.b])
        self.assertEqual(list(other.remap_outputs_make_unique().outputs), [self.c])
        self.assertEqual(list(other.remap_default().inputs), [self.a, self.b])
        self.assertEqual(list(other.remap_default(remove_input_map=False).inputs), [self.b])
        consumed = ge.sgv(self.a.op).remap_outputs_to_consumers()
        self.assertEqual(list(consumed.outputs), [self.a, self.a])
        self.assertEqual((view.input_index(self.b), view.output_index(self.c)), (1, 0))
        for wrong in ([0, 0], [2], [-1], [self.d]):
            with self.assertRaises(ValueError):
                view.remap_inputs(wrong)

    def test_a_view_without_what_nothing_uses(self):
        view = ge.sgv(self.graph).remap_outputs([])
        self.assertEqual(view.remove_unused_ops().ops, [])
        view = ge.sgv(self.a.op, self.b.op, self.c.op).remap_outputs([self.a])
        self.assertEqual(view.remove_unused_ops().ops, [self.a.op])

    def test_lists_of_elements_are_of_one_graph(self):
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        self.assertIs(ge.util.get_unique_graph([self.a, self.b.op]), self.graph)
        self.assertIsNone(ge.util.get_unique_graph([], none_if_empty=True))
        for given in ([self.a, other], []):
            with self.assertRaises(ValueError):
                ge.util.get_unique_graph(given)
        with self.assertRaisesRegex(ValueError, r"Argument\[2\]"):
            ge.util.check_graphs(self.a, ge.sgv(), other)
        with self.assertRaisesRegex(TypeError, "allow_graph"):
            ge.make_list_of_t(self.graph, allow_graph=False)
        self.assertEqual(ge.make_list_of_op((self.a, self.b.op), ignore_ts=True), [self.b.op])
        self.assertEqual(len(ge.get_tensors(self.graph)), 5)
        self.assertEqual(ge.get_generating_ops([self.c]), [self.c.op])
        self.assertEqual(ge.get_consuming_ops([self.a, self.c]), [
            self.c.op, self.e.op, self.d.op,
        ])  # fmt: skip

    def test_nested_elements_are_flattened_and_transformed(self):
        pair = collections.namedtuple("Pair", ["x", "y"])
        tree = {"k": pair(self.a, [self.b]), "s": (n for n in (1, 2))}
        found = ge.util.transform_tree(tree, lambda leaf: getattr(leaf, "name", leaf))
        self.assertEqual(found, {"k": pair("a:0", ["foo/b:0"]), "s": (1, 2)})
        self.assertIsInstance(found["k"], pair)
        self.assertEqual(ge.util.flatten_tree({"x": [1, (2,)]}, [0]), [0, 1, 2])
        view = ge.util.ListView([1, 2])
        self.assertEqual((view[1], view + (3,), bool(ge.util.ListView([]))), (2, [1, 2, 3], False))
        with self.assertRaisesRegex(TypeError, "Expected a list"):
            ge.util.ListView((1,))

    def test_the_same_element_is_found_in_another_graph(self):
        with tf.Graph().as_default() as other:
            tf.identity(tf.zeros([], name="x/foo/b"), name="x/c")
        found = ge.util.find_corresponding({"k": [self.b, self.b.op]}, other, dst_scope="x")
        self.assertEqual([each.name for each in found["k"]], ["x/foo/b:0", "x/foo/b"])
        found = ge.util.find_corresponding(self.c, other, dst_scope="x", src_scope="foo")
        self.assertEqual(found.name, "x/c:0")
        with self.assertRaisesRegex(ValueError, "does not start with"):
            ge.util.find_corresponding(self.a, other, src_scope="foo")
        with self.assertRaises(KeyError):
            ge.util.find_corresponding(self.a, other)
        with self.assertRaises(TypeError):
            ge.util.find_corresponding(1, other)

    def test_patterns_match_operations_and_what_is_around_them(self):
        from tensorflow.contrib.graph_editor.tests import match

        pattern = match.OpMatcher("bar/e$").input_ops("^a$", match.op_type(("Square", "Neg")))
        self.assertTrue(pattern(self.e.op))
        self.assertTrue(pattern.control_input_ops(self.c.op)(self.e.op))
        self.assertTrue(match.OpMatcher(True).output_ops([pattern])(self.d.op))
        self.assertFalse(match.OpMatcher(True).output_ops([])(self.d.op))
        self.assertFalse(match.OpMatcher("e$").input_ops("^a$")(self.e.op))
        self.assertTrue(match.op_type("Add", self.c.op))
        with self.assertRaisesRegex(ValueError, "already set"):
            pattern.input_ops("a")
        with self.assertRaisesRegex(TypeError, "tf.Operation"):
            pattern(self.e)
        with self.assertRaisesRegex(ValueError, "positive filter"):
            match.OpMatcher(1)


if __name__ == "__main__":
    unittest.main()
