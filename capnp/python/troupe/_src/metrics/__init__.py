"""Metrics: values that local variables add up over the steps of an evaluation."""
