"""What nodes take and what takes them, and changes of that."""
