"""SavedModels of objects: their variables, and functions that can be called again."""
