"""What finds the tasks of a cluster."""
