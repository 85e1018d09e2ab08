"""Time requests on a treebank: CPU seconds of each, after reading.

Usage::

    python scripts/bench_query.py TREEBANK

TREEBANK is a CoNLL-U file or a folder of them. Prints a table of the requests with their matches
and CPU seconds, the seconds for reading, and the peak of memory.
"""

import resource
import sys
import time
from pathlib import Path

from solecism.query.graph import Graphs
from solecism.query.match import find_maps
from solecism.query.request import read_request
from solecism.treebank.conllu import files_of, read_tokens

REQUESTS = (
    "pattern { X [upos=VERB] }",
    "pattern { X -> Y; Y -> Z }",
    "pattern { V [upos=VERB]; V -[nsubj]-> S; V -[obj]-> O; S << V; V << O }",
    "pattern { X [upos=NOUN]; Y [upos=NOUN]; X << Y } without { Z [upos=VERB]; X << Z; Z << Y }",
    "pattern { V ->> R; R [PronType=Rel] } without { W [upos=VERB]; V ->> W; W ->> R }",
    'pattern { X [form=re".*ing"] } without { X -[aux]-> A }',
    "pattern { X.Number = Y.Number; X -[nsubj]-> Y; X [upos=VERB] } with { X -[1=aux]-> A }",
    "pattern { e1: A -> B; e2: C -> D; e1 >< e2 }",
    "pattern { X []; Y []; length(X,Y) = 2; X << Y; X.upos = Y.upos }",
    "global { is_not_projective }",
)


def main() -> None:
    """Read the treebank once, and time each request."""
    start = time.process_time()
    files = files_of([Path(path) for path in sys.argv[1:]])
    graphs = [Graphs(tokens) for file in files for tokens in read_tokens(file) if len(tokens)]
    words = sum(len(one.tokens) for one in graphs)
    print(f"{words:,} words read in {time.process_time() - start:.1f} s")
    for text in REQUESTS:
        start = time.process_time()
        request = read_request(text)
        found = sum(len(maps[""]) for one in graphs for maps in find_maps(one, request))
        print(f"{time.process_time() - start:6.2f} s {found:>10,}  {text}")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB at most")


if __name__ == "__main__":
    main()
