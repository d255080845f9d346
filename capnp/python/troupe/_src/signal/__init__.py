"""Signals: their frames, their spectra, and windows."""
