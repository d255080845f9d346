"""Estimators of generative adversarial networks."""
