"""A photo of stacks where no camera stands: the verdict that the finished round waits for (MX-20)."""

from dataclasses import replace

import pytest

from companion.errors import NotAllowed
from companion.game.readings import Kind, Settled, SpaceReading, Status, TowerReading
from companion.games.maxstax.events import Judged, Readied, RoundClosed, Shouted, ShoutRejected, Started, TimeRanOut
from companion.games.samestax.rules import CreatorChosen
from companion.journal.events import Origin
from companion.sensing.asking import ShownBy


def photo_of(*standing, at_us=0):
    """What a photo shows, space by space: True for a stack that stands, False for one that fell."""
    spaces = tuple(
        SpaceReading(number, Status.STANDING if stands else Status.COLLAPSED, 0.99, True)
        for number, stands in enumerate(standing, start=1)
    )
    return Settled(TowerReading(640, 480, spaces), at_us, at_us + 1, b"photo", ())


class Round:
    """A race of SPEEDSTAX between Ann and Bob, which began 200 s ago, and photos of its stacks."""

    def __init__(self, host):
        self.host, self.table = host, host.create("speedstax", ["Ann", "Bob"], {})
        self.ann, self.bob = self.table.session.players
        self.go_us = host.clock.now_us() - 200_000_000
        self.enter(Readied(self.ann), Readied(self.bob), Started(self.go_us - 3_000_000))

    def enter(self, *events):
        for event in events:
            self.table.submit(event, Origin(f"e{self.table.seq}", source="button"))

    def shout(self, player, after_s):
        self.enter(Shouted(player, self.go_us + round(after_s * 1e6)))

    def show(self, settled, event_id="p1", allow=lambda _event: None):
        self.host.photos._read = lambda _content, _watching, taken_us: replace(
            settled, rested_us=taken_us, read_us=taken_us
        )
        shown_by = ShownBy(Origin(event_id, self.table.seq, "camera"), allow)
        return self.host.photos.take(self.table, b"jpeg", Kind.TOWER, shown_by)

    def asked(self):
        return [
            (type(each.event).__name__, each.event.player) for each in self.host.questions.of(self.table.session.id)
        ]


@pytest.fixture
def race(host):
    return Round(host)


def test_the_page_offers_a_photo_only_once_the_round_is_over(race):
    judges = lambda: race.table.game.sight.eyes(race.table.state).judges  # noqa: E731
    assert not judges()
    race.shout(race.ann, 30)
    assert not judges()  # Bob still builds, and nothing may move under his eyes
    race.shout(race.bob, 40)
    assert judges()
    race.enter(RoundClosed())
    assert not judges()


def test_a_photo_taken_minutes_later_asks_about_each_shout_in_turn(race):  # MX-21
    race.shout(race.ann, 30)
    race.shout(race.bob, 40)
    taken = race.show(photo_of(True, False))
    assert race.asked() == [("Witnessed", race.ann)]
    assert taken.question.event.player == race.ann
    race.host.confirm(taken.question.id, {}, Origin("yes"))
    taken = race.show(photo_of(True, False), "p2")
    assert race.asked() == [("ShoutRejected", race.bob)]
    race.host.confirm(taken.question.id, {}, Origin("no"))
    assert race.table.state.current.witnessed == {race.ann}
    assert isinstance(race.table.newest.body.event, ShoutRejected)


def test_a_better_photo_takes_the_place_of_the_one_before(race):
    race.shout(race.ann, 30)
    race.shout(race.bob, 40)
    race.show(photo_of(False, False))
    assert race.asked() == [("ShoutRejected", race.ann)]
    race.show(photo_of(True, True), "p2")
    assert race.asked() == [("Witnessed", race.ann)]


def test_a_photo_never_counts_by_itself(host, race):
    host.asking.set_accepts(Kind.TOWER, True)
    race.shout(race.ann, 30)
    race.shout(race.bob, 40)
    taken = race.show(photo_of(False, True))
    assert [each.patience_s for each in host.questions.of(race.table.session.id)] == [0]
    host.clock.offset_us += 3_600_000_000
    assert [each.id for each in host.questions.of(race.table.session.id)] == [taken.question.id]


def test_the_photo_is_kept_with_its_shout(host, race):
    race.shout(race.ann, 30)
    shout_seq = race.table.seq
    race.shout(race.bob, 40)
    race.show(photo_of(True, True))
    kept = host.journal.evidence(race.table.session.id)
    assert host.pictures.jpeg(kept[shout_seq]) == b"photo"


def test_of_several_photos_the_first_stays_with_the_shout_also_after_a_restart(host, race):
    race.shout(race.ann, 30)
    shout_seq = race.table.seq
    race.shout(race.bob, 40)
    race.show(photo_of(True, True))
    race.show(replace(photo_of(True, True), frame_jpeg=b"later"), "p2")
    kept = host.journal.evidence(race.table.session.id)[shout_seq]
    (line,) = (line for line in race.table.history.lines() if line.seq == shout_seq)
    assert line.picture == kept
    assert host.pictures.jpeg(kept) == b"photo"


def test_who_may_not_judge_changes_nothing(race):
    race.shout(race.ann, 30)
    race.shout(race.bob, 40)

    def refuse(_event):
        raise NotAllowed("This phone plays for another seat.")

    with pytest.raises(NotAllowed):
        race.show(photo_of(True, True), allow=refuse)
    assert race.asked() == []


def test_a_photo_while_others_build_is_of_shouts_alone(race):
    assert race.show(photo_of(True, True)).remark is not None
    race.shout(race.bob, 30)
    race.show(photo_of(True, True), "p2")
    assert race.asked() == [("Witnessed", race.bob)]


def copied(host, **options):
    """SAMESTAX whose minute is over: Ann's stack was copied by Bob and Cy, who both shouted where that is needed."""
    table = host.create("samestax", ["Ann", "Bob", "Cy"], options)
    ann, bob, cy = table.session.players
    start_us = host.clock.now_us() - 400_000_000
    begun = (CreatorChosen(ann), Started(start_us), Shouted(ann, start_us + 20_000_000), Readied(bob), Readied(cy))
    shouts = (Shouted(bob, start_us + 50_000_000), Shouted(cy, start_us + 60_000_000))
    over = (TimeRanOut(start_us + 93_000_000),) if options else shouts
    for event in (*begun, Started(start_us + 30_000_000), *over):
        table.submit(event, Origin(f"e{table.seq}", source="button"))
    return table


def test_a_later_photo_says_nothing_of_how_the_stack_to_be_copied_stood_then(host):  # SAM-06
    table = copied(host)
    _ann, bob, _cy = table.session.players
    host.photos._read = lambda _content, _watching, taken_us: photo_of(False, True, True, at_us=taken_us)
    taken = host.photos.take(table, b"jpeg", None, ShownBy(Origin("photo", table.seq, "camera"), lambda _event: None))
    assert taken.question is not None
    assert (type(taken.question.event).__name__, taken.question.event.player) == ("Witnessed", bob)


def test_where_no_shout_is_needed_a_photo_of_the_end_is_of_every_stack(host):  # MX-20
    table = copied(host, shout_required=False)
    _ann, bob, cy = table.session.players
    assert table.game.sight.eyes(table.state).judges
    for player, complete in ((bob, True), (cy, False)):
        host.photos._read = lambda _content, _watching, taken_us: photo_of(True, True, False, at_us=taken_us)
        shown_by = ShownBy(Origin(f"photo-{player}", table.seq, "camera"), lambda _event: None)
        host.photos.take(table, b"jpeg", None, shown_by)
        (question,) = host.questions.of(table.session.id)
        assert question.event == Judged(player, complete)
        host.confirm(question.id, {}, Origin(f"yes-{player}"))
    assert not table.game.sight.eyes(table.state).judges
