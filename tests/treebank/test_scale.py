"""Mining with datatrove: the bytes of one process, whatever the shards, tasks and interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datatrove", reason="the extra scale is not installed")

import dill
import pyarrow.parquet as pq
from datatrove.executor import LocalPipelineExecutor, RayPipelineExecutor
from datatrove.pipeline.base import PipelineStep

from parsing import TEXTS, saved
from release import CHECKOUT
from solecism.errors import InputError, Problem
from solecism.treebank import conllu as blocks
from solecism.treebank.cloze import MASKS
from solecism.treebank.forms import count_treebank
from solecism.treebank.languages import find_language
from solecism.treebank.mining import MiningCounts, Settings, mine_files, write_items
from solecism.treebank.scale import (
    ConlluReader,
    ConlluWriter,
    ItemsJoiner,
    ItemsWriter,
    Job,
    Miner,
    Shard,
    SpacyParser,
    TextReader,
    WordCounter,
    WordsJoiner,
    WordsWriter,
    run,
)

NOUNS = {"chat": "Masc", "chien": "Masc", "fille": "Fem", "vache": "Fem"}
VERBS = {"dort": "dorment", "mange": "mangent"}
LEMMAS = {"dort": "dormir", "mange": "manger"}


def sentence(noun: str, verb: str, plural: bool) -> str:
    """*la vache dort* and the like, in CoNLL-U."""
    gender, number = NOUNS[noun], "Plur" if plural else "Sing"
    det = "les" if plural else {"Masc": "le", "Fem": "la"}[gender]
    shown = "" if plural else f"Gender={gender}|"
    rows = (
        (det, "le", "DET", f"{shown}Number={number}", 2, "det"),
        (noun + "s" * plural, noun, "NOUN", f"Gender={gender}|Number={number}", 3, "nsubj"),
        (VERBS[verb] if plural else verb, LEMMAS[verb], "VERB",
         f"Mood=Ind|Number={number}|Person=3|VerbForm=Fin", 0, "root"),
    )  # fmt: skip
    lines = [
        f"{n}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t_\n"
        for n, (form, lemma, upos, feats, head, deprel) in enumerate(rows, 1)
    ]
    return "".join(lines) + "\n"


def shards(folder: Path, count: int = 5) -> list[Path]:
    """Small treebanks; some sentences stand in several, and no one shows the contrasts alone."""
    folder.mkdir()
    nouns, paths = list(NOUNS), []
    for n in range(count):
        some = [nouns[n % 4], nouns[(n + 1) % 4]]
        text = "".join(sentence(noun, verb, n % 2 == 0) for noun in some for verb in VERBS)
        paths.append(folder / f"fr_{'abcdefgh'[n]}.conllu")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


FRAGMENTS = frozenset({"unfinished", "cut"})
"""The sentences of these tests have no marks and no capitals."""


def one_process(paths: list[Path], out: Path, preset: str = "strict", **given: Any) -> MiningCounts:
    """What ``solecism mine`` does."""
    inventory = count_treebank(paths) if preset == "strict" else None
    settings = Settings(find_language("fr"), preset, MASKS, FRAGMENTS, inventory)
    tally = MiningCounts()
    write_items(mine_files(paths, settings, tally, **given), out)
    return tally


def job(paths: list[Path], folder: Path, **given: Any) -> Job:
    """A job in a folder."""
    if given.get("preset", "strict") == "strict":
        given.setdefault("without", FRAGMENTS)
    out = folder / "many.parquet"
    return Job(paths, "fr", folder / "work", out, masks=MASKS, **given)


def through(*steps: PipelineStep, rank: int = 0, world_size: int = 1) -> list[Any]:
    """Run steps as an executor does, in this process."""
    data: Any = None
    for step in steps:
        data = step(data, rank, world_size)
    return list(data)


def mined(path: Path, out: Path, preset: str = "paper", lenient: bool = False) -> Any:
    """The items of one file, through reader, miner and writer."""
    shard = Shard(str(path), str(out))
    miner = Miner(Settings(find_language("fr"), preset, MASKS), lenient=lenient)
    through(ConlluReader([shard]), miner, ItemsWriter())
    return shard


def test_two_workers_give_the_bytes_of_one_process(tmp_path: Path) -> None:
    paths = shards(tmp_path / "shards")
    told = one_process(paths, tmp_path / "one.parquet")
    assert told.items == told.relations.total() > 20
    assert told.duplicates > 0
    many = job(paths, tmp_path)
    run(many, LocalPipelineExecutor, tasks=2, workers=2)
    assert (tmp_path / "many.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()
    assert many.counts() == told
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").rglob("*.parquet")}
    (tmp_path / "many.parquet").unlink()
    run(many, LocalPipelineExecutor, tasks=2, workers=1)
    assert (tmp_path / "many.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "work/items").iterdir()}
    assert after.items() <= before.items(), "what was finished is not done again"


KILLED = """
import sys, time
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep

from solecism.treebank.cloze import MASKS
from solecism.treebank.scale import Job, run


class Pause(PipelineStep):
    type, name = "PAUSE", "before the last shard"

    def run(self, data, rank=0, world_size=1):
        for document in data:
            if document.metadata["shard"].path.endswith("fr_f.conllu"):
                Path(sys.argv[2], "here").touch()
                time.sleep(600)
            yield document


def pausing(steps, **options):
    return LocalPipelineExecutor([*steps[:-1], Pause(), steps[-1]] if len(steps) > 1 else steps, **options)


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    paths = sorted(Path(sys.argv[1]).iterdir())
    job = Job(paths, "fr", folder / "work", folder / "many.parquet", masks=MASKS, preset="paper")
    run(job, pausing, tasks=2, workers=2)
"""


def wait_for(done: Callable[[], bool], seconds: float = 90) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def test_killed_half_way_and_resumed(tmp_path: Path) -> None:
    paths = shards(tmp_path / "shards", 6)
    (tmp_path / "killed.py").write_text(KILLED)
    logs, items = tmp_path / "work/logs/mine-2/completions", tmp_path / "work/items"
    command = [sys.executable, tmp_path / "killed.py", tmp_path / "shards", tmp_path]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        wait_for(lambda: (tmp_path / "here").exists() and (logs / "00000").exists())
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    finished = {path.name: path.stat().st_mtime_ns for path in items.glob("0*.parquet")}
    assert sorted(finished) == [f"0000{n}.parquet" for n in (0, 1, 2, 4)]
    assert not (tmp_path / "many.parquet").exists()
    run(job(paths, tmp_path, preset="paper"), LocalPipelineExecutor, tasks=2, workers=2)
    assert finished.items() <= {p.name: p.stat().st_mtime_ns for p in items.iterdir()}.items()
    assert not list(items.glob(".*"))
    one_process(paths, tmp_path / "one.parquet", "paper")
    assert (tmp_path / "many.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()


class Recorder:
    """An executor that only notes what it is asked for, the last one first."""

    started: Recorder | None = None

    def __init__(self, steps: list[PipelineStep], depends: Recorder | None, **options: Any) -> None:
        self.steps, self.depends, self.options = steps, depends, options

    def run(self) -> None:
        Recorder.started = self


def stages(given: Job, **options: Any) -> list[tuple[str, int]]:
    """The stages of a job and how many tasks they have."""
    run(given, Recorder, **options)  # type: ignore[arg-type]
    out, stage = [], Recorder.started
    while stage is not None:
        out.append((Path(stage.options["logging_dir"]).name, stage.options["tasks"]))
        stage = stage.depends
    return out[::-1]


def test_stages_depend_on_each_other(tmp_path: Path) -> None:
    paths = shards(tmp_path / "shards")
    expected = [("count-2", 2), ("words-1", 1), ("mine-2", 2), ("join-1", 1)]
    assert stages(job(paths, tmp_path / "a"), tasks=2) == expected
    paper = job(paths, tmp_path / "b", preset="paper")
    assert stages(paper) == [("mine-5", 5), ("join-1", 1)]
    text = tmp_path / "text.txt"
    text.write_text("la fille dort.\n")
    raw = job([text], tmp_path / "c", spacy="some", inventory=False)
    assert stages(raw, tasks=4) == [("parse-1", 1), ("mine-1", 1), ("join-1", 1)]


def test_work_of_another_job_is_refused(tmp_path: Path) -> None:
    paths = shards(tmp_path / "shards")
    stages(job(paths, tmp_path))
    assert stages(job(paths, tmp_path))
    with pytest.raises(InputError, match=r"job.json: the folder holds the work of another job"):
        stages(job(paths, tmp_path, preset="paper"))
    paths[0].write_text(sentence("chat", "dort", False))
    with pytest.raises(InputError, match="its files have changed"):
        stages(job(paths, tmp_path))


def test_bad_jobs_leave_nothing_behind(tmp_path: Path) -> None:
    paths = shards(tmp_path / "shards")
    for given in ({"preset": "strickt"}, {"without": frozenset(["titel"])}):
        with pytest.raises(InputError, match="did you mean"):
            run(job(paths, tmp_path, **given), LocalPipelineExecutor)
    with pytest.raises(InputError, match="no such file"):
        run(job([tmp_path / "absent"], tmp_path), LocalPipelineExecutor)
    assert not (tmp_path / "work").exists()
    with pytest.raises(InputError, match=r"counts.json: the job is not done"):
        job(paths, tmp_path).counts()


def test_faults_are_told_with_file_and_line(tmp_path: Path) -> None:
    paths = shards(tmp_path / "shards")
    paths[1].write_bytes(b"# text = caf\xe9\n" + paths[1].read_bytes())
    with pytest.raises(InputError, match=r"fr_b.conllu:1: not UTF-8"):
        run(job(paths, tmp_path, preset="paper"), LocalPipelineExecutor, tasks=2, workers=1)
    assert not (tmp_path / "many.parquet").exists()


def test_errors_travel_between_processes() -> None:
    problems = (Problem("bad", "a", 3), Problem("worse", "b"))
    assert dill.loads(dill.dumps(InputError(problems))).problems == problems


def test_faults_can_be_skipped(tmp_path: Path) -> None:
    good = sentence("chat", "dort", False)
    path = tmp_path / "fr.conllu"
    path.write_bytes(f"{good}x{good}".encode() + sentence("fille", "mange", True).encode())
    shard = mined(path, tmp_path / "out.parquet", lenient=True)
    through(ItemsJoiner([shard], str(tmp_path / "all.parquet"), str(tmp_path / "counts.json")))
    told = one_process([path], tmp_path / "one.parquet", "paper", lenient=True)
    assert told.skipped == 1
    assert json.loads((tmp_path / "counts.json").read_text())["skipped"] == 1
    assert (tmp_path / "all.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()


@pytest.mark.parametrize("text", ["", "\n\n", "# newdoc\n\n"])
def test_a_shard_without_words_is_done_too(tmp_path: Path, text: str) -> None:
    (tmp_path / "fr.conllu").write_text(text)
    shard = mined(tmp_path / "fr.conllu", tmp_path / "out.parquet")
    assert shard.done
    assert pq.read_table(shard.out).num_rows == 0
    counts = Shard(shard.path, str(tmp_path / "words.parquet"))
    through(ConlluReader([counts]), WordCounter(), WordsWriter())
    assert pq.read_table(counts.out).num_rows == 0


def test_blocks_of_any_size_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fr.conllu"
    path.write_text("".join(sentence(n, v, p) for n in NOUNS for v in VERBS for p in (True, False)))
    whole = pq.read_table(mined(path, tmp_path / "whole.parquet").out)
    monkeypatch.setattr(blocks.read_chunks, "__defaults__", (300,))
    cut = mined(path, tmp_path / "cut.parquet").out
    assert pq.ParquetFile(cut).num_row_groups > 3
    assert pq.read_table(cut).equals(whole)


def test_tasks_share_the_shards(tmp_path: Path) -> None:
    made = [Shard(str(path), f"{path}.parquet") for path in shards(tmp_path / "shards")]
    Path(made[2].out).touch()
    read = [
        {
            document.metadata["shard"]
            for document in through(ConlluReader(made), rank=n, world_size=2)
        }
        for n in (0, 1)
    ]
    assert read == [{made[0], made[4]}, {made[1], made[3]}]


def test_words_are_counted_over_all_shards(tmp_path: Path) -> None:
    paths = shards(tmp_path / "shards")
    made = [Shard(str(path), f"{path}.words") for path in paths]
    for rank in (0, 1):
        through(ConlluReader(made), WordCounter(), WordsWriter(), rank=rank, world_size=2)
    through(WordsJoiner(made, str(tmp_path / "words")))
    rows = pq.read_table(tmp_path / "words").to_pylist()
    found = {tuple(row.values())[:-1]: row["count"] for row in rows}
    assert found == dict(count_treebank(paths).counts)
    assert len(found) == len(rows)


def test_shards_that_are_lacking_are_told(tmp_path: Path) -> None:
    made = [Shard(f"{n}.conllu", str(tmp_path / str(n))) for n in range(3)]
    Path(made[1].out).touch()
    with pytest.raises(InputError, match=r"0.conllu: 2 shards are not done"):
        through(ItemsJoiner(made, str(tmp_path / "out.parquet"), str(tmp_path / "counts.json")))


def test_a_shard_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks.read_chunks, "__defaults__", (50,))
    (tmp_path / "fr.conllu").write_text(2 * sentence("chat", "dort", False) + "x\n\n")
    with pytest.raises(InputError, match=r"fr.conllu:9"):
        mined(tmp_path / "fr.conllu", tmp_path / "out" / "0.parquet")
    assert list((tmp_path / "out").iterdir()) == []


def test_the_documented_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = CHECKOUT / "docs/scaling.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    started: list[str] = []
    monkeypatch.chdir(tmp_path)
    shards(tmp_path / "shards")
    code = code.replace("print(job.counts())", "").replace(" run\n", " run as unused\n")

    def note(given: Job, executor: type, **options: Any) -> None:
        Settings(find_language(given.language), given.preset, given.masks)
        executor([], logging_dir=str(tmp_path / "logs"), depends=None, **options)
        started.append(executor.__name__)
        assert len(given.files()) == 5

    exec(compile(code, page, "exec"), {"__name__": "__main__", "run": note})
    assert started == [f"{name}PipelineExecutor" for name in ("Local", "Ray", "Slurm")]


def test_raw_text_is_parsed_shard_by_shard(tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="the extra spacy is not installed")
    from solecism.treebank.spacy import load_pipeline, parse_file

    pipeline = saved(tmp_path / "pipeline")
    paths = []
    for n in (0, 1):
        paths.append(tmp_path / f"text{n}.txt")
        paths[-1].write_text("\n\n".join(TEXTS[n:]), encoding="utf-8")
    made = [Shard(str(path), str(path.with_suffix(".conllu"))) for path in paths]
    through(TextReader(made), SpacyParser(str(pipeline)), ConlluWriter())
    for shard in made:
        parse_file(Path(shard.path), load_pipeline(str(pipeline)), tmp_path / "alone")
        assert Path(shard.out).read_bytes() == (tmp_path / "alone").read_bytes() != b""
    raw = job(paths, tmp_path, preset="paper", spacy=str(pipeline))
    run(raw, LocalPipelineExecutor, tasks=1, workers=1)
    one_process([Path(shard.out) for shard in made], tmp_path / "one.parquet", "paper")
    assert (tmp_path / "many.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()
    assert raw.counts().duplicates > 0


def test_ray_gives_the_bytes_of_one_process(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    paths = shards(tmp_path / "shards")
    one_process(paths, tmp_path / "one.parquet")
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        run(job(paths, tmp_path), RayPipelineExecutor, tasks=2, mem_per_cpu_gb=0.2)
    finally:
        ray.shutdown()
    assert (tmp_path / "many.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()
