"""Constants, numbers of dtypes and classes at their places in TensorFlow's source."""

import unittest

import troupe as tf
from troupe.core.framework import types_pb2
from troupe.python.framework import constant_op
from troupe.python.ops import lookup_ops, resource_variable_ops


class SourceValuesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_the_constant_of_the_source_repeats_one_element_only(self):
        self.assertEqual(tf.get_static_value(constant_op.constant(7, shape=[0])).shape, (0,))
        x = constant_op.constant([7.5], shape=[2, 2])
        self.assertEqual(tf.get_static_value(x).tolist(), [[7.5] * 2] * 2)
        self.assertEqual(constant_op.constant([1, 2], tf.int64, [2, 1]).shape, [2, 1])
        with self.assertRaisesRegex(TypeError, "Expected Tensor's shape"):
            constant_op.constant([1, 2], shape=[3])
        self.assertEqual(tf.get_static_value(constant_op.constant_v1([1, 2], shape=[3]))[2], 2)

    def test_dtypes_have_the_numbers_of_messages(self):
        self.assertEqual((types_pb2.DT_FLOAT, types_pb2.DT_STRING), (1, 7))
        self.assertEqual(types_pb2.DT_BFLOAT16, tf.bfloat16.as_datatype_enum)

    def test_variables_of_resources_are_told_from_those_of_references(self):
        resource = resource_variable_ops.ResourceVariable([1.0], name="r")
        self.assertIsInstance(resource, resource_variable_ops.ResourceVariable)
        self.assertIsInstance(resource, tf.Variable)
        reference = tf.Variable([1.0], use_resource=False)
        self.assertNotIsInstance(reference, resource_variable_ops.ResourceVariable)

    def test_tables_of_the_source_take_a_vocabulary_list(self):
        table = lookup_ops.index_table_from_tensor(vocabulary_list=["a", "b"])
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            self.assertEqual(session.run(table.lookup(tf.constant(["b"]))).tolist(), [1])


if __name__ == "__main__":
    unittest.main()
