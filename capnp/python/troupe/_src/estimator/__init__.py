"""Estimators: models with their trainings, evaluations and predictions."""
