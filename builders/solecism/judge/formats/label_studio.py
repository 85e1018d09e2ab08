"""What Label Studio exports: its JSON (a list of tasks with annotations) or its CSV.

Tasks have the fields that `solecism judge export` gives them: ``item``, ``shown``, sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solecism.inputs import parse_json
from solecism.judge.design import Study
from solecism.judge.formats.table import named, rows_of

__all__ = ["fits", "read"]

_CSV = {"participant": "annotator"}


def fits(text: str) -> bool:
    """Return whether a text is an export."""
    if text.lstrip().startswith("["):
        return '"annotations"' in text and '"data"' in text
    return {"annotator", "annotation_id"} <= set(
        text.partition("\n")[0].replace('"', "").split(",")
    )


def read(path: Path, text: str, study: Study) -> Iterator[Mapping[str, Any]]:
    """Yield an answer an annotation; those that were cancelled are none."""
    if not text.lstrip().startswith("["):
        for line, row in rows_of(path, text)[1]:
            found = named(row, {**_CSV, **study.columns})
            yield {**found, **_seconds(row.get("lead_time")), "line": line}
        return
    for number, task in enumerate(parse_json(text, [_TASK], path, "export of Label Studio"), 1):
        for annotation in task["annotations"]:
            if not annotation.get("was_cancelled"):
                found = named({**task["data"], **_results(annotation)}, study.columns)
                yield {**found, **_seconds(annotation.get("lead_time")), "line": number}


_TASK = {"data": dict, "annotations": [{"result": [{"from_name?": str, "value?": dict}]}]}


def _results(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said, by the names of the controls, and by whom."""
    by = annotation.get("completed_by", "")
    person = by.get("email", by.get("id", "")) if isinstance(by, dict) else by
    found: dict[str, Any] = {"participant": str(person)}
    for result in annotation["result"]:
        value = result.get("value", {})
        said = value.get("choices", value.get("rating", value.get("text")))
        first = next(iter(said), None) if isinstance(said, list) else said
        found[result.get("from_name", "answer")] = first
    return found


def _seconds(said: Any) -> dict[str, int]:
    try:
        return {"time": round(1000 * float(said))}
    except (TypeError, ValueError):
        return {}
