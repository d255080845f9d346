"""Parts of graphs between nodes, as `tensorflow.python.tools.strip_unused_lib` makes them."""

import os
import unittest

import troupe as tf
from troupe.python.tools import strip_unused_lib


class StripUnusedTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        text = tf.placeholder(tf.string, [2], "text")
        number = tf.string_to_number(text, name="number")
        tf.identity(number, name="unused")
        tf.add(number, tf.to_float(tf.constant(3, name="three"), name="cast"), name="sum")
        self.graph_def = tf.get_default_graph().as_graph_def()

    def run_part(self, graph_def, feeds):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tf.import_graph_def(graph_def, name="")
            names = {op.name: op.type for op in graph.get_operations()}
            return names, session.run("sum:0", feeds)

    def test_inputs_are_placeholders_and_what_is_not_needed_is_gone(self):
        part = strip_unused_lib.strip_unused(
            self.graph_def, ["number"], ["sum"], tf.float32.as_datatype_enum
        )
        names, found = self.run_part(part, {"number:0": [1.0, 2.0]})
        self.assertAllEqual(found, [4, 5])
        self.assertEqual(set(names), {"number", "three", "cast", "sum"})
        self.assertEqual(names["number"], "Placeholder")
        self.assertIn("unused", [node.name for node in self.graph_def.node])

    def test_inputs_may_have_several_dtypes(self):
        types = [tf.int32.as_datatype_enum, tf.float32.as_datatype_enum]
        part = strip_unused_lib.strip_unused(self.graph_def, ["three", "number"], ["sum"], types)
        _, found = self.run_part(part, {"number:0": [1.0, 2.0], "three:0": 5})
        self.assertAllEqual(found, [6, 7])

    def test_files_are_bytes_or_text(self):
        folder = self.get_temp_dir()
        for binary in (False, True):
            tf.train.write_graph(self.graph_def, folder, "given", as_text=not binary)
            path = os.path.join(folder, "part")
            strip_unused_lib.strip_unused_from_files(
                os.path.join(folder, "given"), binary, path, binary, "number", "sum",
                tf.float32.as_datatype_enum,
            )  # fmt: skip
            part = tf.GraphDef()
            with open(path, "rb") as file:
                data = file.read()
            if binary:
                part.ParseFromString(data)
            else:
                from troupe._src.messages.text_parser import parse_text

                parse_text(data, part)
            self.assertAllEqual(self.run_part(part, {"number:0": [1.0, 2.0]})[1], [4, 5])

    def test_wrong_names_are_refused(self):
        for names, error, says in (
            (["number:0"], ValueError, "appears to refer to a Tensor"),
            (["absent"], KeyError, "absent"),
        ):
            with self.assertRaisesRegex(error, says):
                strip_unused_lib.strip_unused(self.graph_def, names, ["sum"], 1)
        with self.assertRaisesRegex(AssertionError, "not in graph"):
            strip_unused_lib.strip_unused(self.graph_def, ["number"], ["none"], 1)
        with self.assertRaisesRegex(ValueError, "must name a node"):
            strip_unused_lib.strip_unused_from_files("a", True, "b", True, "number", "", 1)


if __name__ == "__main__":
    unittest.main()
