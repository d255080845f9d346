"""Helpers for the tests of programs."""
