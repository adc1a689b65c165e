"""How the site is built; `make docs` builds it, and turns every warning into an error."""

import os
import sys
import tomllib
from pathlib import Path

import untie

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
ABOUT = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "untie"
author = "The untie developers"
copyright = author
release = untie.__version__
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinxext.opengraph",
    "sphinx_llms_txt",
    # Our own, in _ext.
    "command_page",
    "full_sources",
    "history_page",
    "own_members",
    "root_files",
]
exclude_patterns = ["_build", "_ext", "gallery", "auto_gallery/*.ipynb", "**.ipynb_checkpoints"]
templates_path = ["_templates"]
default_role = "literal"  # docstrings put names in single backquotes
smartquotes = False  # options begin with two hyphens, and quotes are copied
suppress_warnings = [
    # The gallery holds functions of its own, which no cache need remember.
    "config.cache",
]

# Pages: MyST Markdown; those with code cells are run at every build. For work on words alone,
# DOCS_EXECUTION=off leaves cells unrun and DOCS_EXECUTION=cache runs those that changed.
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4
nb_execution_mode = os.environ.get("DOCS_EXECUTION", "force")
nb_execution_raise_on_error = True
nb_execution_in_temp = True  # what pages write is not left here
nb_execution_timeout = 300
nb_merge_streams = True

# The reference: hand-ordered pages, one page per name, from numpydoc docstrings.
autosummary_generate = True
# A function and a class whose names differ in a capital alone are one file on some systems.
autosummary_filename_map = {
    f"untie.explain.{name}": f"untie.explain.{name}-class" for name in ("Drift", "Verdict")
}
autodoc_typehints = "none"  # numpydoc sections have the types
numpydoc_show_class_members = False  # the template lists what is our own
numpydoc_xref_param_type = False

# The gallery is drawn at build time; the code of every picture is below it.
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": "/plot_",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),  # frames, and not the axes that were drawn on
    "plot_gallery": os.environ.get("DOCS_EXECUTION") != "off",
    "within_subsection_order": "FileNameSortKey",
}

# How it looks. Nothing comes from outside: the theme brings its own fonts and scripts.
html_theme = "pydata_sphinx_theme"
html_title = "untie"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["break_code.js"]
html_copy_source = True  # llms.txt is made of the sources
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "untie"},
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "faq": []}

copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_baseurl = ABOUT.get("urls", {}).get("Documentation", "")
ogp_site_url = html_baseurl
ogp_site_name = "untie"
ogp_social_cards = {"enable": False}
ogp_image = "_images/report-light.png"
ogp_image_alt = (
    "The first screen of a report: three groups with their names, and a map of the rows."
)

llms_txt_summary = ABOUT["description"]

# `make docs-links` looks these up, where there is a network.
linkcheck_timeout = 20
linkcheck_anchors = False
