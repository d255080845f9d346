"""The version of the package, the errors for names that are not supported, and loaded ops."""
