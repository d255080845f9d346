"""Sessions: opening, feeds and fetches, running steps."""
