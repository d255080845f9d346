"""Summaries: ops that make them, and the event files that viewers read."""
