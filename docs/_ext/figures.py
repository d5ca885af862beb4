"""Save the figure, or that of the axes, that the last line of a part of a gallery script gives."""

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def _get_sg_image_scraper():  # the name sphinx-gallery asks a module for
    def scraper(block, block_vars, gallery_conf):
        shown = block_vars["example_globals"].get("___")
        shown = getattr(shown, "figure", shown)
        if not isinstance(shown, Figure) or getattr(shown, "saved", False):
            return ""
        shown.saved = True  # the value stays where a later part shows nothing
        path = next(block_vars["image_path_iterator"])
        shown.savefig(path, dpi=120, facecolor="white")
        return figure_rst([path], gallery_conf["src_dir"])

    return scraper
