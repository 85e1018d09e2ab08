"""The command line. Each verb is a file of this folder, named as it is typed; its docstring is its
help."""

import os
import signal
import sys

import click

from solecism.commands.cli import VerbGroup, echo
from solecism.errors import InputError

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""The products of numpy are small: further threads of OpenBLAS would only wait, at full speed."""

os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
"""The pool of Arrow hands pages back so often that getting them again takes a tenth of a build."""

GROUPS = {
    "Make": ("new", "build", "convert", "language"),
    "Check": ("check", "audit", "lock", "diff"),
    "Mine": ("mine", "query"),
    "Publish": ("push", "site"),
    "Score": ("score", "report", "analyse", "explain", "train"),
    "Judge": ("judge",),
    "Look": ("list", "show"),
}
"""The verbs by what people do."""

VERBS = tuple(verb for verbs in GROUPS.values() for verb in verbs)

_EXTRAS = {
    "torch": "score", "transformers": "score", "tokenizers": "score", "datasets": "datasets",
    "lm_eval": "harness", "accelerate": "harness", "inspect_ai": "inspect",
    "pandas": "analysis", "scipy": "analysis", "statsmodels": "analysis", "matplotlib": "analysis",
    "starlette": "judge", "uvicorn": "judge", "opencc": "zh", "spacy": "spacy",
    "pycldf": "cldf",
}  # fmt: skip
"""The extra of Solecism that installs a package, for packages that are not always installed."""


class _Main(VerbGroup):
    """All verbs. Bad input is printed as plain lines, with exit code 2 and without a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except InputError as error:
            for problem in error.problems:
                echo(str(problem), err=True)
        except BrokenPipeError:
            raise
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            echo(f"this needs {error.name}: pip install 'solecism[{extra}]'", err=True)
        except OSError as error:
            echo(f"{error.filename or 'error'}: {error.strerror or error}", err=True)
        return ctx.exit(2)


@click.group(cls=_Main, groups=GROUPS, module=__name__,
             context_settings={"help_option_names": ["-h", "--help"]})  # fmt: skip
@click.version_option(package_name="solecism")
def main() -> None:
    """Build, check, publish and score data sets that show what grammar a language model knows."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
