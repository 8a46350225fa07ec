"""Configuration of Sphinx for the web site of the pages, which tools/site.sh makes.

The root of the repository is the source, so that links between pages stay as they are. The lists of
docs/index.md are the navigation.
"""

import re

from sphinx.application import Sphinx

project = "GOTHIC"
html_title = "GOTHIC"
html_theme = "furo"
html_show_copyright = False
html_extra_path = ["index.html"]  # leads to the first page
root_doc = "docs/index"
include_patterns = ["README.md", "CHANGELOG.md", "analysis/measured/README.md", "docs/**"]
exclude_patterns = [".*", "build*", "results", "dist"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the lists of the first page to Sphinx as hidden tables of contents."""
    if page != root_doc:
        return
    for heading, links in re.findall(r"^\*\*(.*)\*\*\n\n((?:[* ] .*\n)+)", source[0], re.M):
        pages = re.findall(r"^\* \[.*?\]\((.*?)\.md\)", links, re.M)
        source[0] += table_of_contents(heading, pages)
    source[0] += table_of_contents("Interfaces", ["site/python", "site/cpp"])


def table_of_contents(heading: str, pages: list[str]) -> str:
    """Write a hidden table of contents in MyST."""
    return "\n".join(["\n```{toctree}", f":caption: {heading}", ":hidden:", "", *pages, "```", ""])


def skip_alias(
    app: Sphinx, what: str, name: str, member: object, skip: bool, options: object
) -> bool | None:
    """Leave out what Python itself says of the fields of a named tuple."""
    return True if str(member.__doc__).startswith("Alias for field number") else None


def name_aliases(
    app: Sphinx, what: str, name: str, member: object, options: object, given: str, returned: str
) -> tuple[str, str] | None:
    """Show a name of autodoc_type_aliases where Sphinx shows its own object instead, behind `|`."""
    return (re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", given), returned) if given else None


def setup(app: Sphinx) -> None:
    """Let Sphinx call the functions above."""
    app.connect("source-read", add_navigation)
    app.connect("autodoc-skip-member", skip_alias)
    app.connect("autodoc-process-signature", name_aliases)
