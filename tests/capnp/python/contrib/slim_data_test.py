"""Examples of files, read by the providers of tf.contrib.slim."""

import pathlib
import tempfile
import unittest

import numpy as np

import troupe as tf

slim = tf.contrib.slim
decoders = slim.tfexample_decoder


def bytes_feature(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def numbers(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def serialized(**features):
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString()


class SlimDataTest(tf.test.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def decode(self, example, features, handlers):
        decoder = decoders.TFExampleDecoder(features, handlers)
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            return dict(zip(handlers, session.run(decoder.decode(example))))

    def test_examples_of_files_are_provided(self):
        for index in range(2):
            with tf.python_io.TFRecordWriter(str(self.folder / f"part{index}")) as writer:
                for label in range(3):
                    writer.write(serialized(label=numbers(10 * index + label)))
        decoder = decoders.TFExampleDecoder(
            {"label": tf.FixedLenFeature([], tf.int64)}, {"class": decoders.Tensor("label")}
        )
        dataset = slim.dataset.Dataset(
            str(self.folder / "part*"), tf.TFRecordReader, decoder, 6, {"class": "a number"}, more=1
        )
        self.assertEqual((dataset.more, dataset.num_samples), (1, 6))
        provider = slim.dataset_data_provider.DatasetDataProvider(
            dataset, num_epochs=1, num_readers=2, common_queue_min=1
        )
        self.assertEqual(list(provider.list_items()), ["class", "record_key"])
        (label,) = provider.get(["class"])
        with self.assertRaisesRegex(ValueError, r"Item \[size\] is invalid"):
            provider.get(["size"])
        queue = slim.prefetch_queue.prefetch_queue({"label": label}, capacity=2)
        taken, seen = queue.dequeue()["label"], []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            with slim.queues.QueueRunners(session):
                with self.assertRaises(slim.queues.NestedQueueRunnerError):
                    with slim.queues.QueueRunners(session):
                        pass
                with self.assertRaises(tf.errors.OutOfRangeError):
                    while True:
                        seen.append(session.run(taken))
        self.assertEqual(sorted(seen), [0, 1, 2, 10, 11, 12])

    def test_files_are_read_once_in_their_order(self):
        (self.folder / "a").write_text("1\n2\n")
        (self.folder / "b").write_text("3\n")
        names = [str(self.folder / name) for name in "ab"]
        _, line = slim.parallel_reader.single_pass_read(names, tf.TextLineReader)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            with slim.queues.QueueRunners(session):
                self.assertEqual([session.run(line) for _ in range(3)], [b"1", b"2", b"3"])
        with self.assertRaisesRegex(ValueError, "No data files"):
            slim.parallel_reader.get_data_files(str(self.folder / "c*"))

    def test_features_become_items(self):
        example = serialized(
            ymin=floats(0.1, 0.2), xmin=floats(0.3, 0.4), ymax=floats(0.5, 0.6),
            xmax=floats(0.7, 0.8), values=numbers(1, 2, 3, 4), height=numbers(2),
            width=numbers(2), places=numbers(4, 0), word=bytes_feature(b"two"),
        )  # fmt: skip
        features = {
            **{side: tf.VarLenFeature(tf.float32) for side in ("ymin", "xmin", "ymax", "xmax")},
            "values": tf.VarLenFeature(tf.int64), "height": tf.FixedLenFeature([], tf.int64),
            "width": tf.FixedLenFeature([], tf.int64), "places": tf.VarLenFeature(tf.int64),
            "word": tf.FixedLenFeature([], tf.string), "none": tf.VarLenFeature(tf.int64),
            "two": tf.FixedLenFeature([2], tf.int64, default_value=[7, 8]),
        }  # fmt: skip
        table = tf.contrib.lookup.index_table_from_tensor(["one", "two"])
        found = self.decode(example, features, {
            "boxes": decoders.BoundingBox(),
            "grid": decoders.Tensor("values", shape_keys=["height", "width"]),
            "row": decoders.Tensor("values", shape=[1, 4]),
            "both": decoders.BackupHandler(decoders.Tensor("none"), decoders.Tensor("two")),
            "sum": decoders.ItemHandlerCallback(
                ["height", "width"], lambda found: found["height"] + found["width"]
            ),
            "class": decoders.LookupTensor("word", table),
            "places": decoders.Tensor("places"),
        })  # fmt: skip
        self.assertAllClose(found["boxes"], [[0.1, 0.3, 0.5, 0.7], [0.2, 0.4, 0.6, 0.8]])
        self.assertAllEqual(found["grid"], [[1, 2], [3, 4]])
        self.assertAllEqual(found["row"], [[1, 2, 3, 4]])
        self.assertAllEqual(found["both"], [7, 8])
        self.assertEqual((found["sum"], found["class"]), (4, 1))

    def test_a_sparse_tensor_is_made_of_indices_and_values(self):
        example = serialized(indices=numbers(4, 1), values=floats(0.5, 2.0))
        features = {
            "indices": tf.VarLenFeature(tf.int64), "values": tf.VarLenFeature(tf.float32)
        }  # fmt: skip
        found = self.decode(example, features, {
            "sparse": decoders.SparseTensor(shape=[6]),
            "own": decoders.SparseTensor("indices", "values"),
        })  # fmt: skip
        self.assertAllEqual(found["sparse"].indices, [[4], [1]])
        self.assertAllEqual(found["sparse"].dense_shape, [6])
        self.assertAllEqual(found["own"].dense_shape, [2])

    def test_images_are_decoded_by_their_format(self):
        pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
        with tf.Session() as session:
            png = session.run(tf.image.encode_png(pixels))
            jpeg = session.run(tf.image.encode_jpeg(pixels))
        features = {
            "image/encoded": tf.FixedLenFeature([], tf.string),
            "image/format": tf.FixedLenFeature([], tf.string, default_value="raw"),
        }
        for encoded, kind, shape, wanted in (
            (png, b"png", None, pixels),
            (pixels.tobytes(), b"raw", [2, 4, 3], pixels),
        ):
            given = {"image/encoded": bytes_feature(encoded), "image/format": bytes_feature(kind)}
            handlers = {"image": decoders.Image(shape=shape)}
            self.assertAllEqual(
                self.decode(serialized(**given), features, handlers)["image"], wanted
            )
        given = {"image/encoded": bytes_feature(jpeg), "image/format": bytes_feature(b"jpeg")}
        found = self.decode(serialized(**given), features, {"image": decoders.Image()})["image"]
        self.assertEqual(found.shape, (2, 4, 3))


if __name__ == "__main__":
    unittest.main()
