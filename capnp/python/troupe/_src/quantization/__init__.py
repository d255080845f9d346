"""Numbers as integers of few bits would keep them."""
