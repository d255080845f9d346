"""The implementation, in rooms; programs import the public modules above this folder."""
