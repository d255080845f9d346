"""Programs of repositories with models, and of libraries, with the data that they read."""
