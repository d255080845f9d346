"""Summaries that nodes write into event files, instead of being fetched."""
