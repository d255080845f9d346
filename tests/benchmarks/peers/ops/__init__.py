"""Single ops and gradients, compared one by one; a file a family."""
