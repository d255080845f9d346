"""A counter that lives in the cluster: each run, through any of its nodes, adds one.

counter.py TARGET [init]
"""

import sys

import troupe as tf

count = tf.Variable(0.0, name="count")
bump = tf.assign(count, count + 1)
with tf.Session(sys.argv[1]) as session:
    if "init" in sys.argv:
        session.run(count.initializer)
    session.run(bump)
    print(count.eval())
