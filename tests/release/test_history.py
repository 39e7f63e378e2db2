"""Commits since the rule began are called by what changes for whom; a zip or a shallow clone stops nobody."""

import os
import shutil
import subprocess

import pytest

from release import history
from release.history import Commit, commits, complaints

OURS = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # not a hook's


def test_commits_are_called_by_what_changes():
    if (known := commits()) is None:
        pytest.skip("this is no checkout of git")
    assert [sentence for commit in known for sentence in complaints(commit)] == []


@pytest.mark.parametrize(
    ("parents", "subject", "said"),
    [
        (1, "x" * 73, "has 73 characters: say it in 72."),
        (1, "fix: the table says who is next", "begins with a kind of change"),
        (1, "feat(web)!: the table says who is next", "begins with a kind of change"),
        (1, "Typo", "says too little"),
        (2, "Merge branch 'main' into table", "is a merge without a name"),
        (2, "Merge: next", "says too little"),
    ],
)
def test_what_is_wrong_is_said(parents, subject, said):
    assert any(said in sentence for sentence in complaints(Commit("0123abcd", parents, subject)))


@pytest.mark.parametrize(
    ("parents", "subject"),
    [
        (1, "A pile that topples twice is drawn once"),
        (1, "Dice: what lies still is read in half the time"),
        (2, "Merge: cards, trucks and gifts are chosen by their pictures"),
        (1, "é" * 20 + " ist " + "ü" * 40 + " lang!!"),
    ],
)
def test_what_is_well_called_is_not(parents, subject):
    assert list(complaints(Commit("0123abcd", parents, subject))) == []


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with a long subject before the rule began, a merge and a short one after."""
    monkeypatch.setattr(history, "ROOT", tmp_path)

    def git(*words, day):
        when = {"GIT_AUTHOR_DATE": f"{day}T23:00:00Z", "GIT_COMMITTER_DATE": f"{day}T23:00:00Z"}
        who = ("-c", "user.name=ci", "-c", "user.email=ci@localhost", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=tmp_path, env={**OURS, **when}, check=True, capture_output=True)

    commit = ("commit", "--quiet", "--allow-empty", "--message")
    git("init", "--quiet", "--initial-branch", "main", day="2026-11-01")
    git(*commit, "A very long subject " * 8, day="2026-11-01")
    git("checkout", "--quiet", "-b", "side", day="2026-11-30")
    git(*commit, "Oops", day="2026-11-30")
    git("checkout", "--quiet", "main", day="2026-11-30")
    git("merge", "--quiet", "--no-ff", "--message", "Merge branch 'side'", "side", day="2026-12-01")
    return tmp_path


def test_those_of_before_are_left_alone_and_merges_are_known(repository):
    assert {(commit.parents, commit.subject) for commit in commits()} == {(2, "Merge branch 'side'"), (1, "Oops")}
    assert sum(1 for commit in commits() for _ in complaints(commit)) == 2


def test_a_shallow_clone_is_judged_as_far_as_it_goes(repository, monkeypatch, tmp_path_factory):
    clone = tmp_path_factory.mktemp("clone")
    command = ["git", "clone", "--quiet", "--depth", "1", f"file://{repository}", str(clone)]
    subprocess.run(command, check=True, env=OURS)
    monkeypatch.setattr(history, "ROOT", clone)
    assert [commit.subject for commit in commits()] == ["Merge branch 'side'"]


def test_without_git_nothing_is_said(repository, monkeypatch):
    shutil.rmtree(repository / ".git")
    assert commits() is None
    monkeypatch.setenv("PATH", "")
    assert commits() is None
