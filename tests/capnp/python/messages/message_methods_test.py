"""The methods of protobuf's messages: of options, of examples, and of graphs."""

import copy
import pickle

import troupe as tf


def config():
    made = tf.ConfigProto(
        intra_op_parallelism_threads=3, allow_soft_placement=True,
        device_count={"CPU": 2, "GPU": 1}, device_filters=["/a", "/b"], operation_timeout_in_ms=-1,
    )  # fmt: skip
    made.gpu_options.per_process_gpu_memory_fraction = 0.25
    made.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    made.graph_options.rewrite_options.optimizers.append("x")
    made.session_inter_op_thread_pool.add(num_threads=4, global_name="p")
    made.experimental.collective_group_leader = "w"
    return made


class MessageMethodsTest(tf.test.TestCase):
    def test_the_metadata_of_a_step_are_bytes(self):
        self.assertEqual(tf.RunMetadata().SerializeToString(), b"")
        options = tf.RunOptions(
            trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True
        )
        metadata = tf.RunMetadata()
        with tf.Session() as session:
            session.run(tf.add(1.0, 2.0, name="sum_of_two"), None, options, metadata)
        made = metadata.SerializeToString()
        device = metadata.step_stats.dev_stats[0].device
        self.assertEqual(made[:1], b"\n")  # step_stats, of which the first is a device
        self.assertIn(b"\n" + bytes([len(device)]) + device.encode(), made)
        self.assertIn(b"\n\nsum_of_two", made)

    def test_options_come_back_from_their_bytes(self):
        given = config()
        for again in (
            tf.ConfigProto.FromString(given.SerializeToString()),
            pickle.loads(pickle.dumps(given)),
            copy.deepcopy(given),
        ):
            self.assertEqual(again, given)
            self.assertEqual(str(again), str(given))
        self.assertEqual(given.ByteSize(), len(given.SerializePartialToString()))
        self.assertEqual(tf.ConfigProto().SerializeToString(), b"")

    def test_bytes_are_those_of_tensorflow(self):
        for made, expected in (
            (tf.GPUOptions(allow_growth=True), b"\x20\x01"),
            (tf.RunOptions(trace_level=3, timeout_in_ms=5), b"\x08\x03\x10\x05"),
            (tf.OptimizerOptions(opt_level=-1), b"\x18" + b"\xff" * 9 + b"\x01"),
            (tf.ConfigProto(device_count={"CPU": 2}), b"\n\x07\n\x03CPU\x10\x02"),
            (
                tf.ConfigProto(experimental=tf.ConfigProto.Experimental(executor_type="q")),
                b"\x82\x01\x03\x1a\x01q",
            ),
        ):
            self.assertEqual(made.SerializeToString(), expected)

    def test_bytes_are_added_to_what_is_there(self):
        made = config()
        other = tf.ConfigProto(intra_op_parallelism_threads=5, device_filters=["/c"])
        other.gpu_options.allow_growth = True
        self.assertEqual(made.MergeFromString(other.SerializeToString()), other.ByteSize())
        self.assertEqual(made.intra_op_parallelism_threads, 5)
        self.assertEqual(made.device_filters, ["/a", "/b", "/c"])
        self.assertEqual(made.gpu_options.per_process_gpu_memory_fraction, 0.25)
        self.assertEqual(made.ParseFromString(b""), 0)
        self.assertEqual(made, tf.ConfigProto())

    def test_wrong_bytes_are_an_error(self):
        for wrong in (b"\x08", b"\x0a\xff\x01", b"\x10\x80"):
            with self.assertRaises(ValueError):
                tf.ConfigProto.FromString(wrong)
        with self.assertRaises(ValueError):
            tf.GPUOptions.FromString(b"\x22\x01a")  # text in place of a number
        # What no field has is left out.
        self.assertEqual(tf.RPCOptions.FromString(b"\xf8\x01\x01"), tf.RPCOptions())

    def test_fields_are_listed_and_cleared(self):
        made = config()
        names = [field.name for field, _ in made.ListFields()]
        self.assertEqual(names[:2], ["device_count", "intra_op_parallelism_threads"])
        made.ClearField("device_filters")
        made.ClearField("gpu_options")
        self.assertEqual(made.device_filters, [])
        self.assertFalse(made.HasField("gpu_options"))
        with self.assertRaisesRegex(ValueError, 'no "other" field'):
            made.ClearField("other")

    def test_descriptors_tell_names_and_numbers(self):
        described = tf.ConfigProto.DESCRIPTOR
        self.assertEqual(described.full_name, "tensorflow.ConfigProto")
        self.assertEqual(described.fields_by_name["gpu_options"].number, 6)
        self.assertEqual(described.fields_by_name["gpu_options"].message_type.name, "GPUOptions")
        self.assertEqual(list(tf.train.Feature.DESCRIPTOR.oneofs_by_name), ["kind"])
        field, value = tf.NodeDef(name="a").ListFields()[0]
        self.assertEqual((field.name, field.number, field.type), ("name", 1, 9))
        self.assertEqual((field.label, value), (1, "a"))
        self.assertEqual(tf.RunOptions.TraceLevel.Value("FULL_TRACE"), 3)
        self.assertEqual(tf.OptimizerOptions.Level.Name(-1), "L0")
        with self.assertRaises(ValueError):
            tf.RunOptions.TraceLevel.Value("OTHER")

    def test_no_message_has_extensions_or_needs_fields(self):
        for made in (tf.ConfigProto(), tf.NodeDef(), tf.train.Example(), tf.train.Int64List()):
            self.assertTrue(made.IsInitialized())
            self.assertEqual(made.FindInitializationErrors(), [])
            for method in (made.HasExtension, made.ClearExtension):
                with self.assertRaises(KeyError):
                    method("x")

    def test_unknown_fields_are_forgotten_on_demand(self):
        inner = tf.NodeDef.FromString(tf.NodeDef(name="a").SerializeToString() + b"\xf8\x07\x01")
        graph = tf.GraphDef(node=[inner])
        self.assertIn(b"\xf8\x07\x01", graph.SerializeToString())
        graph.DiscardUnknownFields()
        self.assertNotIn(b"\xf8\x07\x01", graph.SerializeToString())
        self.assertEqual(graph.node[0].name, "a")

    def test_examples_are_merged_and_cleared(self):
        feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
        feature.MergeFrom(tf.train.Feature(int64_list=tf.train.Int64List(value=[2])))
        self.assertEqual(list(feature.int64_list.value), [1, 2])
        example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
        other = tf.train.Example()
        self.assertFalse(other.HasField("features"))
        other.MergeFrom(example)
        self.assertTrue(other.HasField("features"))
        self.assertEqual([field.name for field, _ in other.ListFields()], ["features"])
        other.features.ClearField("feature")
        self.assertEqual(len(other.features.feature), 0)
        feature.ClearField("int64_list")
        self.assertIsNone(feature.WhichOneof("kind"))
        feature.bytes_list.SetInParent()
        self.assertEqual(feature.WhichOneof("kind"), "bytes_list")
        self.assertEqual(feature.SerializeToString(), b"\n\x00")
        for wrong in (lambda: feature.HasField("x"), lambda: feature.int64_list.HasField("value")):
            with self.assertRaises(ValueError):
                wrong()
        with self.assertRaises(TypeError):
            example.MergeFrom(feature)


if __name__ == "__main__":
    tf.test.main()
