"""Savers with builders of a program's own, with objects, of messages, and of format V1."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe.python.training.saver import BaseSaverBuilder, BulkSaverBuilder

V1 = tf.train.SaverDef.V1


class SaverCase(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.prefix = os.path.join(folder.name, "model")

    def files(self):
        return sorted(os.listdir(self.folder))

    def check_equal(self, values, wanted):
        for value, each in zip(values, wanted):
            self.assertAllEqual(value, each)

    def check_saved_and_restored(self, saver, variables, others):
        """Each variable gets back the value that was saved in place of the other."""
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(variables)
            path = saver.save(session, self.prefix, write_meta_graph=False)
            session.run([tf.assign(v, other) for v, other in zip(variables, others)])
            self.check_equal(session.run(variables), others)
            saver.restore(session, path)
            self.check_equal(session.run(variables), before)
        return path


class SaverBuilderTest(SaverCase):
    def test_a_builder_of_the_program_adds_the_nodes(self):
        class Renamed(BaseSaverBuilder):
            """Saves halves, under other names."""

            def save_op(self, filename_tensor, saveables):
                specs = [spec for saveable in saveables for spec in saveable.specs]
                return tf.raw_ops.SaveV2(
                    prefix=filename_tensor,
                    tensor_names=["half/" + spec.name for spec in specs],
                    shape_and_slices=[spec.slice_spec for spec in specs],
                    tensors=[spec.tensor / 2 for spec in specs],
                )

            def restore_op(self, filename_tensor, saveable, preferred_shard):
                (spec,) = saveable.specs
                (half,) = tf.raw_ops.RestoreV2(
                    prefix=filename_tensor,
                    tensor_names=["half/" + spec.name],
                    shape_and_slices=[spec.slice_spec],
                    dtypes=[spec.dtype],
                )
                return [half * 2]

        v, w = tf.get_variable("v", initializer=3.0), tf.get_variable("w", initializer=[1.0, 5.0])
        saver = tf.train.Saver(builder=Renamed())
        path = self.check_saved_and_restored(saver, [v, w], [0.0, [0.0, 0.0]])
        found = {name: tf.train.load_variable(path, name).tolist() for name, _ in
                 tf.train.list_variables(path)}  # fmt: skip
        self.assertEqual(found, {"half/v": 1.5, "half/w": [0.5, 2.5]})

    def test_the_bulk_builder_restores_all_variables_by_one_node(self):
        variables = [tf.get_variable(f"v{i}", initializer=float(i)) for i in range(5)]
        partitioned = tf.get_variable(
            "p", [4, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer()
        )
        saver = tf.train.Saver(builder=BulkSaverBuilder())
        graph = tf.get_default_graph()
        counts = [op.type for op in graph.get_operations()]
        self.assertEqual((counts.count("RestoreV2"), counts.count("SaveV2")), (1, 1))
        parts = list(partitioned)
        self.check_saved_and_restored(
            saver, variables + parts, [9.0] * 5 + [np.zeros([2, 2], np.float32)] * 2
        )
        shapes = dict(tf.train.list_variables(self.prefix))
        self.assertEqual((shapes["p"], len(shapes)), ([4, 2], 6))

    def test_variables_of_references_are_saved_and_restored(self):
        for builder in (BaseSaverBuilder(), BaseSaverBuilder(V1)):
            with tf.Graph().as_default():
                w = tf.Variable([1.0, 2.0], use_resource=False, name="w")
                saver = tf.train.Saver(builder=builder, restore_sequentially=True)
                self.check_saved_and_restored(saver, [w], [[7.0, 7.0]])

    def test_an_object_of_the_program_is_saved_and_restored(self):
        class Squares(BaseSaverBuilder.SaveableObject):
            """A variable whose square is saved."""

            def __init__(self, variable):
                spec = BaseSaverBuilder.SaveSpec(tf.square(variable), "", "squares")
                super().__init__(variable, [spec], "squares")

            def restore(self, restored_tensors, restored_shapes):
                return tf.assign(self.op, tf.sqrt(restored_tensors[0])).op

        v = tf.get_variable("v", initializer=3.0)
        other = tf.get_variable("other", initializer=1.0)
        path = self.check_saved_and_restored(
            tf.train.Saver([Squares(v), other]), [v, other], [0.0, 0.0]
        )
        self.assertEqual(tf.train.load_variable(path, "squares"), 9.0)
        with self.assertRaisesRegex(ValueError, "same name"):
            tf.train.Saver({"squares": other, "more": Squares(v)})

    def test_a_value_of_another_shape_is_refused_or_reshaped(self):
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", initializer=[1.0, 2.0, 3.0, 4.0])
            session.run(w.initializer)
            tf.train.Saver().save(session, self.prefix)
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", [2, 2])
            tf.train.Saver(reshape=True, builder=BulkSaverBuilder()).restore(session, self.prefix)
            self.assertAllEqual(session.run(w), [[1, 2], [3, 4]])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Restoring from check"):
                tf.train.Saver(builder=BulkSaverBuilder()).restore(session, self.prefix)

    def test_a_saver_of_a_message_is_the_same_saver(self):
        w = tf.get_variable("w", initializer=1.0)
        saver = tf.train.Saver(max_to_keep=2)
        message = tf.train.SaverDef.FromString(saver.as_saver_def().SerializeToString())
        again = tf.train.Saver(saver_def=message)
        self.assertEqual(again.as_saver_def(), saver.as_saver_def())
        self.assertEqual(tf.train.Saver.from_proto(saver.to_proto()).to_proto(), saver.to_proto())
        with tf.Session() as session:
            session.run(w.initializer)
            for step in range(4):
                again.save(session, self.prefix, step)
            session.run(tf.assign(w, 5.0))
            saver.restore(session, again.last_checkpoints[-1])
            self.assertEqual(session.run(w), 1.0)
        self.assertEqual([path[-2:] for path in again.last_checkpoints], ["-2", "-3"])
        exported = again.export_meta_graph()
        self.assertEqual(exported.saver_def, message)

    def test_formats_that_do_not_exist_are_refused(self):
        tf.get_variable("w", initializer=1.0)
        for version in (tf.train.SaverDef.LEGACY, 7):
            with self.assertRaisesRegex(ValueError, "Unexpected write_version"):
                tf.train.Saver(write_version=version)


class TablesTest(SaverCase):
    def tables(self):
        """Two tables of one name, and one in buckets."""
        words = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name="words")
        pairs = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0], name="words")
        dense = tf.lookup.experimental.DenseHashTable(
            tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, initial_num_buckets=8
        )
        return words, pairs, dense

    def test_tables_are_saved_and_restored_with_the_variables(self):
        words, pairs, dense = self.tables()
        w = tf.get_variable("w", initializer=1.0)
        one, two = tf.constant(1, tf.int64), tf.constant(2, tf.int64)
        first = [
            words.insert(["a", "b"], [one, two]),
            pairs.insert([one], [[3.0, 4.0]]),
            dense.insert([[one, two]], [[two, one]]),
        ]
        other = [
            words.insert(["a", "c"], [two, two]),
            pairs.remove(tf.constant([1], tf.int64)),
            dense.insert([5], [5]),
        ]
        found = [
            words.lookup(tf.constant(["a", "b", "c"])),
            pairs.lookup([one]),
            dense.lookup(tf.constant([1, 2, 5], tf.int64)),
        ]
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run([w.initializer, first])
            path = saver.save(session, self.prefix)
            before = session.run(found)
            session.run(other)
            self.assertAllEqual(session.run(found[0]), [2, 2, 2])
            saver.restore(session, path)
            self.check_equal(session.run(found), before)
        self.check_equal(before, [[1, 2, -1], [[3, 4]], [2, 1, -1]])
        names = [name for name, _ in tf.train.list_variables(path)]
        tables = ["MutableDenseHashTable", "words", "words_1"]
        kinds = [f"{table}-{kind}" for table in tables for kind in ("keys", "values")]
        self.assertEqual(names, sorted([*kinds, "w"]))

    def test_a_table_that_is_not_to_be_saved_is_not(self):
        tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, checkpoint=False)
        w = tf.get_variable("w", initializer=1.0)
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(w.initializer)
            path = saver.save(session, self.prefix)
        self.assertEqual([name for name, _ in tf.train.list_variables(path)], ["w"])

    def test_a_monitored_session_restores_tables(self):
        for seen in (0, 1):
            with tf.Graph().as_default():
                step = tf.train.get_or_create_global_step()
                table = self.tables()[0]
                insert = table.insert(["new"], [tf.constant(7, tf.int64)])
                train, size = tf.group(tf.assign_add(step, 1), insert), table.size()
                with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=self.folder, save_summaries_steps=0
                ) as session:
                    self.assertEqual(session.run(size), seen)
                    session.run(train)


class MonitoredTest(SaverCase):
    def train(self, **options):
        """Two steps more; the values that the training began with, and the calls of a hook."""
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            w = tf.get_variable("w", initializer=10.0)
            count = tf.group(tf.assign_add(step, 1), tf.assign_add(w, 1.0))
            scaffold = tf.train.Scaffold(saver=tf.train.Saver(**options))
            hook = tf.train.CheckpointSaverHook(self.folder, save_steps=2, scaffold=scaffold)
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=self.folder, scaffold=scaffold, chief_only_hooks=[hook],
                save_checkpoint_secs=0, save_summaries_steps=0,
            ) as session:  # fmt: skip
                before = session.run([step, w])
                session.run(count)
                session.run(count)
                return before

    def test_a_monitored_session_saves_and_restores_by_a_builder(self):
        for number in range(3):
            self.assertAllClose(
                self.train(builder=BulkSaverBuilder()), [2 * number, 10 + 2 * number]
            )
        self.assertEqual(tf.train.latest_checkpoint(self.folder)[-2:], "-6")

    def test_a_monitored_session_saves_and_restores_by_an_imported_saver(self):
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            w = tf.get_variable("w", initializer=10.0)
            tf.group(tf.assign_add(step, 1), tf.assign_add(w, 1.0), name="count")
            saver = tf.train.Saver()
            with tf.Session() as session:
                session.run([step.initializer, w.initializer])
                saver.save(session, self.prefix)
        for number in range(3):
            with tf.Graph().as_default():
                imported = tf.train.import_meta_graph(self.prefix + ".meta")
                scaffold = tf.train.Scaffold(saver=imported)
                with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=self.folder, scaffold=scaffold, save_summaries_steps=0
                ) as session:
                    self.assertEqual(session.run("w:0"), 10 + 2 * number)
                    session.run("count")
                    session.run("count")

    def test_a_monitored_session_saves_and_restores_checkpoints_of_v1(self):
        self.assertAllClose(self.train(write_version=V1), [0, 10])
        self.assertAllClose(self.train(write_version=V1), [2, 12])
        self.assertIn("model.ckpt-4", self.files())


class V1Test(SaverCase):
    def variables(self):
        partitioned = tf.get_variable(
            "p", initializer=tf.reshape(tf.range(8.0), [4, 2]),
            partitioner=tf.fixed_size_partitioner(2),
        )  # fmt: skip
        texts = tf.get_variable("texts", initializer=["a", "bc"])
        step = tf.train.get_or_create_global_step()
        return [*partitioned, texts, step], [np.zeros([2, 2])] * 2 + [[b"", b""], 7]

    def test_a_checkpoint_of_v1_is_one_file(self):
        variables, others = self.variables()
        saver = tf.train.Saver(write_version=V1)
        path = self.check_saved_and_restored(saver, variables, others)
        self.assertEqual((path, self.files()), (self.prefix, ["checkpoint", "model"]))
        self.assertEqual(
            tf.train.list_variables(self.folder),
            [("global_step", []), ("p", [4, 2]), ("texts", [2])],
        )
        self.assertAllEqual(tf.train.load_variable(path, "p"), np.arange(8.0).reshape(4, 2))
        self.assertEqual(saver.as_saver_def().version, V1)

    def test_shards_of_v1_have_a_pattern_for_a_name(self):
        with tf.device("/job:localhost/task:0"):
            variables, others = self.variables()
        with tf.device("/device:CPU:0"):
            variables.append(tf.get_variable("more", initializer=4.0))
        saver = tf.train.Saver(write_version=V1, sharded=True, max_to_keep=1)
        path = self.check_saved_and_restored(saver, variables, [*others, 0.0])
        self.assertTrue(path.endswith("model-?????-of-00002"))
        files = [f"model-0000{shard}-of-00002" for shard in range(2)]
        self.assertEqual(self.files(), ["checkpoint", *files])
        self.assertEqual(tf.train.latest_checkpoint(self.folder), path)
        self.assertEqual(len(tf.train.list_variables(path)), 4)
        tf.train.remove_checkpoint(path, V1)
        self.assertEqual(self.files(), ["checkpoint"])

    def test_a_saver_of_v2_restores_checkpoints_of_v1(self):
        variables, others = self.variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run(variables)
            path = tf.train.Saver(write_version=V1).save(session, self.prefix)
            session.run([tf.assign(v, other) for v, other in zip(variables, others)])
            tf.train.Saver().restore(session, path)
            self.check_equal(session.run(variables), before)

    def test_old_checkpoints_of_v1_are_removed(self):
        w = tf.get_variable("w", initializer=1.0)
        saver = tf.train.Saver(write_version=V1, max_to_keep=2)
        with tf.Session() as session:
            session.run(w.initializer)
            for step in range(4):
                saver.save(session, self.prefix, step, write_meta_graph=False)
        self.assertEqual(self.files(), ["checkpoint", "model-2", "model-3"])


if __name__ == "__main__":
    unittest.main()
