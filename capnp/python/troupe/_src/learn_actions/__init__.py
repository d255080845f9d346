"""Trainings, evaluations and other runs of graphs, without an estimator."""
