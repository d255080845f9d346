"""Workloads in the client's process."""
