"""A session on any node, with a graph that has no device constraints: anywhere.py TARGET"""

import sys

import troupe as tf

answer = (tf.constant(1.0) + 0.0) * 3.0
with tf.Session(sys.argv[1]) as session:
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    value = session.run(answer, options=options, run_metadata=metadata)
    where = {stats.device for stats in metadata.step_stats.dev_stats}
    print(value, "on", *where)
