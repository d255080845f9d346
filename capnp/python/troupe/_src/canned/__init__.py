"""Estimators of common models."""
