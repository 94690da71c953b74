"""Whoever reads what others wrote refuses it in words, whatever it is, and soon."""

import ast
import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.parsers.mutations import mutated, nasty, refused_or_read
from tests.support.parsers.parser import Parser
from tests.support.parsers.registry import PARSERS
from tests.support.paths import ROOT, files_of_git

READERS = {
    "json.load", "json.loads", "msgspec.json.decode", "msgspec.json.Decoder", "msgspec.toml.decode",
    "msgspec.msgpack.decode", "msgspec.msgpack.Decoder", "tomllib.load", "tomllib.loads",
    "csv.reader", "csv.DictReader", "tarfile.open", "zipfile.ZipFile", "gzip.GzipFile",
    "zlib.decompressobj", "base64.b64decode", "ast.parse", "ast.literal_eval", "compile",
}  # fmt: skip
"""Functions that read what may be anybody's, and fail in several ways; `guards.parsing` has one."""

NAMES = {name.rpartition(".")[2] for name in READERS}

ELSEWHERE = ("tests/", "benchmarks/", "docs/", "scripts/", "agents/runtime/", "agents/seeds/",
             "hyperspace/offline/inside/", "guards/sandboxes/inside/",
             "guards/parsing.py")  # fmt: skip
"""No product, or programs that run in sandboxes; and the wall itself."""

OWN = {
    # They make one error, or one outcome, of all that guards.parsing.UNDECODABLE names.
    "hyperspace/spending/ledger_file.py": "one error: LedgerDamaged",
    "hyperspace/tracing/cache.py": "one outcome: what cannot be read is no reply",
    "hyperspace/kernel/evaluation/answers.py": "one error, of hyperspace/runs/episodes.py",
    "hyperspace/launch/sets.py": "lines of runs: an event, a result, or nothing",
    "markspace/core/ids.py": "marks of its own space; the bodies are markspace/keeping/codec.py's",
    "markspace/keeping/audit.py": "one error: StoreCorrupt",
    "markspace/keeping/foundation.py": "one error: StoreCorrupt",
    "markspace/keeping/garbage_collection.py": "one error: StoreCorrupt",
    "markspace/keeping/leases.py": "one outcome: what cannot be read says nothing",
    "replication/data/kept.py": "one error: RunUsageError",
    "hyperspace/runs/following/ledger.py": "one error, of tail.py: LineDamaged",
    "hyperspace/runs/following/refusals.py": "one error, of tail.py: LineDamaged",
    "hyperspace/runs/following/scores.py": "one error, of tail.py: LineDamaged",
    "hyperspace/runs/traces/index.py": "read with hyperspace/runs/trace.py, which is registered",
    "hyperspace/executor/items.py": "requests of the coordinator; of workers: remote_items.py",
    # Bounded by tests of their own.
    "hyperspace/models/bounded_replies.py": "tests/hyperspace/models/test_bounded_replies.py",
    "hyperspace/models/endpoint_model.py": "the body of an error: no JSON is an unknown one",
    # What this version, or the person's own program, has just written.
    "hyperspace/attacks/corpus/verifiers.py": "the answer of our own seed",
    "hyperspace/resolving.py": "decoders that hyperspace/runs/following/tail.py calls",
    "hyperspace/dashboard/starting/launch.py": "what our own command line said",
    "hyperspace/dashboard/vendor/__init__.py": "a file of the package",
    "hyperspace/tasks/babaisai/pool.py": "a file of the package",
    "hyperspace/tasks/contract.py": "inputs that were just encoded",
    "hyperspace/tasks/contract_shapes.py": "code and observations of the person's own domain",
    "hyperspace/tasks/native/child.py": "requests of the coordinator",
    "hyperspace/tasks/polyglot/cases.py": "files of the package",
    "hyperspace/kernel/state/config.py": "a record that was just encoded",
    "hyperspace/launch/configuration.py": "options that were just encoded",
    "hyperspace/summaries/outcome.py": "fields that were just encoded",
    "hyperspace/kernel/views/run_logs.py": "compared with the space, or made again",
    "hyperspace/kernel/views/stamps.py": "compared with the space, or made again",
    "hyperspace/extensions/own.py": "a part of a record that was just encoded",
    "hyperspace/executor/journal.py": "outcomes that this coordinator put there",
    "hyperspace/executor/ray/worker.py": "jobs of the coordinator",
    "guards/content/folding.py": "a table of a library",
    "guards/sandboxes/bubblewrap/bubblewrap.py": "what bubblewrap said, before anything ran in it",
    "guards/sandboxes/docker/image.py": "an archive that is written",
    "guards/sandboxes/packages.py": "what our own program said",
}
"""Who reads with a parser of many errors and is not registered, and why that is enough."""

IDS = [f"{parser.module}-{number}" for number, parser in enumerate(PARSERS)]


def uses(source: str) -> Iterator[str]:
    is_likely = any(reader in source for reader in READERS)
    for node in ast.walk(ast.parse(source)) if is_likely else ():
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if name in NAMES and ast.unparse(node) in READERS:
            yield name


def test_each_reader_of_others_text_is_registered_or_reads_what_we_wrote() -> None:
    readers = {
        path
        for path in files_of_git("--cached", "--others", "--exclude-standard")
        if path.endswith(".py") and not path.startswith(ELSEWHERE)
        if not path.startswith("hyperspace/research/environments/") or path.count("/") == 2
        if (ROOT / path).is_file() and any(uses((ROOT / path).read_text("utf-8")))
    }
    registered = {parser.module for parser in PARSERS}
    assert sorted(readers - registered - OWN.keys()) == [], "register it, or say whose text it is"
    assert sorted(OWN.keys() - readers) == [], "it reads nothing any more"
    assert sorted(OWN.keys() & registered) == []
    assert [path for path in registered if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("parser", PARSERS, ids=IDS)
@settings(max_examples=8)
@given(seed=st.integers(0, 1 << 32), other=st.binary(max_size=200) | st.text().map(str.encode))
def test_a_mutated_sample_is_read_or_refused(parser: Parser, seed: int, other: bytes) -> None:
    source = random.Random(seed)
    refused_or_read(parser, other)
    refused_or_read(parser, mutated(source.choice(parser.samples or (other,)), source))


@pytest.mark.parametrize("parser", PARSERS, ids=IDS)
def test_a_sample_is_read(parser: Parser) -> None:
    for sample in parser.samples:
        parser.parse(sample)


@pytest.mark.long
@pytest.mark.parametrize("parser", PARSERS, ids=IDS)
def test_what_nobody_would_write_is_read_or_refused(parser: Parser) -> None:
    for data in nasty(longest=200_000):
        refused_or_read(parser, data[: parser.most_bytes])


@pytest.mark.slow
@pytest.mark.parametrize("parser", PARSERS, ids=IDS)
def test_ten_times_as_much_is_read_or_refused_too(parser: Parser) -> None:
    for data in nasty():
        refused_or_read(parser, data[: parser.most_bytes])


@pytest.mark.long
@pytest.mark.parametrize("parser", PARSERS, ids=IDS)
def test_many_mutated_samples_are_read_or_refused(parser: Parser) -> None:
    source = random.Random(parser.module)
    for sample in itertools.islice(itertools.cycle(parser.samples or (b"",)), 300):
        refused_or_read(parser, mutated(sample, source))
