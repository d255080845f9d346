"""Hooks of monitored sessions."""
