"""Pushes the lines of a file into a queue: load_lines.py TARGET FILE

The reader and the queues are the cluster's, so the program goes on where one before was killed. It
prints a line when it begins, and ends with the file.
"""

import sys

import troupe as tf

target, path = sys.argv[1:]
with tf.device("/job:ps/task:0"):
    files = tf.FIFOQueue(1, tf.string, shapes=(), shared_name="files")
    lines = tf.FIFOQueue(5, tf.string, shapes=(), shared_name="lines")
    reader = tf.ReaderBase(tf.raw_ops.TextLineReaderV2(shared_name="reader"))
    _, line = reader.read(files)
    push = lines.enqueue(line)
    give_file, no_more_files, no_more_lines = files.enqueue(path), files.close(), lines.close()
with tf.Session(target) as session:
    try:
        session.run(give_file)
        session.run(no_more_files)
    except tf.errors.CancelledError:
        pass  # one before has done so
    print("loads", flush=True)
    try:
        while True:
            session.run(push)
    except tf.errors.OutOfRangeError:
        session.run(no_more_lines)
