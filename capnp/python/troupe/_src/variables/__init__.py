"""Variables: creation, initialization, variable scopes."""
