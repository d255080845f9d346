"""Pulls numbers from a queue and counts each until the queue is closed: train_on_lines.py TARGET N

The counts are in a variable of N numbers, which another program initializes.
"""

import sys

import troupe as tf

target, count = sys.argv[1], int(sys.argv[2])
with tf.device("/job:ps/task:0"):
    lines = tf.FIFOQueue(5, tf.string, shapes=(), shared_name="lines")
    seen = tf.get_variable("seen", [count], tf.int32, tf.zeros_initializer())
    number = tf.string_to_number(lines.dequeue(), tf.int32)
    train = tf.scatter_add(seen, [number], [1])
with tf.Session(target) as session:
    print("trains", flush=True)
    try:
        while True:
            session.run(train.op)
    except tf.errors.OutOfRangeError:
        print("done")
