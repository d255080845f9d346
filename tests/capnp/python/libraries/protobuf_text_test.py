"""`google.protobuf.text_format`, where the package protobuf is not installed."""

import importlib.util
import io
import unittest

import troupe as tf
import troupe.as_tensorflow  # noqa: F401

IS_INSTALLED = any(
    finder.__class__.__module__ != "troupe._src.libraries.protobuf_text"
    and getattr(finder, "find_spec", None)
    and finder.find_spec("google", None)
    for finder in __import__("sys").meta_path
)

GRAPH = """node {
  name: "one"
  op: "Const"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
}
"""


@unittest.skipIf(IS_INSTALLED, "there is a package google")
class ProtobufTextTest(unittest.TestCase):
    def test_messages_are_written_and_read(self):
        from google.protobuf import text_format

        graph = text_format.Parse(GRAPH, tf.GraphDef())
        self.assertEqual(graph.node[0].attr["dtype"].type, tf.float32.as_datatype_enum)
        self.assertEqual(text_format.MessageToString(graph), GRAPH)
        self.assertIs(text_format.Merge(GRAPH.encode(), graph), graph)
        self.assertEqual(len(graph.node), 2)
        text_format.MergeLines(GRAPH.splitlines(), graph)
        self.assertEqual(len(graph.node), 3)
        line = text_format.MessageToString(graph.node[0], as_one_line=True)
        self.assertEqual(
            line, 'name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }'
        )
        out = io.StringIO()
        text_format.PrintMessage(graph.node[0], out, indent=2)
        self.assertTrue(out.getvalue().startswith('  name: "one"\n  op: "Const"\n  attr {\n'))
        self.assertEqual(text_format.MessageToString(tf.GPUOptions(allow_growth=True)),
                         "allow_growth: true\n")  # fmt: skip

    def test_wrong_texts_and_messages_are_errors(self):
        from google.protobuf import message, text_format

        with self.assertRaises(text_format.ParseError):
            text_format.Parse("node { nothing: 1 }", tf.GraphDef())
        with self.assertRaisesRegex(TypeError, "reads no GPUOptions"):
            text_format.Merge("allow_growth: true", tf.GPUOptions())
        with self.assertRaisesRegex(NotImplementedError, "no option use_index_order"):
            text_format.MessageToString(tf.GraphDef(), use_index_order=True)
        with self.assertRaises(message.DecodeError):
            tf.GraphDef.FromString(b"\xff")
        self.assertIsInstance(tf.GraphDef(), message.Message)
        with self.assertRaises(ImportError):
            import google.protobuf.json_format  # noqa: F401

    def test_the_modules_say_what_they_are(self):
        self.assertIsNotNone(importlib.util.find_spec("google.protobuf.text_format"))
        self.assertIsNone(importlib.util.find_spec("google.cloud"))


if __name__ == "__main__":
    unittest.main()
