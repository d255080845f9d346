"""Estimators of time series: their ops, inputs and exported models."""
