"""Values in sessions of this process end with them; those on the node stay in its container."""

import sys

import troupe as tf

x = tf.Variable(0.0, name="x")
bump = x.assign_add(1.0)
for target in ("", sys.argv[1]):
    with tf.Session(target) as session:
        session.run(x.initializer)
        session.run(bump)
    with tf.Session(target) as session:
        if session.run(tf.report_uninitialized_variables()).size:
            print("forgotten")
        else:
            print("kept", session.run(x))
