"""Messages of nested values, metrics of the process, and what ops are known to have."""

import collections
import unittest

import troupe as tf
from troupe.core.protobuf import meta_graph_pb2, struct_pb2
from troupe.python.eager import monitoring
from troupe.python.framework import op_def_registry
from troupe.python.saved_model import nested_structure_coder

Pair = collections.namedtuple("Pair", ["left", "right"])


class StructureCoderTest(tf.test.TestCase):
    def test_nested_values_come_back_from_their_bytes(self):
        coder = nested_structure_coder.StructureCoder()
        spec = tf.TensorSpec([2, None], tf.int32, "x")
        value = {"a": [1, 2.5, "s"], "b": Pair((True, None), spec), "c": tf.TensorShape([3])}
        self.assertTrue(coder.can_encode(value))
        message = coder.encode_structure(value)
        read = struct_pb2.StructuredValue.FromString(message.SerializeToString())
        found = coder.decode_proto(read)
        self.assertEqual(found["a"], value["a"])
        self.assertEqual(found["b"], ((True, None), spec))
        self.assertEqual(found["b"]._fields, Pair._fields)
        self.assertEqual(found["c"], [3])

    def test_other_values_are_refused(self):
        coder = nested_structure_coder.StructureCoder()
        self.assertFalse(coder.can_encode([object()]))
        with self.assertRaisesRegex(nested_structure_coder.NotEncodableError, "No encoder for"):
            coder.encode_structure({1, 2})

    def test_metrics_have_values_by_labels(self):
        gauge = monitoring.BoolGauge("/tests/gauge", "Whether", "kind")
        gauge.get_cell("a").set(True)
        self.assertEqual([gauge.get_cell(each).value() for each in "ab"], [True, False])
        counter = monitoring.Counter("/tests/counter", "How often")
        for _ in range(2):
            counter.get_cell().increase_by(2)
        self.assertEqual(counter.get_cell().value(), 4)
        with self.assertRaisesRegex(ValueError, "expects taking 1 labels"):
            gauge.get_cell()
        with self.assertRaises(tf.errors.AlreadyExistsError):
            monitoring.IntGauge("/tests/gauge", "Whether")
        self.assertEqual(gauge.get_cell("a").value(), True)

    def test_ops_say_whether_they_have_a_state(self):
        ops = op_def_registry.get_registered_ops()
        self.assertIs(op_def_registry.get_registered_ops(), ops)
        self.assertTrue(ops["VarHandleOp"].is_stateful)
        self.assertFalse(ops["Const"].is_stateful)
        self.assertEqual(meta_graph_pb2.AssetFileDef(filename="f").filename, "f")


if __name__ == "__main__":
    unittest.main()
