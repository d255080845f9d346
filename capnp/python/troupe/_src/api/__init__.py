"""The version of the package, and the errors for names that are not supported."""
