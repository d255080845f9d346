"""What Sphinx needs to know to make the reference of the Python package (tools/docs)."""

import os

# Sphinx imports the package in processes of its own.
os.environ.setdefault("PYTHONHASHSEED", "0")

project = "Troupe"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_member_order = "alphabetical"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px"}


def _escape(app, what, name, obj, options, lines):
    """Docstrings are plain text, in which |x| is an absolute value and no substitution."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _escape)
