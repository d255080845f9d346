"""Fields of messages of Protocol Buffers."""

import base64
import os
import tempfile
import unittest

import numpy as np

import troupe as tf

# A FileDescriptorSet of proto2 messages a.b.M and a.b.Inner { optional int32 x = 1; repeated string
# s = 2; }. M has
#   optional double d = 1 [default = 2.5];   repeated float f = 2;
#   repeated int64 i64 = 3 [packed = true];  optional uint64 u64 = 4 [default = 9];
#   repeated int32 i32 = 5;                  optional bool b = 8 [default = true];
#   repeated string s = 9;                   optional Inner inner = 10;
#   repeated E e = 13;                       repeated sint32 si32 = 16 [packed = true];
# and the extension int32 a.b.ext = 100.
DESCRIPTORS = base64.b64decode(
    "Cr8ECgd0LnByb3RvEgNhLmIiIwoFSW5uZXISDAoBeBgBIAEoBVIBeBIMCgFzGAIgAygJUgFzIroDCgFNEhEKAWQY"
    "ASABKAE6AzIuNVIBZBIMCgFmGAIgAygCUgFmEhQKA2k2NBgDIAMoA0ICEAFSA2k2NBITCgN1NjQYBCABKAQ6ATlS"
    "A3U2NBIQCgNpMzIYBSADKAVSA2kzMhIQCgNmNjQYBiABKAZSA2Y2NBIUCgNmMzIYByADKAdCAhABUgNmMzISEgoB"
    "YhgIIAEoCDoEdHJ1ZVIBYhIMCgFzGAkgAygJUgFzEiAKBWlubmVyGAogASgLMgouYS5iLklubmVyUgVpbm5lchIO"
    "CgJieRgLIAMoDFICYnkSEAoDdTMyGAwgAygNUgN1MzISFAoBZRgNIAMoDjIGLmEuYi5FUgFlEhIKBHNmMzIYDiAD"
    "KA9SBHNmMzISEgoEc2Y2NBgPIAEoEFIEc2Y2NBIWCgRzaTMyGBAgAygRQgIQAVIEc2kzMhISCgRzaTY0GBEgAygS"
    "UgRzaTY0EhMKAmRzGBIgASgJOgNoZXlSAmRzEhYKAWcYFCABKAoyCC5hLmIuTS5HUgFnEhYKBHBpMzIYFSADKAVC"
    "AhABUgRwaTMyGhMKAUcSDgoCZ3gYASABKAVSAmd4KgUIZBDJASozCgFFEggKBFpFUk8QABIHCgNPTkUQARIQCgNO"
    "RUcQ////////////ARIJCgVTRVZFThAHOhgKA2V4dBIGLmEuYi5NGGQgASgFUgNleHQ="
)
SOURCE = b"bytes://" + DESCRIPTORS
MESSAGE = (
    b"\x15\x00\x00\x80\x3f\x15\x00\x00\x00\x40"  # f: 1, 2
    b"\x1a\x03\x05\xac\x02"  # i64: 5, 300
    b"\x28\x07"  # i32: 7
    b"\x4a\x02hi\x4a\x00"  # s: "hi", ""
    b"\x52\x02\x08\x03"  # inner { x: 3 }
    b"\x68\x07"  # e: SEVEN
    b"\x82\x01\x02\x01\x04"  # si32: -1, 2
    b"\xa0\x06\x2a"  # ext: 42
)


def run(value):
    with tf.Session() as session:
        return session.run(value)


def decode(messages, fields, source=SOURCE, **options):
    """The sizes and values of fields, given by names and dtypes."""
    decoded = tf.io.decode_proto(
        messages, "a.b.M", list(fields), list(fields.values()), source, **options
    )
    return run([decoded.sizes, decoded.values])


def encode(sizes, fields, message_type="a.b.M", source=SOURCE):
    return run(tf.io.encode_proto(sizes, list(fields.values()), list(fields), message_type, source))


class ProtobufsTest(tf.test.TestCase):
    def test_ops_are_those_of_tensorflow(self):
        decoded = tf.io.decode_proto(MESSAGE, "a.b.M", ["f"], [tf.float32], SOURCE)
        self.assertEqual(decoded.sizes.op.type, "DecodeProtoV2")
        encoded = tf.contrib.proto.encode_proto([[1]], [[[2.0]]], ["f"], "a.b.M", SOURCE)
        self.assertEqual(encoded.op.type, "EncodeProto")

    def test_fields_are_decoded_and_filled_up(self):
        fields = {
            "f": tf.float32, "i64": tf.int64, "i32": tf.int32, "s": tf.string, "inner": tf.string,
            "e": tf.int32, "si32": tf.int64, "d": tf.float64, "u64": tf.uint64, "b": tf.bool,
            "a.b.ext": tf.int32,
        }  # fmt: skip
        sizes, values = decode([MESSAGE, b""], fields)
        self.assertAllEqual(sizes, [[2, 2, 1, 2, 1, 1, 2, 0, 0, 0, 1], [0] * 11])
        values = dict(zip(fields, values))
        self.assertAllEqual(values["f"], [[1, 2], [0, 0]])
        self.assertAllEqual(values["i64"], [[5, 300], [0, 0]])
        self.assertAllEqual(values["s"], [[b"hi", b""], [b"", b""]])
        self.assertAllEqual(values["inner"], [[b"\x08\x03"], [b""]])
        self.assertAllEqual(values["e"], [[7], [0]])
        self.assertAllEqual(values["si32"], [[-1, 2], [0, 0]])
        self.assertAllEqual(values["a.b.ext"], [[42], [0]])
        absent = [values[each].tolist() for each in ("d", "u64", "b")]
        self.assertEqual(absent, [[[2.5]] * 2, [[9]] * 2, [[True]] * 2])

    def test_a_field_that_is_written_as_of_another_type_is_none(self):
        message = b"\x2d\x01\x00\x00\x00\x28\x05\x48\x03"
        sizes, values = decode([message], {"i32": tf.int32, "s": tf.string})
        self.assertAllEqual(sizes, [[1, 0]])
        self.assertAllEqual(values[0], [[5]])
        with self.assertRaises(tf.errors.DataLossError):  # as if packed
            decode([b"\x2a\x01\xff"], {"i32": tf.int32})

    def test_sources_and_formats(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "descriptors")
            with open(path, "wb") as file:
                file.write(DESCRIPTORS)
            self.assertAllEqual(decode([MESSAGE], {"i32": tf.int32}, path)[1][0], [[7]])
        text = 'i32: 4 s: "a" inner { x: 5 }'
        sizes, values = decode([[text]], {"i32": tf.int32, "s": tf.string}, message_format="text")
        self.assertAllEqual(sizes, [[[1, 1]]])
        self.assertAllEqual(values[0], [[[4]]])
        self.assertAllEqual(values[1], [[[b"a"]]])
        self.assertAllEqual(decode([MESSAGE], {"f": tf.float32}, sanitize=True)[1][0], [[1, 2]])
        local = tf.io.decode_proto(
            tf.train.Features(feature={}).SerializeToString(), "tensorflow.Features", [], []
        )
        self.assertAllEqual(run(local.sizes), np.zeros([0]))

    def test_encoded_messages_are_decoded_again(self):
        parts = {"x": [[7], [0]], "s": [["a", "b"], ["c", "d"]]}
        inner = encode([[1, 2], [0, 1]], parts, "a.b.Inner")
        fields = {
            "i64": np.int64([[1, -2], [3, 0]]), "s": [["x", "y"], ["z", ""]],
            "inner": inner[:, np.newaxis], "b": [[False], [True]],
        }  # fmt: skip
        messages = encode([[2, 1, 1, 1], [1, 2, 1, 0]], fields)
        kinds = {"i64": tf.int64, "s": tf.string, "inner": tf.string, "b": tf.bool}
        sizes, values = decode(messages, kinds)
        self.assertAllEqual(sizes, [[2, 1, 1, 1], [1, 2, 1, 0]])
        self.assertAllEqual(values[0], [[1, -2], [3, 0]])
        self.assertAllEqual(values[1], [[b"x", b""], [b"z", b""]])
        self.assertAllEqual(values[2], inner[:, np.newaxis])
        self.assertAllEqual(values[3], [[False], [True]])

    def test_what_does_not_fit_is_an_error(self):
        invalid = tf.errors.InvalidArgumentError
        with self.assertRaisesRegex(tf.errors.DataLossError, "no message"):
            decode([MESSAGE[:-1]], {"f": tf.float32})
        for fields in ({"none": tf.int32}, {"i64": tf.int32}, {"s": tf.int32}):
            with self.assertRaises(invalid):
                decode([MESSAGE], fields)
        for source in (b"bytes://\xff", b"local://"):
            with self.assertRaises(invalid):
                decode([MESSAGE], {"f": tf.float32}, source)
        with self.assertRaises(tf.errors.OpError):
            decode([MESSAGE], {"f": tf.float32}, "/no/such/file")
        for sizes in ([[3]], [[1, 1]], [[1], [1]]):
            with self.assertRaises(invalid):
                encode(sizes, {"f": [[1.0, 2.0]]})


if __name__ == "__main__":
    unittest.main()
