"""What graphs and steps cost: parameters, floating-point operations, times."""
