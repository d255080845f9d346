"""Replicas of a program, which compute on several devices and have copies of variables."""

import os

import numpy as np

import troupe as tf

CPUS = tf.ConfigProto(device_count={"CPU": 2})
Aggregation = tf.VariableAggregation


def two_replicas():
    return tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def per_replica(strategy, *values):
    """A value of each replica."""
    values = tf.constant(values)
    return strategy.experimental_run_v2(
        lambda: values[tf.distribute.get_replica_context().replica_id_in_sync_group]
    )


class ReplicasTest(tf.test.TestCase):
    def run_all(self, fetches, setup=None):
        """The fetches, after the initializers and the steps of `setup`."""
        with tf.Session(config=CPUS) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            for step in setup or ():
                session.run(step)
            return session.run(fetches)

    def test_each_replica_is_on_its_device_and_returns_its_value(self):
        strategy = two_replicas()

        def replica(x):
            context = tf.distribute.get_replica_context()
            number = context.replica_id_in_sync_group
            self.assertEqual(context.devices, (f"/cpu:{number}",))
            return {"doubled": x * 2, "number": number, "same": "told"}

        result = strategy.experimental_run_v2(replica, (per_replica(strategy, 1.0, 5.0),))
        doubled = strategy.experimental_local_results(result["doubled"])
        self.assertEqual([each.device for each in doubled], ["/device:CPU:0", "/device:CPU:1"])
        self.assertRegex(doubled[1].op.name, "^replica_1")
        self.assertEqual(self.run_all(doubled), (2.0, 10.0))
        self.assertEqual(result["number"].values, (0, 1))
        self.assertEqual(result["same"], "told")

    def test_values_are_summed_or_averaged(self):
        strategy = two_replicas()
        one = per_replica(strategy, 1.0, 5.0)
        rows = per_replica(strategy, [1.0, 2.0], [3.0, 8.0])
        found = [
            strategy.reduce("sum", one),
            strategy.reduce(tf.distribute.ReduceOp.MEAN, one),
            strategy.reduce("sum", rows, axis=0),
            strategy.reduce("mean", rows, axis=0),
            strategy.reduce("mean", tf.constant(7.0)),
        ]
        self.assertEqual(self.run_all(found), [6.0, 3.0, 14.0, 3.5, 7.0])
        with self.assertRaisesRegex(ValueError, "the same in all replicas"):
            strategy.reduce("sum", tf.constant(7.0))

    def test_replicas_meet_to_reduce(self):
        strategy = two_replicas()

        def replica(x):
            context = tf.distribute.get_replica_context()
            total, doubled = context.all_reduce("sum", [x, 2 * x])
            return x / total, doubled

        parts, doubled = strategy.experimental_run_v2(replica, (per_replica(strategy, 1.0, 3.0),))
        self.assertEqual(self.run_all(parts.values), (0.25, 0.75))
        self.assertEqual(self.run_all(doubled.values), (8.0, 8.0))

    def test_replicas_that_do_not_meet_are_an_error(self):
        strategy = two_replicas()

        def replica():
            context = tf.distribute.get_replica_context()
            if context.replica_id_in_sync_group == 0:
                context.merge_call(lambda strategy: None)

        with self.assertRaisesRegex(RuntimeError, "some replicas have ended where others merge"):
            strategy.experimental_run_v2(replica)

    def test_an_error_of_a_replica_is_that_of_the_call(self):
        strategy = two_replicas()

        def replica():
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            if number == 1:
                raise KeyError("of replica 1")
            tf.distribute.get_replica_context().merge_call(lambda strategy: None)

        with self.assertRaisesRegex(KeyError, "of replica 1"):
            strategy.experimental_run_v2(replica)
        self.assertFalse(tf.distribute.has_strategy())

    def test_variables_have_a_copy_on_each_device(self):
        strategy = two_replicas()

        def replica():
            v = tf.get_variable("v", initializer=2.0)
            w = tf.Variable(tf.random_normal([3]), name="w")
            second = tf.Variable(1.0, name="w")
            dense = tf.layers.dense(tf.ones([1, 2]), 2)
            return v, w, second, dense, v.read_value()

        with strategy.scope():
            v, w, second, dense, read = strategy.experimental_run_v2(replica)
        self.assertEqual([each.name for each in v.values], ["v:0", "v/replica_1:0"])
        self.assertEqual([each.device for each in v.values], ["/device:CPU:0", "/device:CPU:1"])
        self.assertEqual([each.device for each in read.values], ["/device:CPU:0", "/device:CPU:1"])
        self.assertEqual(
            [each.name for each in tf.trainable_variables()],
            ["v:0", "w:0", "w_1:0", "dense/kernel:0", "dense/bias:0"],
        )
        copies, results = self.run_all([[each.value() for each in w.values], dense.values])
        self.assertAllEqual(*copies)
        self.assertAllEqual(*results)
        self.assertEqual(second.name, "w_1:0")

    def test_layers_that_replicas_make_share_their_variables(self):
        strategy = two_replicas()

        class Scale(tf.keras.layers.Layer):
            def build(self, input_shape):
                self.factor = tf.Variable(tf.random_normal([]), name=f"{self.name}/factor")

            def call(self, inputs):
                return inputs * self.factor

        def replica():
            return Scale()(tf.keras.layers.Dense(2)(tf.ones([1, 3])))

        results = strategy.experimental_run_v2(replica)
        names = [each.name for each in tf.trainable_variables()]
        self.assertEqual(names[:2], ["dense/kernel:0", "dense/bias:0"])
        self.assertLen(names, 3)
        self.assertAllEqual(*self.run_all(results.values))

    def test_a_replica_finds_its_own_losses(self):
        strategy = two_replicas()
        tf.losses.add_loss(tf.constant(100.0))

        def replica(x):
            tf.losses.add_loss(x)
            tf.distribute.get_replica_context().merge_call(lambda strategy: None)
            tf.losses.add_loss(10 * x)
            return tf.losses.get_total_loss()

        totals = strategy.experimental_run_v2(replica, (per_replica(strategy, 1.0, 2.0),))
        self.assertEqual(self.run_all(totals.values), (111.0, 122.0))
        self.assertLen(tf.losses.get_losses(), 5)

    def test_what_is_assigned_outside_of_replicas_goes_to_all_copies(self):
        strategy = two_replicas()
        with strategy.scope():
            v = tf.Variable([1.0, 2.0])
            rows = tf.Variable([[1.0], [2.0]])
        steps = [
            v.assign_add([1.0, 1.0]),
            tf.scatter_update(rows, [1], [[7.0]]),
        ]
        copies = [each.value() for each in (*v.values, *rows.values)]
        found = self.run_all(copies, steps)
        self.assertAllEqual(found[:2], [[2.0, 3.0]] * 2)
        self.assertAllEqual(found[2:], [[[1.0], [7.0]]] * 2)

    def test_what_replicas_assign_is_aggregated(self):
        expected = {
            Aggregation.SUM: 16.0,
            Aggregation.MEAN: 13.0,
            Aggregation.ONLY_FIRST_REPLICA: 11.0,
        }
        for aggregation, value in expected.items():
            with self.subTest(aggregation=aggregation), tf.Graph().as_default():
                strategy = two_replicas()
                with strategy.scope():
                    v = tf.Variable(10.0, aggregation=aggregation)
                given = per_replica(strategy, 1.0, 5.0)
                added = strategy.experimental_run_v2(v.assign_add, (given,))
                found = self.run_all(added.values)
                self.assertEqual(found, (value, value))

    def test_a_variable_that_does_not_say_how_is_not_assigned_to_by_replicas(self):
        strategy = two_replicas()
        with strategy.scope():
            v = tf.Variable(10.0)
        with self.assertRaisesRegex(ValueError, "give it an `aggregation`"):
            strategy.experimental_run_v2(lambda: v.assign_add(1.0))

    def test_variables_synchronized_on_reads_are_summed_there(self):
        strategy = two_replicas()
        with strategy.scope():
            total = tf.Variable(
                0.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=Aggregation.SUM,
            )
            read = total.read_value()
        self.assertEqual(tf.trainable_variables(), [])
        added = strategy.experimental_run_v2(
            lambda x: total.assign_add(x), (per_replica(strategy, 1.0, 5.0),)
        )
        self.assertEqual(self.run_all(read, [strategy.group(added)]), 6.0)
        self.assertEqual(
            self.run_all([each.value() for each in total.values], [total.assign(4.0)]), [2.0, 2.0]
        )

    def trained(self, optimizer, sparse=False):
        """The copies of a weight after steps of an optimizer, whose loss is that of all rows."""
        strategy = two_replicas()
        with strategy.scope():
            w = tf.get_variable("w", initializer=[[1.0], [2.0], [3.0]])
            data = tf.data.Dataset.from_tensor_slices(tf.range(3)).batch(3).repeat()
            iterator = strategy.make_dataset_iterator(data)

            def step(ids):
                chosen = tf.nn.embedding_lookup(w, ids)
                if not sparse:
                    chosen = tf.matmul(tf.one_hot(ids, 3), w)
                loss = tf.reduce_sum((chosen - 4.0) ** 2)
                pairs = [(tf.gradients(loss, w)[0], w)]
                return optimizer().apply_gradients(pairs)

            train = strategy.experimental_run(step, iterator)
        steps = [iterator.initializer] + 3 * [strategy.group(train)]
        return self.run_all([each.value() for each in w.values], steps)

    def test_optimizers_update_all_copies_by_the_sums_of_gradients(self):
        optimizers = {
            "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
            "adam": lambda: tf.train.AdamOptimizer(0.5),
            "keras": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
            "contrib": lambda: tf.contrib.optimizer_v2.MomentumOptimizer(0.1, 0.9),
        }
        momentum, velocity = np.array([[1.0], [2.0], [3.0]]), 0
        for _ in range(3):
            velocity = 0.9 * velocity + 2 * (momentum - 4)
            momentum = momentum - 0.1 * velocity
        # That of Adam is what it is for dense gradients.
        expected = dict.fromkeys(optimizers, momentum)
        expected["adam"] = None
        for name, optimizer in optimizers.items():
            for sparse in (False, True):
                with self.subTest(name, sparse=sparse), tf.Graph().as_default():
                    first, second = self.trained(optimizer, sparse)
                    self.assertAllEqual(first, second)
                    if expected[name] is None:
                        expected[name] = first
                    self.assertAllClose(first, expected[name])

    def test_checkpoints_have_one_value_and_restore_all_copies(self):
        strategy = two_replicas()
        with strategy.scope():
            v = tf.Variable([1.0, 2.0], name="v")
        saver = tf.train.Saver()
        path = os.path.join(self.get_temp_dir(), "model")
        with tf.Session(config=CPUS) as session:
            session.run(v.initializer)
            saver.save(session, path)
            self.assertEqual(tf.train.list_variables(path), [("v", [2])])
            session.run(v.assign([7.0, 7.0]))
            saver.restore(session, path)
            for each in v.values:
                self.assertAllEqual(session.run(each.value()), [1.0, 2.0])
            v.load([5.0, 6.0], session)
            for each in v.values:
                self.assertAllEqual(session.run(each.value()), [5.0, 6.0])
        exported = tf.train.export_meta_graph().collection_def["variables"]
        self.assertLen(exported.bytes_list.value, 1)

    def test_batches_are_divided_among_replicas(self):
        data = tf.data.Dataset.range(7).batch(5)
        for contrib in (False, True):
            module = tf.contrib.distribute if contrib else tf.distribute
            strategy = module.MirroredStrategy(["/cpu:0", "/cpu:1"])
            iterator = strategy.make_dataset_iterator(data)
            element = iterator.get_next()
            with tf.Session(config=CPUS) as session:
                session.run(iterator.initializer)
                first = session.run(element.values)
                if contrib:  # each takes a batch of its own
                    self.assertAllEqual(first[0], range(5))
                    self.assertAllEqual(first[1], [5, 6])
                    continue
                self.assertAllEqual(first[0], [0, 1])
                self.assertAllEqual(first[1], [2, 3, 4])
                second = session.run(element.values)
                self.assertAllEqual(second, [[5], [6]])

    def test_replicas_compute_on_the_tasks_of_a_cluster(self):
        workers, _ = tf.test.create_local_cluster(num_workers=2, num_ps=0)
        strategy = tf.distribute.MirroredStrategy(["/job:worker/task:0", "/job:worker/task:1"])
        with strategy.scope():
            v = tf.Variable(1.0, aggregation=Aggregation.SUM)
        added = strategy.experimental_run_v2(v.assign_add, (per_replica(strategy, 1.0, 5.0),))
        with tf.Session(workers[0].target) as session:
            session.run(v.initializer)
            self.assertEqual(session.run(added.values), (7.0, 7.0))
            self.assertEqual(session.run([each.value() for each in v.values]), [7.0, 7.0])


if __name__ == "__main__":
    tf.test.main()
