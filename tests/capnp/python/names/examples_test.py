"""Examples: made and read as messages, and parsed by ops."""

import zlib

import numpy as np

import troupe as tf


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def longs(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def texts(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(**features):
    made = tf.train.Example(features=tf.train.Features(feature=features))
    return made.SerializeToString()


def sequence(context, **lists):
    made = {key: tf.train.FeatureList(feature=value) for key, value in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context),
        feature_lists=tf.train.FeatureLists(feature_list=made),
    ).SerializeToString()


FULL = example(a=floats(1, 2), b=texts(b"x", b"yz"), c=longs(-1, 5, 2**40))
SHORT = example(b=texts(b"q"))
FEATURES = {
    "a": tf.FixedLenFeature([2], tf.float32, default_value=[0.5, 0.25]),
    "b": tf.VarLenFeature(tf.string),
    "c": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-9),
}


class ParsingTest(tf.test.TestCase):
    def run_all(self, fetches):
        with tf.Session() as session:
            return session.run(fetches)

    def test_a_batch_of_examples_has_defaults_and_padding(self):
        parsed = tf.parse_example([FULL, SHORT], FEATURES)
        self.assertEqual(parsed["a"].shape.as_list(), [2, 2])
        self.assertEqual(parsed["c"].shape.as_list(), [2, None])
        found = self.run_all(parsed)
        self.assertAllEqual(found["a"], [[1, 2], [0.5, 0.25]])
        self.assertAllEqual(found["b"].indices, [[0, 0], [0, 1], [1, 0]])
        self.assertAllEqual(found["b"].values, [b"x", b"yz", b"q"])
        self.assertAllEqual(found["b"].dense_shape, [2, 2])
        self.assertAllEqual(found["c"], [[-1, 5, 2**40], [-9, -9, -9]])

    def test_one_example_has_neither_batch_nor_padding(self):
        for names in [None, "n"]:
            parsed = tf.parse_single_example(FULL, FEATURES, example_names=names)
            found = self.run_all(parsed)
            self.assertAllEqual(found["a"], [1, 2])
            self.assertAllEqual(found["b"].indices, [[0], [1]])
            self.assertAllEqual(found["b"].dense_shape, [2])
            self.assertAllEqual(found["c"], [-1, 5, 2**40])
        self.assertAllEqual(self.run_all(tf.io.parse_single_example(SHORT, FEATURES))["c"], [])

    def test_parts_of_a_sparse_feature_are_one_tensor(self):
        serialized = example(v=floats(5, 6), i=longs(7, 2), j=longs(0, 1))
        feature = tf.SparseFeature(["i", "j"], "v", tf.float32, [9, 3])
        found = self.run_all(tf.parse_example([serialized], {"s": feature}))
        self.assertEqual(list(found), ["s"])
        self.assertAllEqual(found["s"].indices, [[0, 2, 1], [0, 7, 0]])
        self.assertAllEqual(found["s"].values, [6, 5])
        self.assertAllEqual(found["s"].dense_shape, [1, 9, 3])
        single = tf.SparseFeature("i", "v", tf.float32, 9, already_sorted=True)
        both = {"s": single, "j": tf.VarLenFeature(tf.int64)}
        one = self.run_all(tf.parse_single_example(serialized, both))
        self.assertAllEqual(one["s"].indices, [[7], [2]])
        self.assertAllEqual(one["j"].values, [0, 1])

    def test_sequence_examples_have_contexts_and_lists(self):
        first = sequence({"a": longs(3)}, f=[floats(1, 2), floats(3, 4)], s=[texts(b"x"), texts()])
        second = sequence({}, f=[], s=[texts(b"y", b"z")])
        context = {"a": tf.FixedLenFeature([], tf.int64, 0)}
        lists = {"f": tf.FixedLenSequenceFeature([2], tf.float32), "s": tf.VarLenFeature(tf.string)}
        found = self.run_all(tf.io.parse_sequence_example([first, second], context, lists))
        self.assertAllEqual(found[0]["a"], [3, 0])
        self.assertAllEqual(found[1]["f"], [[[1, 2], [3, 4]], [[0, 0], [0, 0]]])
        self.assertAllEqual(found[2]["f"], [2, 0])
        self.assertAllEqual(found[1]["s"].indices, [[0, 0, 0], [1, 0, 0], [1, 0, 1]])
        one = self.run_all(tf.parse_single_sequence_example(first, context, lists))
        self.assertAllEqual(one[0]["a"], 3)
        self.assertAllEqual(one[1]["f"], [[1, 2], [3, 4]])
        self.assertAllEqual(one[1]["s"].dense_shape, [2, 1])

    def test_a_list_of_features_grows_by_new_ones_and_by_copies(self):
        sequence = tf.train.SequenceExample()
        elements = sequence.feature_lists.feature_list["f"].feature
        elements.add().float_list.value.append(1.0)
        elements.add(float_list=tf.train.FloatList(value=[2.0]))
        given = floats(3)
        elements.append(given)
        elements.extend([given, floats(4)])
        elements += [floats(5)]
        given.float_list.value[0] = 9.0
        found = tf.train.SequenceExample.FromString(sequence.SerializeToString())
        found = found.feature_lists.feature_list["f"].feature
        self.assertEqual([each.float_list.value[0] for each in found], [1, 2, 3, 3, 4, 5])
        with self.assertRaisesRegex(TypeError, "cannot be assigned"):
            elements[0] = given
        copy = tf.train.FeatureList()
        copy.CopyFrom(sequence.feature_lists.feature_list["f"])
        copy.feature.add()
        self.assertEqual([len(copy.feature), len(elements)], [7, 6])

    def test_wrong_features_are_refused_at_once(self):
        for feature, says in [
            (3, "Invalid feature"),
            (tf.VarLenFeature(None), "Missing type"),
            (tf.FixedLenFeature(None, tf.int64), "Missing shape"),
            (tf.FixedLenFeature([None], tf.int64), "FixedLenSequenceFeature"),
            (tf.FixedLenFeature([2, None], tf.int64), "need to be known"),
            (tf.FixedLenSequenceFeature([], tf.int64), "allow_missing"),
            (tf.SparseFeature(None, "v", tf.float32, 3), "Missing index_key"),
        ]:
            with self.assertRaisesRegex(ValueError, says):
                tf.parse_example([FULL], {"x": feature})
        with self.assertRaisesRegex(ValueError, "Missing"):
            tf.parse_example([FULL], {})
        with self.assertRaisesRegex(ValueError, "Unsupported SparseFeature"):
            tf.parse_single_sequence_example(
                FULL, {"x": tf.SparseFeature("i", "v", tf.float32, 3)}
            )

    def test_errors_name_the_example_and_the_feature(self):
        required = {"a": tf.FixedLenFeature([2], tf.float32)}
        parsed = tf.parse_example([FULL, SHORT], required, example_names=["full", "short"])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Name: short, Feature: a"):
            self.run_all(parsed)


class SerializationTest(tf.test.TestCase):
    def test_tensors_are_the_same_after_both_ways(self):
        for value in [np.array([[1.5, 2]], np.float32), np.array(3), np.array([b"a", b""])]:
            tensor = tf.constant(value)
            back = tf.parse_tensor(tf.serialize_tensor(tensor), tensor.dtype)
            with tf.Session() as session:
                self.assertAllEqual(session.run(back), value)

    def test_sparse_tensors_are_the_same_after_both_ways(self):
        sparse = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], [3, 4])
        rows = tf.serialize_many_sparse(sparse)
        back = tf.deserialize_many_sparse(rows, tf.float32, rank=1)
        stacked = tf.io.deserialize_many_sparse([tf.serialize_sparse(sparse)] * 2, tf.float32)
        self.assertEqual(back.shape.rank, 2)
        with tf.Session() as session:
            found, twice = session.run([back, stacked])
        self.assertAllEqual(found.indices, [[0, 1], [2, 0]])
        self.assertAllEqual(found.dense_shape, [3, 4])
        self.assertAllEqual(twice.indices, [[0, 0, 1], [0, 2, 0], [1, 0, 1], [1, 2, 0]])
        with self.assertRaisesRegex(TypeError, "SparseTensor"):
            tf.serialize_sparse([1.0])

    def test_json_and_compressed_strings_are_decoded(self):
        json = '{"features": {"feature": {"c": {"int64_list": {"value": [4]}}}}}'
        packed = [zlib.compress(b"hello")]
        with tf.Session() as session:
            made, text = session.run(
                [tf.decode_json_example(json), tf.decode_compressed(packed, "ZLIB")]
            )
        self.assertEqual(tf.train.Example.FromString(made).SerializeToString(), example(c=longs(4)))
        self.assertAllEqual(text, [b"hello"])


class MessagesTest(tf.test.TestCase):
    def test_a_message_is_the_same_after_both_ways(self):
        back = tf.train.Example.FromString(FULL)
        self.assertEqual(back.features.feature["b"].bytes_list.value, [b"x", b"yz"])
        self.assertEqual(back.features.feature["c"].int64_list.value, [-1, 5, 2**40])
        self.assertEqual(back.SerializeToString(), FULL)
        lists = sequence({"a": longs(1)}, f=[floats(2), tf.train.Feature()])
        again = tf.train.SequenceExample()
        again.ParseFromString(lists)
        self.assertEqual(again.feature_lists.feature_list["f"].feature[0], floats(2))
        self.assertIsNone(again.feature_lists.feature_list["f"].feature[1].WhichOneof("kind"))
        self.assertEqual(again.SerializeToString(), lists)

    def test_features_may_be_filled_in_place(self):
        made = tf.train.Example()
        made.features.feature["n"].int64_list.value.append(3)
        made.features.feature["n"].int64_list.value.extend([4])
        self.assertEqual(made.SerializeToString(), example(n=longs(3, 4)))
        feature = made.features.feature["n"]
        self.assertTrue(feature.HasField("int64_list"))
        feature.bytes_list.value.append(b"x")
        self.assertEqual(feature.WhichOneof("kind"), "bytes_list")

    def test_truth_values_are_integers(self):
        found = tf.train.Int64List(value=[True, np.False_, np.int32(3)])
        self.assertEqual(tf.train.Int64List.FromString(found.SerializeToString()).value, [1, 0, 3])

    def test_values_of_other_types_and_other_bytes_are_refused(self):
        for kind, value in [
            (tf.train.BytesList, "text"), (tf.train.Int64List, 1.5), (tf.train.FloatList, "1"),
        ]:  # fmt: skip
            with self.assertRaises(TypeError):
                kind(value=[value])
        with self.assertRaises(ValueError):
            tf.train.Int64List(value=[2**63])
        for wrong in [b"\xff", b"\x0a\x05", FULL[:-1]]:
            with self.assertRaises(ValueError):
                tf.train.Example.FromString(wrong)


if __name__ == "__main__":
    tf.test.main()
