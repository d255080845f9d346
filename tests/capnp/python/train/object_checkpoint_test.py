"""`tf.train.Checkpoint`: values that are saved and restored by the attributes that lead to them."""

import os
import tempfile
import unittest

import numpy as np
import troupe as tf


class ObjectCheckpointTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name="ckpt"):
        return os.path.join(self.folder, name)

    def save_model(self):
        """A model that has made a step; returns the name of its checkpoint and its values."""
        with tf.Graph().as_default(), tf.Session() as session:
            layer = tf.layers.Dense(3, name="some_name")
            loss = tf.reduce_sum(layer(tf.ones([2, 2])))
            optimizer = tf.train.AdamOptimizer(0.1)
            train = optimizer.minimize(loss)
            checkpoint = tf.train.Checkpoint(model=layer, optimizer=optimizer)
            session.run(tf.global_variables_initializer())
            session.run(train)
            path = checkpoint.save(self.path())
            slot = optimizer.get_slot(layer.kernel, "m")
            return path, session.run([layer.kernel, slot, *optimizer._get_beta_accumulators()])

    def test_a_checkpoint_names_values_by_attributes(self):
        path, _ = self.save_model()
        self.assertEqual(path, self.path("ckpt-1"))
        self.assertEqual(tf.train.latest_checkpoint(self.folder), path)
        names = {name for name, _ in tf.train.list_variables(path)}
        kernel = "model/kernel/.ATTRIBUTES/VARIABLE_VALUE"
        slot = "model/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE"
        power = "optimizer/beta1_power/.ATTRIBUTES/VARIABLE_VALUE"
        counter = "save_counter/.ATTRIBUTES/VARIABLE_VALUE"
        self.assertLessEqual({kernel, slot, power, counter}, names)
        graph = tf.contrib.checkpoint.object_metadata(path)
        self.assertEqual(
            [child.local_name for child in graph.nodes[0].children],
            ["model", "optimizer", "save_counter"],
        )
        attributes = [a.full_name for node in graph.nodes for a in node.attributes]
        self.assertIn("some_name/kernel", attributes)

    def test_another_graph_restores_the_values_under_other_names(self):
        path, saved = self.save_model()
        with tf.Session() as session:
            tf.Variable(0.0, name="in_the_way")
            layer = tf.layers.Dense(3, name="another_name")
            optimizer = tf.train.AdamOptimizer(0.1, name="Other")
            checkpoint = tf.train.Checkpoint(model=layer, optimizer=optimizer)
            status = checkpoint.restore(path)
            with self.assertRaisesRegex(AssertionError, r"\(root\).model"):
                status.assert_consumed()
            status.assert_existing_objects_matched()
            # What is made after it is found, too.
            optimizer.minimize(tf.reduce_sum(layer(tf.ones([2, 2]))))
            status.assert_consumed().run_restore_ops()
            slot = optimizer.get_slot(layer.kernel, "m")
            found = session.run([layer.kernel, slot, *optimizer._get_beta_accumulators()])
            for expected, value in zip(saved, found):
                np.testing.assert_array_equal(expected, value)
            self.assertEqual(session.run(checkpoint.save_counter), 1)
            self.assertEqual(checkpoint.save(self.path()), self.path("ckpt-2"))

    def test_what_a_checkpoint_lacks_is_initialized(self):
        path, saved = self.save_model()
        layer = tf.layers.Dense(3)
        layer(tf.ones([2, 2]))
        checkpoint = tf.train.Checkpoint(model=layer)
        checkpoint.extra = tf.Variable(5.0)
        status = checkpoint.restore(path)
        with self.assertRaisesRegex(AssertionError, "not bound to checkpointed values"):
            status.assert_existing_objects_matched()
        status.assert_nontrivial_match()
        with tf.Session() as session:
            status.initialize_or_restore(session)
            np.testing.assert_array_equal(session.run(layer.kernel), saved[0])
            self.assertEqual(session.run(checkpoint.extra), 5.0)

    def test_without_a_checkpoint_variables_are_initialized(self):
        v = tf.Variable(3.0)
        checkpoint = tf.train.Checkpoint(v=v)
        status = checkpoint.restore(tf.train.latest_checkpoint(self.folder))
        for check in (status.assert_consumed, status.run_restore_ops):
            with self.assertRaises(AssertionError):
                check()
        with self.assertRaises(RuntimeError):
            status.initialize_or_restore()
        with tf.Session() as session:
            status.initialize_or_restore()
            self.assertEqual(session.run([v, checkpoint.save_counter]), [3.0, 0])
            path = checkpoint.save(self.path())
            checkpoint.restore(path).initialize_or_restore()
            # Later restorations stay.
            status.initialize_or_restore()
            self.assertEqual(session.run(checkpoint.save_counter), 1)

    def test_values_that_no_object_takes_are_told(self):
        v = tf.Variable(1.0, name="v")
        with tf.Session() as session:
            session.run(v.initializer)
            path = tf.train.Checkpoint(inner=v).save(self.path())
        status = tf.train.Checkpoint(inner=tf.contrib.checkpoint.List()).restore(path)
        status.assert_existing_objects_matched()
        with self.assertRaisesRegex(AssertionError, "Unused attributes[^$]*inner.*VARIABLE_VALUE"):
            status.assert_consumed()

    def test_lists_dicts_and_objects_of_the_program_are_saved(self):
        class Model(tf.contrib.checkpoint.Checkpointable):
            def __init__(self, start):
                self.parts = [tf.Variable(start), {"a.b/c": tf.Variable(start + 1)}]
                self.left_out = tf.contrib.checkpoint.NoDependency(tf.Variable(0.0))
                self.same = self.parts[0]
                self.number = 7

        with tf.Session() as session:
            model = Model(1.0)
            checkpoint = tf.train.Checkpoint(model=model)
            session.run(tf.global_variables_initializer())
            path = checkpoint.save(self.path())
        names = {name for name, _ in tf.train.list_variables(path)}
        end = "/.ATTRIBUTES/VARIABLE_VALUE"
        expected = {f"model/same{end}", f"model/parts/1/a..b.Sc{end}", f"save_counter{end}"}
        self.assertEqual(names, {"_CHECKPOINTABLE_OBJECT_GRAPH", *expected})
        self.assertIsInstance(model.left_out, tf.Variable)
        with tf.Graph().as_default(), tf.Session() as session:
            model = Model(8.0)
            tf.train.Checkpoint(model=model).restore(path).assert_consumed().run_restore_ops()
            self.assertEqual(session.run([model.same, model.parts[1]["a.b/c"]]), [1.0, 2.0])

    def test_what_cannot_be_saved_is_refused(self):
        with self.assertRaisesRegex(ValueError, "expecting a trackable object"):
            tf.train.Checkpoint(v=tf.constant(1.0))
        with self.assertRaises(ValueError):
            tf.contrib.checkpoint.List([tf.constant(1.0)])
        with self.assertRaises(tf.errors.NotFoundError):
            tf.train.Checkpoint().restore(self.path("missing"))

    def test_values_of_a_name_based_checkpoint_are_restored(self):
        v = tf.Variable(4.0, name="v")
        checkpoint = tf.train.Checkpoint(any_name=v)
        self.assertEqual(checkpoint.save_counter.name, "save_counter:0")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(session, self.path())
            session.run(v.assign(0.0))
            status = checkpoint.restore(path)
            with self.assertRaises(AssertionError):
                status.assert_consumed()
            status.initialize_or_restore()
            status.assert_consumed()
            self.assertEqual(session.run(v), 4.0)
        with self.assertRaises(ValueError):
            tf.contrib.checkpoint.object_metadata(path)

    def test_nodes_are_added_once(self):
        v = tf.Variable(4.0, name="v")
        checkpoint = tf.train.Checkpoint(v=v)
        with tf.Session() as session:
            session.run(v.initializer)
            path = checkpoint.save(self.path())
            checkpoint.restore(path).run_restore_ops()
            tf.get_default_graph().finalize()
            session.run(v.initializer)
            path = checkpoint.save(self.path())
            checkpoint.restore(path).assert_consumed().run_restore_ops()
            self.assertEqual(session.run(v), 4.0)

    def test_a_manager_keeps_the_latest_checkpoints(self):
        v = tf.Variable(1.0)
        checkpoint = tf.train.Checkpoint(v=v)
        with self.assertRaises(ValueError):
            tf.train.CheckpointManager(checkpoint, self.folder, max_to_keep=0)
        manager = tf.train.CheckpointManager(checkpoint, self.folder, max_to_keep=2)
        self.assertIsNone(manager.latest_checkpoint)
        with tf.Session() as session:
            session.run(v.initializer)
            paths = [manager.save() for _ in range(3)]
            self.assertEqual(manager.checkpoints, paths[1:])
            self.assertEqual(paths[2], self.path("ckpt-3"))
            self.assertFalse(tf.train.checkpoint_exists(paths[0]))
            again = tf.train.CheckpointManager(checkpoint, self.folder, max_to_keep=2)
            self.assertEqual(again.checkpoints, paths[1:])
            self.assertEqual(again.latest_checkpoint, paths[2])
            self.assertEqual(again.save(checkpoint_number=30), self.path("ckpt-30"))
            self.assertEqual(tf.train.latest_checkpoint(self.folder), self.path("ckpt-30"))
            self.assertFalse(tf.train.checkpoint_exists(paths[1]))

    def test_a_manager_keeps_one_checkpoint_in_some_hours_for_good(self):
        v = tf.Variable(1.0)
        checkpoint = tf.train.Checkpoint(v=v)
        manager = tf.train.CheckpointManager(
            checkpoint, self.folder, 1, keep_checkpoint_every_n_hours=1e-9
        )
        with tf.Session() as session:
            session.run(v.initializer)
            first, second = manager.save(), manager.save()
        self.assertTrue(tf.train.checkpoint_exists(first))
        self.assertEqual(manager.checkpoints, [second])

    def test_a_damaged_list_of_objects_is_an_error(self):
        graph = tf.contrib.checkpoint.CheckpointableObjectGraph()
        graph.nodes.add().children.add(node_id=7, local_name="v")
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        for damaged in (graph.SerializeToString(), b"\xff\xff", b"", [b"a", b"b"]):
            held = tf.Variable(np.array(damaged, dtype=object))
            with tf.Session() as session:
                session.run(held.initializer)
                saver = tf.train.Saver({"_CHECKPOINTABLE_OBJECT_GRAPH": held})
                path = saver.save(session, self.path())
            with self.assertRaisesRegex(tf.errors.DataLossError, "damaged"):
                checkpoint.restore(path)

    def iterator_and_tables(self):
        numbers = tf.data.Dataset.range(10, 15).shuffle(5, seed=3)
        tables = [
            tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, checkpoint=False),
            tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "", "-"),
        ]
        iterator = numbers.make_initializable_iterator()
        checkpoint = tf.train.Checkpoint(state=tf.contrib.checkpoint.Mapping(it=iterator))
        checkpoint.tables = tables
        return iterator, tables, checkpoint

    def test_iterators_go_on_and_tables_have_their_entries_again(self):
        keys = tf.constant(["a", "b"])
        iterator, tables, checkpoint = self.iterator_and_tables()
        following = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            session.run([table.insert(keys, [1, 2]) for table in tables])
            given = [session.run(following) for _ in range(2)]
            path = checkpoint.save(self.path(), session)
            nodes = len(session.graph.get_operations())
            given += [session.run(following) for _ in range(3)]
            checkpoint.save(self.path(), session)
            self.assertEqual(len(session.graph.get_operations()), nodes)
        self.assertEqual(sorted(given), [10, 11, 12, 13, 14])
        names = {name for name, _ in tf.train.list_variables(path)}
        entries = "tables/0/.ATTRIBUTES/table"
        self.assertLessEqual({f"{entries}-keys", f"{entries}-values"}, names)
        self.assertIn("state/it/.ATTRIBUTES/ITERATOR_STATE", names)

        with tf.Graph().as_default(), tf.Session() as session:
            iterator, tables, checkpoint = self.iterator_and_tables()
            following = iterator.get_next()
            found = [table.lookup(tf.constant(["b", "c"])) for table in tables]
            checkpoint.restore(path).assert_consumed().run_restore_ops(session)
            session.run(iterator.initializer)
            self.assertEqual([session.run(following) for _ in range(3)], given[2:])
            for values in session.run(found):
                self.assertEqual(values.tolist(), [2, -1])


if __name__ == "__main__":
    unittest.main()
