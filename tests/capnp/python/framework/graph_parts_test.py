"""Parts of graphs, and values that `tf.contrib.framework` prints."""

import contextlib
import os
import tempfile
import unittest

import troupe as tf

framework = tf.contrib.framework


def node(name, op, inputs=()):
    made = tf.NodeDef(name=name, op=op)
    made.input.extend(inputs)
    return made


def chain():
    graph = tf.GraphDef()
    nodes = [("A", []), ("B", ["A"]), ("C", ["B", "C"]), ("D", ["C"]), ("E", ["D"])]
    graph.node.extend([node(name, "Op", inputs) for name, inputs in nodes])
    return graph


class FusedNodesTest(unittest.TestCase):
    def test_the_nodes_between_become_one(self):
        fused = framework.fuse_op(chain(), ["A"], ["D"], [1], True, "Fused", "Op2")
        found = [(each.name, each.op, list(each.input)) for each in fused.node]
        self.assertEqual(
            found,
            [("A", "Op", []), ("Fused", "Op2", ["A"]), ("D", "Op", ["Fused"]), ("E", "Op", ["D"])],
        )
        attrs = fused.node[1].attr
        self.assertTrue(attrs["_output_quantized"].b)
        self.assertEqual(list(attrs["_output_types"].list.type), [1])

    def test_outputs_are_numbered(self):
        graph = chain()
        graph.node.extend([node("F", "Op", ["B"])])
        fused = framework.fuse_op(graph, ["A"], ["D", "F"], [1, 1], False, "Fused", "Op2")
        inputs = {each.name: list(each.input) for each in fused.node}
        self.assertEqual((inputs["D"], inputs["F"]), (["Fused"], ["Fused:1"]))

    def test_the_part_needs_no_other_node(self):
        graph = tf.GraphDef()
        graph.node.extend([node("Z", "Op"), node("A", "Op", ["Z"]), node("B", "Op", ["A", "Z"])])
        graph.node.extend([node("C", "Op", ["B"])])
        with self.assertRaisesRegex(TypeError, "uses input Z"):
            framework.fuse_op(graph, ["A"], ["C"], [1], False, "Fused", "Op2")

    def test_wrong_arguments_are_errors(self):
        with self.assertRaises(TypeError):
            framework.fuse_op("graph", ["A"], ["D"], [1], False, "Fused", "Op2")
        with self.assertRaises(TypeError):
            framework.fuse_op(chain(), "A", ["D"], [1], False, "Fused", "Op2")
        with self.assertRaises(AssertionError):
            framework.fuse_op(chain(), ["A"], ["X"], [1], False, "Fused", "Op2")


class GraphsTest(unittest.TestCase):
    def test_placeholders_are_found(self):
        with tf.Graph().as_default() as graph:
            tf.constant(1)
            made = [tf.placeholder(tf.float32) for _ in range(3)]
            self.assertEqual(framework.get_placeholders(graph), made)
        with self.assertRaises(TypeError):
            framework.get_placeholders("graph")

    def test_inputs_are_of_one_graph(self):
        one, other = tf.Graph(), tf.Graph()
        with one.as_default():
            inputs = [1.0, tf.constant(0.0)]
        self.assertIs(framework.get_graph_from_inputs(inputs), one)
        self.assertIs(framework.get_graph_from_inputs(inputs, one), one)
        with self.assertRaisesRegex(ValueError, "not from the passed-in graph"):
            framework.get_graph_from_inputs(inputs, other)
        with other.as_default():
            self.assertIs(framework.get_graph_from_inputs([]), other)
            inputs.append(tf.constant(1.0))
        with self.assertRaisesRegex(ValueError, "must be from the same graph"):
            framework.get_graph_from_inputs(inputs)

    def test_names_go_into_and_out_of_scopes(self):
        for name, inside in (("a/b", "s/a/b"), ("^a", "^s/a"), ("loc:@a", "loc:@s/a")):
            self.assertEqual(framework.prepend_name_scope(name, "s/"), inside)
            self.assertEqual(framework.strip_name_scope(inside, "s"), name)
        self.assertEqual(framework.prepend_name_scope("a", None), "a")
        self.assertEqual(framework.strip_name_scope("sa", "s"), "sa")


@contextlib.contextmanager
def standard_error():
    """What the process writes to its standard error, also by other languages, in a list."""
    found, kept = [], os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield found
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            found.append(file.read().decode())


class PrintedValuesTest(unittest.TestCase):
    def printed(self, value):
        with standard_error() as text, tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = session.run(value)
        return found, text[0]

    def test_a_tensor_is_printed_with_what_is_known_of_it(self):
        x = tf.constant([1, 2], name="values")
        found, text = self.printed(framework.print_op(x, message="here:"))
        self.assertEqual(found.tolist(), [1, 2])
        for part in ("here:", "values", "int32", "[1 2]"):
            self.assertIn(part, text)

    def test_the_first_true_element_is_printed(self):
        _, text = self.printed(framework.print_op(tf.constant([False, False, True])))
        self.assertRegex(text, r"First True.*\[?2\]?")

    def test_sparse_tensors_arrays_and_variables_are_printed(self):
        sparse = framework.print_op(tf.SparseTensor([[0, 1]], [5], [2, 2]))
        found, text = self.printed(sparse)
        self.assertEqual(found.values.tolist(), [5])
        self.assertIn("[[0 1]]", text)
        array = tf.TensorArray(tf.int32, 2, clear_after_read=False).write(1, 8).write(0, 6)
        found, text = self.printed(framework.print_op(array).stack())
        self.assertEqual(found.tolist(), [6, 8])
        self.assertIn("[6 8]", text)
        found, text = self.printed(framework.print_op(tf.Variable(1.5)))
        self.assertEqual(found, 1.5)
        self.assertIn("Variable (float32)", text)
        with self.assertRaises(ValueError):
            framework.print_op(7)


class ExperimentsTest(unittest.TestCase):
    def test_calls_and_docstrings_say_that_a_function_may_change(self):
        @framework.experimental
        def doubled(x):
            """Doubles.

            Args:
                x: A number.
            """
            return 2 * x

        text = doubled.__doc__
        self.assertTrue(text.startswith("Doubles. (experimental)\n\nWarning: THIS FUNCTION"))
        self.assertTrue(text.endswith("\n\nArgs:\n    x: A number."))
        with self.assertLogs("troupe", "WARNING") as logs:
            self.assertEqual(doubled(4), 8)
        self.assertIn("doubled", logs.output[0])
        self.assertIn("experimental", logs.output[0])


if __name__ == "__main__":
    unittest.main()
