"""Graphs as messages: in, out, and changed on the way."""
