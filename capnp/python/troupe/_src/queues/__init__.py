"""Queues, and the threads that fill them."""
