"""A counter in the cluster: each run of this program, through any node, increments it.

counter.py TARGET [init]
"""

import sys

import troupe as tf

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()
if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
count = tf.Variable(0.0, name="count")
bump = tf.assign(count, count + 1)
with tf.Session(sys.argv[1]) as session:
    if "init" in sys.argv:
        session.run(count.initializer)
    session.run(bump)
    print(count.eval())
