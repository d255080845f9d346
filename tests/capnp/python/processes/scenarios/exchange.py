"""A session of a worker whose graph has partitions on the other worker and the parameter server.

exchange.py TARGET TASK
"""

import sys

import troupe as tf

target, task = sys.argv[1], int(sys.argv[2])
with tf.device("/job:ps/task:0"):
    count = tf.get_variable(f"count{task}", initializer=0.0)
with tf.device(f"/job:worker/task:{1 - task}"):
    there = tf.reduce_sum(tf.random_uniform([100], 2.0, 2.0), name="there")
with tf.device(f"/job:worker/task:{task}"):
    here = tf.add(there, 1.0, name="here")
bump = count.assign_add(here)
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
with tf.Session(target) as session:
    session.run(count.initializer)
    for _ in range(50):
        metadata = tf.RunMetadata()
        value = session.run(bump, options=options, run_metadata=metadata)
    ran = {n.node_name: s.device for s in metadata.step_stats.dev_stats for n in s.node_stats}
    print(value, ran["there"], ran["here"])
