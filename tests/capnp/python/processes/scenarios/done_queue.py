"""Parameter servers that end when all workers are done: done_queue.py CLUSTER JOB TASK"""

import json
import sys

import troupe as tf

cluster, job, task = tf.train.ClusterSpec(json.loads(sys.argv[1])), sys.argv[2], int(sys.argv[3])
server = tf.train.Server(cluster, job_name=job, task_index=task)
workers = cluster.num_tasks("worker")


def done_queue(number):
    """The queue of a parameter server, into which each worker puts its number."""
    with tf.device(f"/job:ps/task:{number}"):
        return tf.FIFOQueue(workers, tf.int32, shapes=(), shared_name=f"done_queue{number}")


if job == "ps":
    take = done_queue(task).dequeue()
    with tf.Session(server.target) as session:
        print("done:", *sorted(int(session.run(take)) for _ in range(workers)))
    server.stop()
    raise SystemExit

with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    weight = tf.get_variable("weight", initializer=0.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(weight - 3.0))
done = [done_queue(number).enqueue(task) for number in range(cluster.num_tasks("ps"))]
with tf.train.MonitoredTrainingSession(server.target, is_chief=task == 0) as session:
    for _ in range(20):
        session.run(train)
    print("weight", session.run(weight))
with tf.Session(server.target) as session:
    for operation in done:
        try:
            session.run(operation)
        except tf.errors.UnavailableError:
            pass  # it was the last one, and the server has ended before its answer
