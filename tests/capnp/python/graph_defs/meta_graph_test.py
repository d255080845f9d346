"""Graphs with collections and savers as messages and files."""

import os
import pathlib
import tempfile
import unittest

import numpy as np

import troupe as tf

RECORDED = pathlib.Path(__file__).parents[3] / "reference" / "graphs"


def build(use_resource=True):
    """A graph that trains w; its collections name its tensors."""
    x = tf.placeholder(tf.float32, [2], name="x")
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=use_resource)
    tf.get_variable("fixed", initializer=5.0, trainable=False, use_resource=use_resource)
    loss = tf.reduce_sum(tf.square(w - x))
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, name="train")
    tf.add_to_collection("results", loss)
    tf.add_to_collection("results", train)
    for value in ("text", 3, 1.5):
        tf.add_to_collection(f"of_{type(value).__name__}", value)
    tf.global_variables_initializer()
    return w


class MetaGraphTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.Session.reset("", [""])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(folder.name, "model")

    def saved(self, **options):
        """Trains one step and saves; gives the value of w."""
        with tf.Graph().as_default():
            w = build(**options)
            saver = tf.train.Saver(max_to_keep=2)
            with tf.Session() as session:
                session.run("init")
                session.run("train", {"x:0": [3, 4]})
                saver.save(session, self.prefix, 1)
                return session.run(w)

    def test_a_program_goes_on_from_its_files(self):
        for use_resource in (True, False):
            with self.subTest(use_resource=use_resource), tf.Graph().as_default():
                value = self.saved(use_resource=use_resource)
                tf.Session.reset("", [""])
                saver = tf.train.import_meta_graph(self.prefix + "-1.meta")
                (w,) = tf.trainable_variables()
                self.assertEqual([w.name, w.op.name, w.shape], ["w:0", "w", [2]])
                self.assertEqual([v.name for v in tf.global_variables()], ["w:0", "fixed:0"])
                loss, train = tf.get_collection("results")
                with tf.Session() as session:
                    saver.restore(session, self.prefix + "-1")
                    self.assertAllEqual(session.run(w), value)
                    session.run(train, {"x:0": [3, 4]})
                    self.assertAllClose(session.run(w), [2.5, 3.5])
                    self.assertAllClose(session.run(loss, {"x:0": [3, 4]}), 0.5)
                    session.run(w.assign([7, 7]))
                    saver.save(session, self.prefix, 2)
                    session.run(w.initializer)
                    self.assertAllEqual(session.run(w), [1, 2])
                    saver.restore(session, self.prefix + "-2")
                    self.assertAllEqual(session.run(w), [7, 7])
                with tf.Graph().as_default():
                    tf.train.import_meta_graph(self.prefix + "-2.meta", import_scope="b")
                    self.assertEqual([v.name for v in tf.trainable_variables()], ["b/w:0"])

    def test_an_imported_variable_is_trained_and_saved_by_new_nodes(self):
        self.saved()
        tf.train.import_meta_graph(self.prefix + "-1.meta", import_scope="old")
        (w,) = tf.trainable_variables()
        self.assertEqual(w.name, "old/w:0")
        train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(tf.reduce_sum(w * w))
        saver = tf.train.Saver({"w": w})
        with tf.Session() as session:
            saver.restore(session, self.prefix + "-1")
            session.run(tf.variables_initializer(tf.global_variables()[2:]))
            session.run(train)
            self.assertAllClose(session.run(w), [0, 0])

    def test_a_program_of_tensorflow_is_trained_saved_and_restored(self):
        for name, feeds in [
            ("dense_sgd", {"x:0": np.ones([1, 4]), "y:0": [2]}),
            ("dense_adam_of_references", {"x:0": np.ones([5, 3])}),
        ]:
            with self.subTest(name), tf.Graph().as_default(), tf.Session() as session:
                saver = tf.train.import_meta_graph(str(RECORDED / f"{name}.meta"))
                w = tf.trainable_variables()[0]
                self.assertEqual(w.op.name, "w")
                session.run(tf.global_variables_initializer())
                before = session.run(w)
                prefix = saver.save(session, self.prefix)
                session.run("train", feeds)
                self.assertGreater(abs(session.run(w) - before).max(), 1e-3)
                saver.restore(session, prefix)
                self.assertAllEqual(session.run(w), before)
                self.assertEqual(saver.last_checkpoints, [prefix])
                self.assertEqual(tf.train.latest_checkpoint(os.path.dirname(prefix)), prefix)

    def test_collections_come_back(self):
        tf.add_to_collection("of_variables", build())
        tf.add_to_collection("of_objects", self)
        message = tf.train.export_meta_graph()
        self.assertNotIn("of_objects", message.collection_def)
        self.assertEqual(
            list(message.collection_def["of_variables"].node_list.value), ["w/handle:0"]
        )
        self.assertEqual(list(message.collection_def["results"].node_list.value)[1], "train")
        with tf.Graph().as_default():
            self.assertIsNotNone(tf.train.import_meta_graph(message, import_scope="a"))
            loss, train = tf.get_collection("results")
            self.assertEqual([loss.name, train.name], ["a/Sum:0", "a/train"])
            self.assertEqual(tf.get_collection("of_str"), [b"text"])
            self.assertEqual(tf.get_collection("of_int"), [3])
            self.assertEqual(tf.get_collection("of_float"), [1.5])
        self.assertEqual(
            list(tf.train.export_meta_graph(collection_list=["of_int"]).collection_def), ["of_int"]
        )

    def test_collections_of_objects_are_exported_by_functions_of_a_program(self):
        from troupe._src.graph_defs.meta_graph import proto_functions
        from troupe.python.framework import ops

        class Note:
            def __init__(self, text):
                self.text = text

        def to_proto(note, export_scope=None):
            if note.text == "wrong":
                raise RuntimeError(note.text)
            return tf.train.Int64List(value=[len(note.text)]) if note.text else None

        def from_proto(message, import_scope=None):
            return Note(f"{import_scope}:{message.value[0]}")

        with self.assertRaisesRegex(TypeError, "to_proto must be callable"):
            ops.register_proto_function("notes", tf.train.Int64List, 3)
        ops.register_proto_function("notes", tf.train.Int64List, to_proto, from_proto)
        self.addCleanup(proto_functions.pop, "notes")
        with self.assertRaisesRegex(KeyError, "Registering two"):
            ops.register_proto_function("notes", tf.train.Int64List, to_proto, from_proto)
        self.assertIs(ops.get_collection_proto_type("notes"), tf.train.Int64List)
        self.assertIs(ops.get_from_proto_function("notes"), from_proto)
        self.assertIsNone(ops.get_to_proto_function("other"))
        for text in ("four", "", "seven.."):
            tf.add_to_collection("notes", Note(text))
        message = tf.train.export_meta_graph()
        with tf.Graph().as_default():
            tf.train.import_meta_graph(message, import_scope="in")
            found = [note.text for note in tf.get_collection("notes")]
        self.assertEqual(found, ["in:4", "in:7"])
        tf.add_to_collection("notes", Note("wrong"))
        self.assertNotIn("notes", tf.train.export_meta_graph().collection_def)

    def test_a_variable_of_several_collections_is_one_object(self):
        message = tf.train.export_meta_graph()
        self.assertEqual(list(message.collection_def), [])
        build()
        message = tf.train.export_meta_graph()
        with tf.Graph().as_default():
            tf.train.import_meta_graph(message)
            self.assertIs(tf.global_variables()[0], tf.trainable_variables()[0])
            self.assertEqual([v.op.name for v in tf.global_variables()], ["w", "fixed"])

    def test_items_are_messages_names_or_numbers(self):
        from troupe._src.messages.meta_graph_messages import Any as AnyMessage

        given = {
            "messages": AnyMessage(type_url="of/notes", value=b"note"),
            "numbers": np.int64(7),
            "named": tf.TensorInfo(name="named:0"),
        }
        for key, item in given.items():
            tf.add_to_collection(key, item)
        tf.add_to_collection(object(), 3)  # no message can hold the key
        with self.assertLogs("troupe", "WARNING") as logs:
            tf.add_to_collection("objects", object())
            found = tf.train.export_meta_graph().collection_def
        self.assertIn("Collection objects has items that cannot be exported", logs.output[0])
        self.assertEqual(sorted(found), sorted(given))
        self.assertEqual(found["messages"].any_list.value[0].type_url, "of/notes")
        self.assertEqual(list(found["numbers"].int64_list.value), [7])
        self.assertEqual(list(found["named"].node_list.value), ["named:0"])

    def test_what_a_program_says_of_the_graph_is_kept(self):
        info = type(tf.train.export_meta_graph().meta_info_def)(meta_graph_version="seven")
        info.tags.append("serve")
        kept = tf.train.export_meta_graph(meta_info_def=info).meta_info_def
        self.assertEqual([kept.meta_graph_version, list(kept.tags)], ["seven", ["serve"]])
        self.assertNotEqual(kept.tensorflow_version, "")

    def test_devices_may_be_left_out(self):
        with tf.device("/job:ps"):
            tf.no_op("x")
        message = tf.train.export_meta_graph()
        self.assertEqual(message.graph_def.node[0].device, "/job:ps")
        cleared = tf.train.export_meta_graph(clear_devices=True)
        self.assertEqual(cleared.graph_def.node[0].device, "")
        with tf.Graph().as_default() as graph:
            self.assertIsNone(tf.train.import_meta_graph(message, clear_devices=True))
            self.assertEqual(graph.get_operation_by_name("x").device, "")
        with tf.Graph().as_default() as graph:
            tf.train.import_meta_graph(message)
            self.assertEqual(graph.get_operation_by_name("x").device, "/job:ps")

    def test_the_graph_of_an_old_checkpoint_is_removed_with_it(self):
        build()
        saver = tf.train.Saver(max_to_keep=1)
        with tf.Session() as session:
            session.run("init")
            for step in (1, 2):
                saver.save(session, self.prefix, step)
            saver.save(session, self.prefix, 3, write_meta_graph=False)
        names = sorted(os.listdir(os.path.dirname(self.prefix)))
        self.assertFalse([name for name in names if "-1" in name or "-2" in name])
        self.assertNotIn("model-3.meta", names)

    def test_a_file_that_is_no_graph_is_an_error(self):
        with open(self.prefix, "wb") as file:
            file.write(b"\x0a\xff")
        with self.assertRaisesRegex(OSError, "Cannot parse file"):
            tf.train.import_meta_graph(self.prefix)
        with self.assertRaises(OSError):
            tf.train.import_meta_graph(self.prefix + ".none")


class CollectionsOfObjectsTest(tf.test.TestCase):
    def test_queue_runners_run_where_a_graph_came_in(self):
        taken = tf.train.range_input_producer(3, shuffle=False).dequeue(name="taken")
        message = tf.train.export_meta_graph()
        definitions = message.collection_def["queue_runners"].bytes_list.value
        (definition,) = map(tf.train.QueueRunnerDef.FromString, definitions)
        self.assertEqual(definition.queue_name, taken.op.inputs[0].op.name)
        with tf.Graph().as_default():
            tf.train.import_meta_graph(message, import_scope="again")
            (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
            self.assertIsInstance(runner, tf.train.QueueRunner)
            with tf.train.MonitoredSession() as session:
                self.assertEqual([session.run("again/taken:0") for _ in range(4)], [0, 1, 2, 0])

    def test_a_variable_in_any_collection_is_that_variable_again(self):
        v = tf.get_variable("v", initializer=2.0)
        for item in (v, v + 1):
            tf.add_to_collection("a", item)
        message = tf.train.export_meta_graph()
        with tf.Graph().as_default():
            tf.train.import_meta_graph(message, import_scope="again")
            found, total = tf.get_collection("a")
            self.assertIs(found, tf.global_variables()[0])
            with tf.Session() as session:
                session.run(found.initializer)
                self.assertEqual(session.run([found, total]), [2.0, 3.0])


if __name__ == "__main__":
    unittest.main()
