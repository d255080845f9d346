"""Programs whose replicas are synchronized, each with a graph and a session of its own."""

import concurrent.futures

import numpy as np

import troupe as tf

COUNT = 3


class Programs:
    """The servers of workers, and what runs a function as the program of each."""

    def __init__(self, count=COUNT):
        self.servers, _ = tf.test.create_local_cluster(num_workers=count, num_ps=0)
        self.cluster = tf.train.ClusterSpec(self.servers[0].server_def.cluster)

    def strategy(self, index):
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            self.cluster, task_type="worker", task_id=index
        )
        return tf.distribute.experimental.MultiWorkerMirroredStrategy(cluster_resolver=resolver)

    def run(self, program):
        """What program(strategy, target, index) returns for each worker, all at once."""

        def one(index):
            with tf.Graph().as_default():
                return program(self.strategy(index), self.servers[index].target, index)

        with concurrent.futures.ThreadPoolExecutor(len(self.servers)) as threads:
            running = [threads.submit(one, i) for i in range(len(self.servers))]
            concurrent.futures.wait(running)
            return running


def results(running):
    return [each.result() for each in running]


class WorkersTest(tf.test.TestCase):
    def test_values_of_all_programs_are_reduced(self):
        def program(strategy, target, index):
            self.assertEqual(strategy.num_replicas_in_sync, COUNT)
            values = tf.constant([index + 1.0, 10.0 * index])
            number = tf.constant(2**40 + index, tf.int64)

            def replica():
                context = tf.distribute.get_replica_context()
                self.assertEqual(context.replica_id_in_sync_group, index)
                return context.all_reduce("mean", [values, number])

            fetches = [
                strategy.reduce("sum", values),
                strategy.reduce("mean", values, axis=0),
                strategy.experimental_run_v2(replica),
            ]
            with tf.Session(target) as session:
                return [session.run(fetches) for _ in range(3)]

        for found in results(Programs().run(program)):
            for total, mean, (means, number) in found:
                self.assertAllEqual(total, [6.0, 30.0])
                self.assertAllClose(mean, 6.0)
                self.assertAllEqual(means, [2.0, 10.0])
                self.assertEqual(number, 2**40 + 1)

    def test_variables_begin_with_the_values_of_the_first_and_are_trained_alike(self):
        steps, rows = 4, np.arange(12, dtype=np.float32).reshape(6, 2) / 10

        def program(strategy, target, index):
            with strategy.scope():
                w = tf.get_variable("w", initializer=np.full([2, 1], 1.0 + index, np.float32))
                table = tf.get_variable("table", initializer=np.full([5, 1], 2.0, np.float32))
                data = tf.data.Dataset.from_tensor_slices(rows).batch(6).repeat()
                iterator = strategy.make_dataset_iterator(data)

                def step(x):
                    chosen = tf.nn.embedding_lookup(table, [index, 3])
                    loss = tf.reduce_sum(tf.matmul(x, w) ** 2) + tf.reduce_sum(chosen**2)
                    return tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)

                train = strategy.experimental_run(step, iterator)
            with tf.Session(target) as session:
                session.run([tf.global_variables_initializer(), iterator.initialize()])
                for _ in range(steps):
                    session.run(train)
                return session.run([w, table])

        w, velocity = np.ones([2, 1]), 0
        table, of_table = np.full([5, 1], 2.0), 0
        uses = np.array([[1], [1], [1], [COUNT], [0]])
        for _ in range(steps):
            velocity = 0.9 * velocity + 2 * rows.T @ (rows @ w)
            of_table = 0.9 * of_table + 2 * uses * table
            w, table = w - 0.01 * velocity, table - 0.01 * of_table
        found = results(Programs().run(program))
        for own_w, own_table in found:
            self.assertAllClose(own_w, w)
            self.assertAllClose(own_table, table)
            self.assertAllEqual(own_w, found[0][0])

    def test_an_input_function_is_told_which_program_it_is_of(self):
        def program(strategy, target, index):
            def input_fn(context):
                self.assertEqual(context.num_replicas_in_sync, COUNT)
                data = tf.data.Dataset.range(9)
                return data.shard(context.num_input_pipelines, context.input_pipeline_id).batch(2)

            iterator = strategy.make_input_fn_iterator(input_fn)
            element = iterator.get_next()
            with tf.Session(target) as session:
                session.run(iterator.initializer)
                return list(session.run(element))

        self.assertEqual(results(Programs().run(program)), [[0, 3], [1, 4], [2, 5]])

    def test_all_fail_where_one_has_ended(self):
        programs = Programs()

        def program(strategy, target, index):
            value = tf.placeholder_with_default(1.0, [])
            total = strategy.reduce("sum", value)
            with tf.Session(target) as session:
                self.assertEqual(session.run(total), COUNT)
                if index == 1:
                    programs.servers[1].stop(0)
                    return None
                return session.run(total)

        running = programs.run(program)
        for index in (0, 2):
            error = running[index].exception()
            self.assertIsInstance(error, (tf.errors.UnavailableError, tf.errors.AbortedError))
            self.assertIn("/job:worker/task:1", str(error))

    def test_programs_at_different_steps_are_told_so(self):
        def program(strategy, target, index):
            total = strategy.reduce("sum", tf.constant(1.0))
            nodes = tf.get_default_graph().get_operations()
            count = next(op for op in nodes if op.name.endswith("count")).outputs[0]
            again = tf.raw_ops.AssignVariableOp(resource=count, value=tf.constant(7, tf.int64))
            with tf.Session(target) as session:
                session.run(total)
                if index == 1:  # as one that has begun again
                    session.run(again)
                return session.run(total)

        running = Programs(2).run(program)
        for each in running:
            with self.assertRaisesRegex(tf.errors.OpError, "at different steps"):
                each.result()


if __name__ == "__main__":
    tf.test.main()
