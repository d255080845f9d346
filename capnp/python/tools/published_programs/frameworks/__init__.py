"""Programs and tests of frameworks of their own, and programs of tutorials, with their data."""
