"""Inputs of contributed estimators: frames of pandas."""
