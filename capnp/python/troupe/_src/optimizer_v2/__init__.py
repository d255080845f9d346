"""Optimizers whose hyperparameters are numbers, tensors or functions."""
