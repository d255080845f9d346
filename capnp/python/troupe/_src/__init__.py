"""The implementation, in rooms; programs import the public modules above this folder."""

# Before any other module imports the functions that it replaces.
from troupe._src.ragged_functions import installed  # noqa: F401
