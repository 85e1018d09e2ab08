"""A hub for tests: the part of the Hugging Face hub's HTTP API that pushing and reading data sets
uses.

It serves real HTTP on a random port from a thread of the test's process, keeps repositories in
memory as git would (commits with parents, branches, tags; LFS objects; xet through a folder), knows
users and their rights, logs every request and fails where it is told to.

    with FakeHub() as hub: hub.faults.append(Fault("status", at=3))       # the fourth request from
        now is answered with 503 subprocess.run([...], env=hub.env(home)) hub.log,
        hub.repos["org/clams"].tags

huggingface_hub and datasets read HF_ENDPOINT when they are imported: run the code under test in a
process of its own (``warm.py`` makes such processes cheaply).
"""

from fake_hub.faults import Fault
from fake_hub.server import FakeHub
from fake_hub.store import Blob, Commit, Repo, User

__all__ = ["Blob", "Commit", "FakeHub", "Fault", "Repo", "User"]
