"""Simulated clusters: tests of distributed programs under faults, repeatable by a seed.

    import troupe as tf
    import troupe.sim

    with troupe.sim.Cluster({"ps": 1, "worker": 2}, seed=7) as cluster:
        with tf.Session(cluster.target("worker", 0)) as session:
            cluster.at(0.005).crash("/job:worker/task:1")
            session.run(train)
"""

from troupe._src.sim.cluster import Cluster
from troupe._src.sim.faults import Fault, FaultVerbs

__all__ = ["Cluster", "Fault", "FaultVerbs"]
