"""Savers with their options, checkpoints of TensorFlow, and the files that list them."""

import contextlib
import io
import os
import pathlib
import shutil
import tempfile
import unittest

import numpy as np

import troupe as tf

RECORDED = pathlib.Path(__file__).parents[3] / "reference" / "checkpoints"


class CheckpointsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.Session.reset("", [""])
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.prefix = os.path.join(folder.name, "model")

    def files(self):
        return sorted(os.listdir(self.folder))

    def test_tensorflows_checkpoint_is_read(self):
        reader = tf.train.NewCheckpointReader(str(RECORDED / "parts"))
        self.assertEqual(
            reader.get_variable_to_shape_map(),
            {"b": [], "grid": [4, 5], "long": [9000], "rows": [4, 3]},
        )
        self.assertEqual(reader.get_variable_to_dtype_map()["grid"], tf.int64)
        self.assertAllEqual(reader.get_tensor("grid"), np.arange(20).reshape(4, 5))
        self.assertEqual(reader.get_tensor("b"), 7)
        self.assertIn(b"rows (DT_FLOAT) [4,3]\n", reader.debug_string())
        with self.assertRaisesRegex(tf.errors.NotFoundError, "Key row not found in checkpoint"):
            reader.get_tensor("row")
        values = tf.train.load_checkpoint(str(RECORDED / "values"))
        self.assertEqual(values.get_tensor("text"), b"one")
        self.assertEqual(values.get_tensor("texts")[0, 1], b"a")

    def test_a_saver_takes_the_nodes_of_its_names_in_the_graph_of_the_session(self):
        def variable_and_saver():
            with tf.Graph().as_default():
                return tf.get_variable("v", initializer=1.0), tf.train.Saver(max_to_keep=1)

        (first, _), (second, saver) = variable_and_saver(), variable_and_saver()
        with tf.Session(graph=second.graph) as session:
            session.run(second.initializer)
            saver.save(session, self.prefix, global_step=1)
        with tf.Session(graph=first.graph) as session:
            saver.restore(session, f"{self.prefix}-1")
            self.assertEqual(session.run(first.assign_add(1.0)), 2.0)
            path = saver.save(session, self.prefix, global_step=2)
        self.assertEqual(saver.last_checkpoints, [path])
        self.assertFalse(tf.train.checkpoint_exists(f"{self.prefix}-1"))
        with tf.Session(graph=second.graph) as session:
            saver.restore(session, path)
            self.assertEqual(session.run(second), 2.0)
        with tf.Session(graph=tf.Graph()) as session:
            with self.assertRaisesRegex(tf.errors.NotFoundError, "no node 'save/restore_all'"):
                saver.restore(session, path)

    def test_a_missing_and_a_damaged_checkpoint_are_errors(self):
        with self.assertRaisesRegex(tf.errors.NotFoundError, "Failed to find any matching files"):
            tf.train.NewCheckpointReader(self.prefix)
        for end in (".index", ".data-00000-of-00001"):
            shutil.copy(f"{RECORDED}/values{end}", self.prefix + end)
        with open(self.prefix + ".index", "r+b") as file:
            file.write(b"\xff\xff\xff")
        with self.assertRaisesRegex(tf.errors.DataLossError, "model.index' is damaged at offset"):
            tf.train.load_variable(self.prefix, "text")

    def test_partitioned_variables_are_restored_into_other_parts(self):
        whole = np.arange(12, dtype=np.float32).reshape(4, 3)
        for parts in (1, 2, 4, 3):
            with tf.Graph().as_default(), tf.Session() as session:
                rows = tf.get_variable(
                    "rows", [4, 3], partitioner=tf.fixed_size_partitioner(parts)
                )
                saver = tf.train.Saver()
                if parts == 1:
                    saver.restore(session, str(RECORDED / "parts"))
                else:
                    saver.restore(session, self.prefix)
                self.assertAllEqual(session.run(tf.convert_to_tensor(rows)), whole)
                saver.save(session, self.prefix, write_meta_graph=False)
            tf.Session.reset("", [""])
        self.assertEqual(tf.train.list_variables(self.prefix), [("rows", [4, 3])])

    def test_the_name_of_a_file_may_be_bytes(self):
        w = tf.get_variable("w", initializer=1.0)
        saver = tf.train.Saver([w], filename=b"name", name="named")
        with tf.Session() as session:
            self.assertEqual(session.run(saver.saver_def.filename_tensor_name), b"name")

    def test_nodes_have_the_names_that_programs_feed(self):
        w = tf.get_variable("w", initializer=1.0)
        saver = tf.train.Saver()
        other = tf.train.Saver(name="other")
        self.assertEqual(saver.saver_def.filename_tensor_name, "save/Const:0")
        self.assertEqual(saver.saver_def.save_tensor_name, "save/control_dependency:0")
        self.assertEqual(saver.saver_def.restore_op_name, "save/restore_all")
        self.assertEqual(other.saver_def.restore_op_name, "other/restore_all")
        with tf.Session() as session:
            session.run(w.initializer)
            session.run("save/control_dependency:0", {"save/Const:0": self.prefix})
            session.run(tf.assign(w, 2.0))
            session.run("save/restore_all", {"save/Const:0": self.prefix})
            self.assertEqual(session.run(w), 1.0)

    def test_values_of_other_shapes_are_given_those_of_variables(self):
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", initializer=[1.0, 2.0, 3.0, 4.0])
            session.run(w.initializer)
            tf.train.Saver().save(session, self.prefix)
        tf.Session.reset("", [""])
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", [2, 2])
            saver = tf.train.Saver(reshape=True, restore_sequentially=True)
            saver.restore(session, self.prefix)
            self.assertAllEqual(session.run(w), [[1, 2], [3, 4]])
            with self.assertRaisesRegex(
                tf.errors.InvalidArgumentError, "(?s)Restoring from checkpoint failed.*float32"
            ):
                tf.train.Saver().restore(session, self.prefix)

    def test_a_variable_that_a_checkpoint_lacks_is_explained(self):
        with tf.Session() as session:
            tf.get_variable("v", initializer=1.0)
            with self.assertRaisesRegex(
                tf.errors.NotFoundError, "(?s)Variable name or other graph key that is missing.*v"
            ):
                tf.train.Saver().restore(session, str(RECORDED / "values"))

    def test_steps_in_names_may_be_padded_and_paths_relative(self):
        w = tf.get_variable("w", initializer=1.0)
        saver = tf.train.Saver(pad_step_number=True, save_relative_paths=True, max_to_keep=2)
        with tf.Session() as session:
            session.run(w.initializer)
            for step in (1, 2, 3):
                path = saver.save(session, self.prefix, step, latest_filename="latest")
        self.assertEqual(path, self.prefix + "-00000003")
        with open(os.path.join(self.folder, "latest"), encoding="utf-8") as file:
            self.assertEqual(
                file.read(),
                'model_checkpoint_path: "model-00000003"\n'
                'all_model_checkpoint_paths: "model-00000002"\n'
                'all_model_checkpoint_paths: "model-00000003"\n',
            )
        self.assertEqual(tf.train.latest_checkpoint(self.folder, "latest"), path)
        self.assertIsNone(tf.train.latest_checkpoint(self.folder))
        self.assertEqual(
            [name for name in self.files() if name.endswith(".meta")],
            ["model-00000002.meta", "model-00000003.meta"],
        )

    def test_a_save_may_leave_the_list_and_old_checkpoints(self):
        w = tf.get_variable("w", initializer=1.0)
        saver = tf.train.Saver(max_to_keep=1)
        with tf.Session() as session:
            session.run(w.initializer)
            for step in (1, 2):
                saver.save(
                    session, self.prefix, step, write_state=False, write_meta_graph=False
                )
        self.assertEqual(saver.last_checkpoints, [])
        self.assertEqual(
            self.files(),
            [f"model-{step}{end}" for step in (1, 2) for end in
             (".data-00000-of-00001", ".index")],
        )  # fmt: skip

    def test_a_saver_may_have_no_variables_or_be_built_later(self):
        with self.assertRaisesRegex(ValueError, "No variables to save"):
            tf.train.Saver()
        with tf.Session() as session:
            empty = tf.train.Saver(allow_empty=True)
            self.assertIsNone(empty.save(session, self.prefix, write_meta_graph=False))
            empty.restore(session, self.prefix)
            late = tf.train.Saver(defer_build=True)
            with self.assertRaisesRegex(RuntimeError, r"`build\(\)` should be called before save"):
                late.save(session, self.prefix)
            w = tf.get_variable("w", initializer=1.0)
            late.build()
            session.run(w.initializer)
            self.assertEqual(late.save(session, self.prefix), self.prefix)
        with self.assertRaisesRegex(ValueError, "then build cannot be deferred"):
            tf.train.Saver([w], defer_build=True)
        with self.assertRaisesRegex(TypeError, "is not a Variable"):
            tf.train.Saver([tf.constant(1.0)])
        with self.assertRaisesRegex(ValueError, "At least two variables have the same name"):
            tf.train.Saver([w, w])

    def test_the_list_of_checkpoints_is_tensorflows(self):
        tf.train.update_checkpoint_state(
            self.folder, "/b", ["/a", "/b"], all_model_checkpoint_timestamps=[1.5, 2.0],
            last_preserved_timestamp=1.0,
        )  # fmt: skip
        with open(os.path.join(self.folder, "checkpoint"), encoding="utf-8") as file:
            self.assertEqual(
                file.read(),
                'model_checkpoint_path: "/b"\nall_model_checkpoint_paths: "/a"\n'
                'all_model_checkpoint_paths: "/b"\nall_model_checkpoint_timestamps: 1.5\n'
                "all_model_checkpoint_timestamps: 2.0\nlast_preserved_timestamp: 1.0\n",
            )
        state = tf.train.get_checkpoint_state(self.folder)
        self.assertEqual(state.model_checkpoint_path, "/b")
        self.assertEqual(list(state.all_model_checkpoint_paths), ["/a", "/b"])
        self.assertEqual(list(state.all_model_checkpoint_timestamps), [1.5, 2.0])
        with self.assertRaisesRegex(ValueError, "timestamps, if provided, must match"):
            tf.train.generate_checkpoint_state_proto(
                "d", "d/a", all_model_checkpoint_timestamps=[1.0, 2.0]
            )
        made = tf.train.generate_checkpoint_state_proto("d", "d/a", ["d/a", "/b"])
        self.assertEqual(list(made.all_model_checkpoint_paths), ["a", "/b", "d/a"][:2] + ["a"])

    def test_a_list_that_cannot_be_parsed_is_ignored(self):
        path = os.path.join(self.folder, "checkpoint")
        for text in ("model_checkpoint_path: 7", "nonsense", 'model_checkpoint_path: "a'):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIsNone(tf.train.get_checkpoint_state(self.folder))
        with open(path, "w", encoding="utf-8") as file:
            file.write('all_model_checkpoint_paths: "a"')
        with self.assertRaisesRegex(ValueError, "Invalid checkpoint state loaded from"):
            tf.train.get_checkpoint_state(self.folder)

    def test_checkpoints_are_found_dated_and_removed(self):
        for end in (".index", ".data-00000-of-00001", ".meta"):
            pathlib.Path(self.prefix + end).touch()
        self.assertTrue(tf.train.checkpoint_exists(self.prefix))
        os.utime(self.prefix + ".index", (5.0, 5.0))
        self.assertEqual(tf.train.get_checkpoint_mtimes([self.prefix, "/none"]), [5.0])
        tf.train.remove_checkpoint(self.prefix)
        self.assertEqual(self.files(), [])
        self.assertFalse(tf.train.checkpoint_exists(self.prefix))

    def test_variables_may_begin_with_values_of_a_checkpoint(self):
        parts = str(RECORDED / "parts")
        with tf.variable_scope("a"):
            rows = tf.get_variable("rows", [4, 3])
            b = tf.get_variable("b", [], use_resource=False)
        cut = tf.get_variable("cut", [4, 3], partitioner=tf.fixed_size_partitioner(3))
        with tf.variable_scope("c"):
            tf.get_variable("unknown", [])
        tf.train.init_from_checkpoint(parts, {"/": "a/"})
        tf.train.init_from_checkpoint(parts, {"rows": cut})
        with self.assertRaisesRegex(ValueError, "unknown.* is not found in"):
            tf.train.init_from_checkpoint(parts, {"/": "c/"})
        with self.assertRaisesRegex(ValueError, "doesn't match with shape of tensor rows"):
            tf.train.init_from_checkpoint(parts, {"rows": b})
        with self.assertRaisesRegex(ValueError, "should map to scope only"):
            tf.train.init_from_checkpoint(parts, {"rows": "nothing"})
        whole = np.arange(12).reshape(4, 3)
        init = tf.global_variables_initializer()
        with tf.Session() as session:
            session.run(init)
            self.assertAllEqual(session.run(rows), whole)
            self.assertEqual(session.run(b), 7)
            self.assertAllEqual(session.run(tf.convert_to_tensor(cut)), whole)

    def test_values_of_a_checkpoint_are_initial_values(self):
        with tf.Session() as session:
            v = tf.get_variable("v", initializer=3.0)
            session.run(v.initializer)
            tf.train.Saver().save(session, self.prefix)
        with tf.Graph().as_default(), tf.Session() as session:
            for use_resource in (True, False):
                v = tf.get_variable(f"v{use_resource}", [], use_resource=use_resource)
                tf.train.init_from_checkpoint(self.prefix, {"v": v})
                w = tf.get_variable(f"w{use_resource}", initializer=v.initialized_value() + 1.0)
                session.run(w.initializer)  # v has no value yet
                self.assertEqual(session.run([v.initial_value, w]), [3, 4])

    def test_a_monitored_session_begins_with_values_of_a_checkpoint(self):
        rows = tf.get_variable("rows", [4, 3])
        tf.train.init_from_checkpoint(str(RECORDED / "parts"), {"rows": rows})
        with tf.train.MonitoredTrainingSession() as session:
            self.assertAllEqual(session.run(rows), np.arange(12).reshape(4, 3))

    def test_a_checkpoint_is_printed(self):
        from troupe.python.tools import inspect_checkpoint

        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            inspect_checkpoint.print_tensors_in_checkpoint_file(str(RECORDED / "parts"), "b", False)
            inspect_checkpoint.print_tensors_in_checkpoint_file(str(RECORDED / "parts"), "", False)
        self.assertEqual(
            printed.getvalue(),
            "tensor_name:  b\n7.0\n# Total number of params: 9033\n"
            "b (DT_FLOAT) []\ngrid (DT_INT64) [4,5]\nlong (DT_INT8) [9000]\n"
            "rows (DT_FLOAT) [4,3]\n\n# Total number of params: 9033\n",
        )

    def test_the_latest_checkpoint_joins_the_list_that_is_given(self):
        paths = ["/there/model-2"]
        tf.train.generate_checkpoint_state_proto("/there", "/there/model-3", paths)
        self.assertEqual(paths, ["/there/model-2", "/there/model-3"])


if __name__ == "__main__":
    unittest.main()
