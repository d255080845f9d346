"""The older estimators of sequences."""
