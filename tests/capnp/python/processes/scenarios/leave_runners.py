"""Leaves runners that read the lines of a file, PATH, into a queue at TARGET, and ends."""

import sys

import troupe as tf

target, path = sys.argv[1:]

with tf.device("/job:ps/task:0"):
    names = tf.train.string_input_producer([path], num_epochs=1, shared_name="names")
    lines = tf.FIFOQueue(5, tf.string, shapes=(), shared_name="lines")
_, line = tf.TextLineReader().read(names)
reading = tf.train.QueueRunner(lines, [lines.enqueue(line)])
(naming,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)

with tf.Session(target) as session:
    session.run(tf.local_variables_initializer())
    naming.leave_on_cluster(session, "naming")
    reading.leave_on_cluster(session, "reading")
