"""Elements that go through queues and datasets."""

import os
import shutil
import tempfile

from program import check_equal, microseconds, task
from samples import times_of

MANY = 1000
RECORDS = 20000
BATCH = 100


def _queue(tf):
    return tf.FIFOQueue(10 * MANY, tf.float32, shapes=[()])


def remote(side, seconds):
    """Microseconds of an enqueue and a dequeue, two steps, of a queue on another task."""
    tf = side.tf
    with tf.device(task("ps")):
        queue = _queue(tf)
        put, take = queue.enqueue([1.0]), queue.dequeue()
    with side.Cluster(ps=1, worker=1) as cluster, tf.Session(cluster.target("worker")) as session:
        session.run(put)
        check_equal([session.run(take)], [1])

        def both():
            session.run(put)
            session.run(take)

        return microseconds(times_of(both, seconds))


def remote_many(side, seconds):
    """Elements a second that are enqueued on another task and dequeued again, by 1,000."""
    tf = side.tf
    with tf.device(task("worker")):
        values = tf.ones([MANY])
    with tf.device(task("ps")):
        queue = _queue(tf)
        put, take = queue.enqueue_many([values]), queue.dequeue_many(MANY)
    with side.Cluster(ps=1, worker=1) as cluster, tf.Session(cluster.target("worker")) as session:

        def both():
            session.run(put)
            session.run(take)

        return [MANY / time_s for time_s in times_of(both, seconds)]


def local(side, seconds):
    """Elements a second through a queue in the client's process, one by one, 100 nodes a step."""
    tf = side.tf
    count = 100
    queue = _queue(tf)
    puts = tf.group(*[queue.enqueue([1.0]) for _ in range(count)])
    takes = tf.group(*[queue.dequeue().op for _ in range(count)])
    with tf.Session() as session:
        put, take = session.make_callable(puts), session.make_callable(takes)

        def both():
            put()
            take()

        return [count / time_s for time_s in times_of(both, seconds)]


def dataset(side, seconds):
    """Records a second of a file, parsed by a map and batched."""
    tf = side.tf
    folder = tempfile.mkdtemp()
    try:
        path = os.path.join(folder, "records")
        with tf.python_io.TFRecordWriter(path) as writer:
            for number in range(RECORDS):
                writer.write(b"%d" % number)
        records = tf.data.TFRecordDataset(path).repeat()
        numbers = records.map(lambda record: tf.strings.to_number(record, tf.int32) * 2)
        batch = numbers.batch(BATCH).make_one_shot_iterator().get_next()
        with tf.Session() as session:
            check_equal(session.run(batch)[:3], [0, 2, 4])
            step = session.make_callable(batch)
            return [BATCH / time_s for time_s in times_of(step, seconds)]
    finally:
        shutil.rmtree(folder)
