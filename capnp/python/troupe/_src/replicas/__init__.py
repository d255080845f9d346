"""Replicas of a computation on several devices, and the copies of variables that they use."""
