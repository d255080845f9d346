"""Generative adversarial networks: models, losses, trainings."""
