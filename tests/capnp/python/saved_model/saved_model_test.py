"""SavedModels: TensorFlow's own, and those that programs write."""

import os
import pathlib
import tempfile
import unittest

import troupe as tf

RECORDED = pathlib.Path(__file__).parents[3] / "reference" / "saved_models" / "words"


class SavedModelTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.Session.reset("", [""])
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "model")

    def build(self):
        """y = x * w + the number in a file."""
        path = os.path.join(os.path.dirname(self.folder), "offset.txt")
        pathlib.Path(path).write_text("5", encoding="utf-8")
        asset = tf.constant(path, name="asset")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
        x = tf.placeholder(tf.float32, [None], name="x")
        w = tf.get_variable("w", initializer=3.0)
        offset = tf.get_variable("offset", initializer=0.0, collections=["of_a_file"])
        main_op = tf.assign(offset, tf.string_to_number(tf.read_file(asset))).op
        return x, tf.add(x * w, offset, name="y"), w, main_op

    def save(self, as_text=False, **options):
        with tf.Graph().as_default(), tf.Session() as session:
            x, y, w, main_op = self.build()
            session.run(w.initializer)
            builder = tf.saved_model.builder.SavedModelBuilder(self.folder)
            builder.add_meta_graph_and_variables(
                session,
                [tf.saved_model.tag_constants.SERVING],
                {"double": tf.saved_model.predict_signature_def({"x": x}, {"y": y})},
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                main_op=main_op,
                **options,
            )
            path = builder.save(as_text)
        tf.Session.reset("", [""])
        return path

    def test_tensorflows_model_is_loaded_and_run(self):
        with tf.Session(graph=tf.Graph()) as session:
            message = tf.saved_model.loader.load(session, ["serve"], str(RECORDED))
            signature = message.signature_def["serving_default"]
            self.assertTrue(tf.saved_model.is_valid_signature(signature))
            words, result = signature.inputs["words"].name, signature.outputs["result"].name
            # (index * 4 + 30), with -1 for words that the file has not.
            values = session.run(result, {words: ["one", "two", "three"]})
            self.assertAllEqual(values, [34, 38, 26])

    def test_tensorflows_model_is_loaded_in_a_scope(self):
        with tf.Session(graph=tf.Graph()) as session:
            tf.saved_model.load(session, {"serve"}, RECORDED, import_scope="inner")
            self.assertAllEqual(session.run("inner/result:0", {"inner/words:0": ["two"]}), [38])

    def test_a_graph_with_other_tags_is_named(self):
        with (
            tf.Session(graph=tf.Graph()) as session,
            self.assertRaisesRegex(RuntimeError, "(?s)'gpu' could not be found.*available_tags"),
        ):
            tf.saved_model.load(session, ["gpu"], str(RECORDED))

    def test_what_a_program_saves_is_loaded(self):
        for as_text in (False, True):
            with self.subTest(as_text=as_text):
                self.folder += "_"
                path = self.save(as_text)
                self.assertTrue(path.endswith(".pbtxt" if as_text else ".pb"))
                self.assertTrue(tf.saved_model.contains_saved_model(self.folder))
                self.assertEqual(sorted(os.listdir(self.folder))[0], "assets")
                os.rename(self.folder, self.folder + "moved")
                os.remove(os.path.join(os.path.dirname(self.folder), "offset.txt"))
                with tf.Session(graph=tf.Graph()) as session:
                    message = tf.saved_model.load(session, ["serve"], self.folder + "moved")
                    self.assertEqual(list(message.signature_def), ["double"])
                    self.assertAllEqual(session.run("y:0", {"x:0": [1, 2]}), [8, 11])
                tf.Session.reset("", [""])

    def test_a_model_without_variables_is_saved_simply(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [2], name="x")
            tf.saved_model.simple_save(session, self.folder, {"in": x}, {"out": x * 2.0})
        with tf.Session(graph=tf.Graph()) as session:
            message = tf.saved_model.load(session, ["serve"], self.folder)
            signature = message.signature_def["serving_default"]
            tensor = tf.saved_model.get_tensor_from_tensor_info(signature.outputs["out"])
            self.assertAllEqual(session.run(tensor, {"x:0": [1, 2]}), [2, 4])

    def test_a_second_graph_has_the_same_variables(self):
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", initializer=3.0)
            session.run(w.initializer)
            builder = tf.saved_model.Builder(self.folder)
            with self.assertRaisesRegex(AssertionError, "has not been saved yet"):
                builder.add_meta_graph(["train"])
            builder.add_meta_graph_and_variables(session, ["serve"])
            with self.assertRaisesRegex(AssertionError, "has already been saved"):
                builder.add_meta_graph_and_variables(session, ["serve"])
            tf.multiply(w, 2.0, name="twice")
            builder.add_meta_graph(["train"])
            builder.save()
        tf.Session.reset("", [""])
        with tf.Session(graph=tf.Graph()) as session:
            tf.saved_model.load(session, ["train"], self.folder)
            self.assertEqual(session.run("twice:0"), 6.0)
        with self.assertRaisesRegex(AssertionError, "already exists, and isn't empty"):
            tf.saved_model.Builder(self.folder)

    def test_signatures_are_checked(self):
        x, text = tf.placeholder(tf.float32), tf.placeholder(tf.string)
        of = tf.saved_model.signature_def_utils
        self.assertTrue(of.is_valid_signature(of.regression_signature_def(text, x)))
        self.assertTrue(of.is_valid_signature(of.classification_signature_def(text, None, x)))
        self.assertFalse(of.is_valid_signature(of.build_signature_def()))
        with self.assertRaisesRegex(ValueError, "examples must be a string Tensor"):
            of.regression_signature_def(x, x)
        with self.assertRaisesRegex(ValueError, "cannot both be None"):
            of.classification_signature_def(text, None, None)
        with self.assertRaisesRegex(ValueError, "inputs cannot be None or empty"):
            of.predict_signature_def({}, {"y": x})
        with tf.Session() as session:
            builder = tf.saved_model.Builder(self.folder)
            reserved = {"__saved_model_init_op": of.predict_signature_def({"x": x}, {"y": x})}
            with self.assertRaisesRegex(KeyError, "is reserved for initialization"):
                builder.add_meta_graph_and_variables(session, ["serve"], reserved)
            nameless = {"s": of.build_signature_def({"x": tf.TensorInfo(dtype=1)})}
            with self.assertRaisesRegex(AssertionError, "'encoding' fields"):
                builder.add_meta_graph_and_variables(session, ["serve"], nameless)

    def test_assets_of_one_name_are_kept_apart(self):
        with tf.Graph().as_default(), tf.Session() as session:
            assets = []
            for index in range(3):
                path = os.path.join(os.path.dirname(self.folder), str(index), "file")
                os.makedirs(os.path.dirname(path))
                pathlib.Path(path).write_text(str(index // 2), encoding="utf-8")
                assets.append(tf.constant(path, name=f"path_{index}"))
            builder = tf.saved_model.Builder(self.folder)
            builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=assets)
            with self.assertRaisesRegex(TypeError, "must be of type constant"):
                builder._save_assets([tf.placeholder(tf.string)])
        self.assertEqual(sorted(os.listdir(self.folder + "/assets")), ["file", "file_1"])

    def test_a_damaged_model_is_an_error(self):
        with self.assertRaisesRegex(OSError, "SavedModel file does not exist at"):
            tf.saved_model.load(None, [], self.folder)
        os.makedirs(self.folder)
        for name, data in (("saved_model.pbtxt", b"x {"), ("saved_model.pb", b"\xff")):
            pathlib.Path(self.folder, name).write_bytes(data)
            with self.assertRaisesRegex(OSError, f"Cannot parse file .*{name}"):
                tf.saved_model.load(None, [], self.folder)

    def test_a_graph_is_frozen_from_each_of_its_forms(self):
        from troupe.python.tools import freeze_graph

        with tf.Graph().as_default() as graph, tf.Session() as session:
            w = tf.get_variable("w", initializer=3.0)
            y = tf.multiply(tf.placeholder(tf.float32, name="x"), w, name="y")
            session.run(w.initializer)
            prefix = os.path.join(os.path.dirname(self.folder), "model.ckpt")
            tf.train.Saver().save(session, prefix)
            folder = os.path.dirname(self.folder)
            tf.train.write_graph(graph, folder, "graph.pbtxt")
            tf.saved_model.simple_save(session, self.folder, {"x": y}, {"y": y})
        tf.Session.reset("", [""])
        for given in (
            {"input_graph": os.path.join(folder, "graph.pbtxt")},
            {"input_meta_graph": prefix + ".meta", "input_binary": True},
            {"input_saved_model_dir": self.folder},
        ):
            with self.subTest(**given):
                options = dict(input_graph="", input_binary=False)
                options.update(given)
                frozen = freeze_graph.freeze_graph(
                    input_saver="", input_checkpoint=prefix, output_node_names="y",
                    restore_op_name="save/restore_all", filename_tensor_name="save/Const:0",
                    output_graph=os.path.join(folder, "frozen.pb"), clear_devices=True,
                    initializer_nodes="", **options,
                )  # fmt: skip
                self.assertNotIn("VarHandleOp", [node.op for node in frozen.node])
                with tf.Graph().as_default(), tf.Session() as session:
                    tf.import_graph_def(frozen, name="")
                    self.assertEqual(session.run("y:0", {"x:0": 2.0}), 6.0)
            tf.Session.reset("", [""])


if __name__ == "__main__":
    unittest.main()
