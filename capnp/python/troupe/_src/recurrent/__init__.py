"""Recurrences over time as functions of weights, states and inputs."""
