"""What an index run has to do follows from the walk and the ledger alone."""

from __future__ import annotations

from tercet.layers.semantic.planning import RACY_WINDOW_NS, plan_index
from tercet.ports import FileRecord, FoundFile, Listing

NOW = 10**18


def found(path, size=1, mtime_ns=NOW - 10 * RACY_WINDOW_NS):
    return FoundFile(path, size, mtime_ns)


def record(file, indexed_at_ns=NOW):
    return FileRecord("r", file.path, file.size, file.mtime_ns, "x", indexed_at_ns)


def plan(files, known, unfinished=(), **options):
    return plan_index(Listing(tuple(files), ()), {each.path: each for each in known}, unfinished, **options)


def paths(files):
    return [file.path for file in files]


def test_unchanged_files_need_nothing():
    files = [found("a"), found("b")]
    made = plan(files, map(record, files))
    assert (made.to_read, made.gone, made.unchanged) == ((), (), 2)


def test_new_changed_and_gone_files_are_told_apart():
    same, grown, touched, gone = found("same"), found("grown"), found("touched"), found("gone")
    now = [same, found("grown", 2), found("touched", mtime_ns=NOW - 9 * RACY_WINDOW_NS), found("new")]
    made = plan(now, map(record, (same, grown, touched, gone)))
    assert paths(made.to_read) == ["grown", "touched", "new"]
    assert (made.gone, made.unchanged) == (("gone",), 1)


def test_an_older_time_counts_as_a_change_too():
    file = found("restored")
    assert paths(plan([found("restored", mtime_ns=file.mtime_ns - 1)], [record(file)]).to_read) == ["restored"]


def test_a_file_written_just_before_its_indexing_is_read_once_more():
    file = found("racy", mtime_ns=NOW - 1)
    assert paths(plan([file], [record(file)]).to_read) == ["racy"]
    assert plan([file], [record(file, NOW + 2 * RACY_WINDOW_NS)]).to_read == ()


def test_unfinished_files_are_done_again_or_taken_out():
    file = found("cut short")
    made = plan([file], [record(file)], {"cut short", "cut short and gone"})
    assert (paths(made.to_read), made.gone) == (["cut short"], ("cut short and gone",))


def test_full_reads_everything():
    files = [found("a"), found("b")]
    assert paths(plan(files, map(record, files), full=True).to_read) == ["a", "b"]


def test_a_bound_leaves_out_what_only_may_differ_first_and_counts_only_what_differs():
    racy = [found(f"a{n}", mtime_ns=NOW - 1) for n in range(4)]
    made = plan([*racy, found("new 1"), found("new 2")], map(record, racy))
    cut, left_out = made.cut(3)
    assert (paths(cut.to_read), left_out) == (["new 1", "new 2", "a0"], 0)
    cut, left_out = made.cut(1)
    assert (paths(cut.to_read), left_out) == (["new 1"], 1)
    assert made.cut(9) == (made, 0)
