"""Modules beside sessions."""
