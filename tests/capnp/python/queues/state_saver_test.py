"""Segments of sequences, between which the states of the sequences are kept."""

import unittest

import numpy as np

import troupe as tf

training = tf.contrib.training


class StateSaverTest(tf.test.TestCase):
    def saver(self, batch_size=1, unroll=2, capacity=None, small=False, **changed):
        options = {
            "input_length": tf.placeholder(tf.int32, [], "length"),
            "input_key": tf.placeholder(tf.string, [], "key"),
            "input_sequences": {"x": tf.placeholder(tf.float32, [None, 3], "x")},
            "input_context": {"label": tf.placeholder(tf.int64, [2], "label")},
            "initial_states": {"sum": tf.zeros([3])},
            "capacity": capacity,
            "allow_small_batch": small,
            **changed,
        }
        return training.SequenceQueueingStateSaver(batch_size, unroll, **options)

    def put(self, session, saver, key, rows, length):
        feeds = {"key:0": key, "x:0": rows, "length:0": length, "label:0": [length, 7]}
        session.run(saver.prefetch_op, feeds)

    def step(self, saver):
        """What a batch has, with the sums of its rows so far."""
        batch = saver.next_batch
        total = batch.state("sum") + tf.reduce_sum(batch.sequences["x"], 1)
        with tf.control_dependencies([batch.save_state("sum", total)]):
            names = ("key", "next_key", "length", "total_length", "sequence", "sequence_count")
            found = {name: tf.identity(getattr(batch, name)) for name in names}
            found.update(total=tf.identity(total), label=tf.identity(batch.context["label"]))
            found.update(x=tf.identity(batch.sequences["x"]), size=tf.identity(batch.batch_size))
        return found

    def test_segments_of_a_sequence_come_one_after_the_other_with_its_state(self):
        saver = self.saver()
        found = self.step(saver)
        self.assertEqual(found["x"].shape.as_list(), [1, 2, 3])
        rows = np.arange(12, dtype=np.float32).reshape(4, 3)
        with tf.Session() as session:
            self.put(session, saver, "a", rows, 3)
            first, second = session.run(found), session.run(found)
        self.assertEqual(
            [(each["key"][0], each["next_key"][0]) for each in (first, second)],
            [(b"00000_of_00002:a", b"00001_of_00002:a"), (b"00001_of_00002:a", b"STOP:a")],
        )
        self.assertAllEqual(first["x"], [rows[:2]])
        self.assertAllEqual(second["x"], [rows[2:]])
        self.assertAllEqual(first["total"], [rows[:2].sum(0)])
        self.assertAllEqual(second["total"], [rows.sum(0)])
        self.assertEqual([each["length"][0] for each in (first, second)], [2, 1])
        self.assertEqual([each["sequence"][0] for each in (first, second)], [0, 1])
        for each in (first, second):
            self.assertEqual((each["total_length"][0], each["sequence_count"][0]), (3, 2))
            self.assertAllEqual(each["label"], [[3, 7]])

    def test_a_batch_has_segments_of_several_sequences_and_the_last_ones_are_smaller(self):
        saver = self.saver(batch_size=2, small=True)
        found = self.step(saver)
        sizes, totals = [], {}
        with tf.Session() as session:
            for index, steps in enumerate((2, 4, 6)):
                rows = np.full([steps, 3], index + 1, np.float32)
                self.put(session, saver, str(index), rows, steps)
            session.run(saver.close())
            with self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    one = session.run(found)
                    sizes.append(one["size"])
                    totals.update(zip(one["key"], one["total"][:, 0]))
            with self.assertRaises(tf.errors.CancelledError):
                self.put(session, saver, "late", rows, 2)
        self.assertEqual(sum(sizes), 6)
        self.assertEqual(max(sizes), 2)
        lasts = [totals[f"0000{n}_of_0000{n + 1}:{n}".encode()] for n in range(3)]
        self.assertEqual(lasts, [2, 8, 18])

    def test_no_more_sequences_come_in_than_there_is_capacity_for(self):
        saver = self.saver(capacity=1)
        found = self.step(saver)
        rows = np.ones([4, 3], np.float32)
        options = tf.RunOptions(timeout_in_ms=300)
        with tf.Session() as session:
            self.put(session, saver, "a", rows, 4)
            session.run(found)
            feeds = {"key:0": "b", "x:0": rows, "length:0": 4, "label:0": [4, 7]}
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(saver.prefetch_op, feeds, options=options)
            session.run(found)
            self.put(session, saver, "c", rows, 4)
            self.assertEqual(session.run(found)["key"][0], b"00000_of_00002:c")

    def test_what_does_not_fit_is_refused(self):
        for changed, error, says in (
            ({"capacity": 1, "batch_size": 2}, ValueError, "capacity 1 needs to be >="),
            ({"initial_states": {}}, ValueError, "may not be empty"),
            ({"initial_states": []}, TypeError, "must be a dict"),
            ({"initial_states": {"a:b": 1.0}}, ValueError, "may not have a colon"),
            ({"input_sequences": {}}, ValueError, "at least one sequence"),
            ({"input_sequences": {3: [1]}}, TypeError, "key must be string"),
            ({"input_context": {"c": tf.placeholder(tf.int32, [None])}}, ValueError, "not fully"),
            ({"input_length": tf.constant(1, tf.int64)}, TypeError, "length dtype must be int32"),
        ):
            with self.assertRaisesRegex(error, says):
                self.saver(**changed)
        tf.reset_default_graph()
        saver = self.saver()
        with self.assertRaisesRegex(KeyError, "not declared"):
            saver.next_batch.save_state("other", [[1.0]])
        for wrong, says in (([1.0, 2.0, 3.0], "Rank"), ([[1.0, 2.0]], "Shape")):
            with self.assertRaisesRegex(ValueError, f"{says} check failed"):
                saver.next_batch.save_state("sum", wrong)
        unknown = saver.next_batch.save_state("sum", tf.placeholder(tf.float32, None, "value"))
        with tf.Session() as session:
            for wrong, says in (
                ([[[1.0, 2.0, 3.0]]], r"Rank .* should be: 2, shape received:\] \[1 1 3\]"),
                ([[1.0, 2.0]], r"Shape .* should be: \] \[1 3\] \[, shape received: \] \[1 2\]"),
            ):
                self.put(session, saver, str(len(wrong[0])), np.ones([2, 3], np.float32), 1)
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, says):
                    session.run(unknown, {"value:0": wrong})
            says = "multiple of: 2, but saw value: 3. Consider setting pad=True"
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, says):
                self.put(session, saver, "a", np.ones([3, 3], np.float32), 3)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Input length should"):
                self.put(session, saver, "a", np.ones([2, 3], np.float32), 3)


class SequenceBatchesTest(tf.test.TestCase):
    def batches(self, fetches):
        """What the steps fetch until the input ends."""
        found = []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                while True:
                    found.append(session.run(fetches))
            except tf.errors.OutOfRangeError:
                coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=30)
        return found

    def test_sequences_are_padded_to_whole_segments(self):
        counts = tf.constant([1, 2, 3, 4, 5])
        count = tf.train.slice_input_producer([counts], num_epochs=1, shuffle=False)[0]
        rows = tf.ones([count, 2]) * tf.to_float(count)
        batch = training.batch_sequences_with_states(
            tf.as_string(count), {"x": rows, "word": tf.fill([count], "w")}, {"count": count}, None,
            {"sum": tf.zeros([2])}, num_unroll=2, batch_size=2,
        )  # fmt: skip
        total = batch.state("sum") + tf.reduce_sum(batch.sequences["x"], 1)
        saved = batch.save_state("sum", total)
        fetches = (batch.key, total, batch.length, batch.sequences["word"], batch.context["count"])
        with tf.control_dependencies([saved]):
            fetches = [tf.identity(each) for each in fetches]
        found = self.batches(fetches)
        rows = [row for step in found for row in zip(*step)]
        self.assertEqual(len(rows), 1 + 1 + 2 + 2 + 3)
        last = {}
        for key, total, length, words, number in rows:
            sequence = int(key[:5])
            self.assertEqual(length, min(2, number - 2 * sequence))
            self.assertAllEqual(words, [b"w" if n < length else b"" for n in range(2)])
            last[number] = max(last.get(number, 0), total[0])
        self.assertEqual(last, {n: n * n for n in range(1, 6)})
        summaries = [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        self.assertTrue(any("ready_segment_batches" in each for each in summaries), summaries)

    def test_sparse_sequences_and_contexts_come_back_sparse(self):
        steps = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue() + 1
        places = tf.stack([tf.range(steps), tf.range(steps) % 2], 1)
        sparse = tf.SparseTensor(
            tf.to_int64(places), tf.range(steps) + 10, tf.to_int64(tf.stack([steps, 2]))
        )
        context = tf.SparseTensor([[1]], tf.expand_dims(steps, 0), [4])
        batch = training.batch_sequences_with_states(
            tf.as_string(steps), {"s": sparse}, {"c": context}, None, {"none": tf.zeros([])},
            num_unroll=2, batch_size=1, num_threads=1,
        )  # fmt: skip
        rows = tf.sparse_tensor_to_dense(batch.sequences["s"])
        label = tf.sparse_tensor_to_dense(batch.context["c"])
        with tf.control_dependencies([batch.save_state("none", batch.state("none"))]):
            fetches = [tf.identity(each) for each in (batch.key, rows, label)]
        found = self.batches(fetches)
        shown = {key[0].decode(): (row.tolist(), label.tolist()) for key, row, label in found}
        self.assertEqual(
            shown,
            {
                "00000_of_00001:1": ([[[10, 0], [0, 0]]], [[0, 1, 0, 0]]),
                "00000_of_00001:2": ([[[10, 0], [0, 11]]], [[0, 2, 0, 0]]),
                "00000_of_00002:3": ([[[10, 0], [0, 11]]], [[0, 3, 0, 0]]),
                "00001_of_00002:3": ([[[12, 0], [0, 0]]], [[0, 3, 0, 0]]),
            },
        )

    def test_a_network_keeps_its_state_over_segments(self):
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        cell = tf.nn.rnn_cell.GRUCell(3)
        series = tf.reshape(tf.to_float(tf.range(6)) + tf.to_float(number), [6, 1])
        batch = training.batch_sequences_with_states(
            "example", {"x": series}, {"series": series}, 6, {"state": tf.zeros([3])},
            num_unroll=2, batch_size=2, make_keys_unique=True,
        )  # fmt: skip
        steps = tf.unstack(batch.sequences["x"], axis=1)
        with tf.variable_scope("net"):
            _, state = tf.nn.static_state_saving_rnn(cell, steps, batch, "state")
        whole = batch.context["series"]
        with tf.variable_scope("net", reuse=True):
            _, expected = tf.nn.static_rnn(cell, tf.unstack(whole, axis=1), dtype=tf.float32)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            tf.train.start_queue_runners(session, coordinator)
            for step in range(3):
                found, wanted, sequence = session.run([state, expected, batch.sequence])
                self.assertAllEqual(sequence, [step, step])
            self.assertAllClose(found, wanted)
            coordinator.request_stop()


if __name__ == "__main__":
    unittest.main()
