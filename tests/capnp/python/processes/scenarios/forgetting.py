"""Variables of a local session are lost with it; those on a node stay in its container."""

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
