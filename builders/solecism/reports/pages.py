"""Web pages from Jinja templates: without network, and whatever a text holds, it stays text."""

from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from solecism.contrast import direction
from solecism.version import __version__

REPORTS = "reports"
"""The folder with what all pages share."""


@cache
def _templates(folders: tuple[str, ...]) -> Environment:
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=ChoiceLoader([PackageLoader("solecism", folder) for folder in folders]),
    )  # fmt: skip
    made.filters["count"] = lambda number: f"{number:,}"
    made.filters["percent"] = lambda share: f"{100 * share:.1f}"
    # a narrow column may break a name after each underscore
    made.filters["breakable"] = lambda text: Markup(escape(text).replace("_", Markup("_<wbr>")))
    made.filters["direction"] = direction
    return made


def render_page(name: str, folders: tuple[str, ...] = (REPORTS,), /, **values: object) -> str:
    """Return the page that the template of a name makes of values, whose texts are escaped.

    ``folders`` of the package have the templates; of two with one name the first counts.
    """
    return _templates(folders).get_template(name).render(version=__version__, **values)


def page_source(name: str, folders: tuple[str, ...] = (REPORTS,)) -> str:
    """Return a file beside the templates as it is, as a style sheet."""
    environment = _templates(folders)
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]
