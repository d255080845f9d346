"""The same program for all machines: TF_CONFIG gives the task of each.

role.py [FOLDER]

Parameter servers serve, workers train one weight together, the chief saves it to FOLDER and stops
the others at the end. Any of them may be killed and started again.
"""

import sys

import troupe as tf

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()
if sys.argv[1:] and sys.argv[1].startswith("-"):
    sys.exit(__doc__)
tf.logging.set_verbosity(tf.logging.INFO)


def model(role):
    weight = tf.get_variable("weight", initializer=0.0)
    loss = tf.square(weight - 3.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    return weight, optimizer.minimize(loss, tf.train.get_or_create_global_step())


def step(session, nodes):
    global value
    value, _ = session.run(nodes)


tf.train.run(model, step, checkpoint_dir=sys.argv[1] if sys.argv[1:] else None, last_step=60)
if "value" in globals():
    print("weight", value)
