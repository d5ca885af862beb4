"""How the documentation is built: `sphinx-build -W docs docs/_build`. Nothing is fetched from the network."""

import gc
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from attop import __version__

gc.set_threshold(100_000)  # the trees of pages stay to the end
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "attop"
author = "the attop developers"
copyright = "the attop developers, MIT licence"  # noqa: A001
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "attributes",
    "mathml",
    "registries",
]
exclude_patterns = ["_build", "_ext", "_static", "gallery"]

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("figures",),
    "capture_repr": ("_repr_html_",),
    "show_memory": False,
    "min_reported_time": 3600,
    # Without LightGBM its script is shown, and not run.
    "filename_pattern": "/plot_" if find_spec("lightgbm") else "/plot_(?!4)",
}

myst_heading_anchors = 3

default_role = "py:obj"

autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    # Made by scikit-learn for its metadata routing, or documented there.
    "exclude-members": "set_fit_request, set_partial_fit_request, set_predict_request, set_score_request, "
    "set_decision_function_request, get_params, set_params, get_metadata_routing",
}
autodoc_typehints = "none"
autodoc_mock_imports = ["torch"]  # of an extra, and large
napoleon_google_docstring = False
napoleon_use_ivar = True
strip_signature_backslash = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"attop {version}"
html_static_path = ["_static"]
html_css_files = ["attop.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app):
    """Make the tree of pages once for all sources of a folder."""
    trees = {}

    def one_tree(app, page, template, context, doctree):
        folder = page.rpartition("/")[0]
        if folder.startswith("_modules"):
            context["toctree"] = trees.setdefault(folder, cache(context["toctree"]))

    app.connect("html-page-context", one_tree, priority=400)
