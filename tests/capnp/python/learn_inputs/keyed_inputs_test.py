"""Records of files are read with their keys, and parsed, as by TensorFlow 1.15."""

import os
import tempfile
import unittest

import troupe as tf

learn = tf.contrib.learn
FEATURES = {"x": tf.io.FixedLenFeature([2], tf.float32), "s": tf.io.VarLenFeature(tf.string)}



def written(files=3, records=4):
    """A pattern of files of Examples: x = [file, record], and as many texts as the record says."""
    folder = tempfile.mkdtemp()
    for file in range(files):
        with tf.python_io.TFRecordWriter(os.path.join(folder, f"f{file}")) as writer:
            for record in range(records):
                texts = tf.train.BytesList(value=[b"a%d" % number for number in range(record)])
                numbers = tf.train.FloatList(value=[file, record])
                example = tf.train.Example(features=tf.train.Features(feature={
                    "x": tf.train.Feature(float_list=numbers),
                    "s": tf.train.Feature(bytes_list=texts),
                }))  # fmt: skip
                writer.write(example.SerializeToString())
    return os.path.join(folder, "*")


class KeyedInputsTest(tf.test.TestCase):
    def drained(self, fetches):
        """The results of all steps."""
        results = []
        with self.session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            with coordinator.stop_on_exception():
                while True:
                    results.append(session.run(fetches))
            coordinator.join(threads)
        return results

    def names(self, results):
        return [[os.path.basename(key).decode() for key in keys] for keys, _ in results]

    def test_keys_of_epochs_and_the_last_smaller_batch(self):
        keyed = learn.read_keyed_batch_examples(
            written(2), 3, tf.TFRecordReader, randomize_input=False, num_epochs=2, read_batch_size=2
        )
        self.assertEqual(keyed[0].op.name, "read_batch_examples")
        found = self.names(self.drained(keyed))
        self.assertEqual([len(keys) for keys in found], [3, 3, 3, 3, 3, 1])
        self.assertEqual([key[:3] for key in sum(found, [])], (["f0:"] * 4 + ["f1:"] * 4) * 2)

    def test_a_queue_of_files_that_tasks_share(self):
        keyed = learn.read_keyed_batch_examples_shared_queue(
            written(), 3, tf.TFRecordReader, randomize_input=False, num_epochs=1
        )
        found = self.names(self.drained(keyed))
        self.assertEqual([key[1] for key in sum(found, [])], list("000011112222"))

    def test_each_record_comes_once_when_shuffled(self):
        records = learn.read_batch_examples(
            written(), 2, tf.TFRecordReader, queue_capacity=12, num_epochs=1, seed=3
        )
        found = sum((list(batch) for batch in self.drained(records)), [])
        self.assertEqual((len(found), len(set(found))), (12, 12))

    def test_records_are_parsed_while_they_are_read(self):
        _, features = learn.read_keyed_batch_examples(
            written(1), 3, tf.TFRecordReader, randomize_input=False, num_epochs=1,
            parse_fn=lambda text: tf.io.parse_single_example(text, {"x": FEATURES["x"]}),
        )  # fmt: skip
        found = [batch["x"].tolist() for batch in self.drained(features)]
        self.assertEqual(found, [[[0, 0], [0, 1], [0, 2]], [[0, 3]]])

    def test_features_in_batches(self):
        features = learn.read_batch_features(
            written(), 4, FEATURES, tf.TFRecordReader, randomize_input=False, num_epochs=1,
            num_enqueue_threads=1,
        )  # fmt: skip
        self.assertEqual(features["x"].shape.as_list(), [None, 2])
        found = self.drained(features)
        self.assertAllClose(found[1]["x"], [[1, 0], [1, 1], [1, 2], [1, 3]])
        self.assertEqual(list(found[1]["s"].values), [b"a0", b"a0", b"a1", b"a0", b"a1", b"a2"])
        runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        self.assertEqual(len(runners), 3)

    def test_features_of_record_files(self):
        pattern = written()
        features = learn.read_batch_record_features(pattern, 4, FEATURES, num_epochs=1)
        self.assertTrue(features["x"].op.name.startswith("dequeue_record_examples"))
        self.assertEqual(sum(batch["x"].sum() for batch in self.drained(features)), 30)

    def test_keys_beside_features(self):
        for read in (learn.read_keyed_batch_features, learn.read_keyed_batch_features_shared_queue):
            with tf.Graph().as_default():
                keyed = read(
                    written(), 4, FEATURES, tf.TFRecordReader, randomize_input=False, num_epochs=1
                )
                found = sum(self.names(self.drained(keyed)), [])
            self.assertEqual(sorted(key[1] for key in found), list("000011112222"))

    def test_errors(self):
        pattern = written(1)
        for text, options in {
            "No files match": {"file_pattern": pattern + "x"},
            "No files given": {"file_pattern": []},
            "Invalid batch_size": {"batch_size": 0},
            "Invalid queue_capacity": {"queue_capacity": 0},
            "Invalid num_threads": {"num_threads": 0},
            "Invalid num_epochs": {"num_epochs": 0},
            "Invalid read_batch_size": {"read_batch_size": 0},
        }.items():
            arguments = {"file_pattern": pattern, "batch_size": 2, **options}
            with self.assertRaisesRegex(ValueError, text):
                learn.read_batch_examples(reader=tf.TFRecordReader, **arguments)


if __name__ == "__main__":
    unittest.main()
