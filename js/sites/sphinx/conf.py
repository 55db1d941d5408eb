"""A small site with the parts that most Sphinx sites have. The tests build it with three themes."""

project = "Beehive"
author = "nobody"
extensions = []
html_show_sourcelink = True
exclude_patterns = ["_build"]
