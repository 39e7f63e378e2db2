"""The dice reader on our own rendered scenes, and, where they are, on photographs it was not fitted on."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.app.bench.dice_photos import (
    JudgedPhoto,
    PhotoVerdict,
    count_groups,
    draw_miss,
    groups_of,
    judge,
    matches,
)
from companion.demo.things import TableDie, VirtualTable
from companion.game.readings import DiceReading, DieReading
from tests.benches.tutorial import clusters, read_dice_as_tutorials_do
from tests.conftest import PHOTOS
from vision.cameras.photos import load_photo
from vision.colour.bodies import bodies_bgr, name_colours
from vision.dice.crops import CROP_PX, Pyramid, crop_matrix, cut
from vision.dice.faces import NO_DIE, FacePrediction
from vision.dice.finder import Candidate, DiceFinder, in_core, tile_starts
from vision.dice.pips import count_pips
from vision.dice.reader import (
    MOST_DOUBTFUL,
    DiceReader,
    cap_no_die,
    confidence_needed,
    default_reader,
    most_doubtful,
    read_dice,
)
from vision.dice.sights import Sight, drop_same_face, mark_odd_sizes
from vision.models.network import MODELS
from vision.scene.file import scene_of
from vision.scene.scene import Scene
from vision.training.drawn.scenes import render_small
from vision.virtual.camera import virtual_scene
from vision.virtual.painter import Painter

FIXTURES = Path(__file__).parent / "fixtures" / "dice"
UNSEEN = ("pitray_", "cloth_", "carpet_", "felt_")  # sources that no network was fitted on


def labels_of(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "labels.json").read_text(encoding="utf-8"))


def judged(
    folder: Path, entries: list[dict[str, Any]], read: Callable[[np.ndarray], DiceReading]
) -> list[PhotoVerdict]:
    """Verdicts of all pictures; prints those that are not entirely right, for whoever looks why a test failed."""
    verdicts = []
    for entry in entries:
        verdict = judge(entry["dice"], read(load_photo(folder / entry["image"])))
        if not verdict.entirely_right or verdict.silent:
            print(entry["image"], verdict)
        verdicts.append(verdict)
    return verdicts


def total(verdicts: list[PhotoVerdict], field: str) -> int:
    return sum(getattr(verdict, field) for verdict in verdicts)


@pytest.fixture(scope="module")
def rendered() -> list[PhotoVerdict]:
    return judged(FIXTURES, labels_of(FIXTURES), read_dice)


def test_most_rendered_dice_are_found_and_read(rendered):
    assert total(rendered, "right") >= 0.95 * total(rendered, "dice")


def test_few_errors_on_rendered_scenes_are_silent(rendered):
    assert total(rendered, "silent") <= 0.01 * total(rendered, "dice")


def test_clutter_is_not_taken_for_dice(rendered):
    assert total(rendered, "false") <= 0.04 * total(rendered, "dice")


def test_the_tutorials_way_is_clearly_worse_on_the_same_pictures(rendered):
    tutorial = judged(FIXTURES, labels_of(FIXTURES), read_dice_as_tutorials_do)
    assert total(tutorial, "right") < 0.6 * total(rendered, "right")
    assert total(tutorial, "silent") > 20 * max(1, total(rendered, "silent"))


@pytest.mark.skipif(
    not (PHOTOS / "dice").is_dir(), reason="../shared/data/dice is absent: nothing shows that photographs are read"
)
def test_photographs_of_sources_never_fitted_on():
    entries = [e for e in labels_of(PHOTOS / "dice") if Path(e["image"]).name.startswith(UNSEEN)][::4]
    verdicts = judged(PHOTOS / "dice", entries, read_dice)
    assert total(verdicts, "right") >= 0.97 * total(verdicts, "dice")
    assert total(verdicts, "silent") <= 0.02 * total(verdicts, "dice")


def test_an_empty_table_is_an_empty_and_accepted_reading():
    reading = read_dice(np.full((480, 640, 3), 90, np.uint8))
    assert reading == DiceReading(640, 480, ())
    assert reading.accepted


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 900, 3), (33, 31, 3)])
def test_odd_sizes_are_read_without_complaint(shape):
    assert read_dice(np.zeros(shape, np.uint8)).dice == ()


def test_a_frame_may_be_a_view_into_another():
    frame = load_photo(FIXTURES / "scene_01.jpg")
    mirrored = frame[:, ::-1]
    assert len(read_dice(mirrored).dice) == len(read_dice(np.ascontiguousarray(mirrored)).dice)


def test_the_same_frame_gives_the_same_reading():
    frame = load_photo(FIXTURES / "scene_02.jpg")
    assert read_dice(frame) == read_dice(frame)


def test_every_field_of_a_reading_keeps_its_range():
    for die in read_dice(load_photo(FIXTURES / "scene_01.jpg")).dice:
        assert die.value in range(1, 7)
        assert die.alternatives[0][0] == die.value
        assert 0 <= die.confidence <= 1
        assert -45 <= die.angle_deg <= 45
        assert min(die.w, die.h) > 5


def test_colours_are_exactly_those_of_the_scene():
    scene = Scene({"cherry": (180.0, 20.0, 30.0), "sea": (30.0, 90.0, 160.0)})
    dice = read_dice(load_photo(FIXTURES / "scene_01.jpg"), scene).dice
    assert {die.colour for die in dice} <= {"cherry", "sea"}


def grey(frame_bgr):
    return cv2.cvtColor(cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)


def test_no_die_of_a_picture_without_colours_is_called_a_players():
    """A camera that sees in the dark shows values, and nobody's red from somebody's blue."""
    frame = grey(load_photo(FIXTURES / "scene_01.jpg"))
    dice = read_dice(frame, Scene({"cherry": (180.0, 20.0, 30.0), "sea": (30.0, 90.0, 160.0)})).dice
    assert [die.value for die in dice] == [die.value for die in read_dice(frame).dice]
    assert {die.colour for die in dice} == {None}
    bright = read_dice(frame, Scene({"ivory": (240.0, 238.0, 230.0), "coal": (25.0, 25.0, 25.0)})).dice
    assert {die.colour for die in bright} <= {"ivory", "coal"}  # brightness alone tells these


PLAYERS = {"red": (185.0, 20.0, 34.0), "purple": (101.0, 45.0, 125.0), "blue": (31.0, 57.0, 159.0)}
LAMPS = {"even": (1, 1, 1), "cold": (0.75, 0.95, 1.25), "warm": (1.25, 1.0, 0.7), "dim": (0.55, 0.55, 0.55)}


@pytest.mark.parametrize("lamp", LAMPS)
def test_the_dice_of_a_photo_are_named_under_the_lamp_they_share(lamp):
    seen = [np.clip(np.array(rgb) * LAMPS[lamp], 0, 255)[::-1] for rgb in PLAYERS.values()]
    assert name_colours(seen, PLAYERS) == list(PLAYERS)


def test_a_glossy_die_that_a_lamp_bleaches_keeps_its_paint():
    """Gloss adds the lamp's own white to a paint; dice that are white outright lie beside it, burnt out."""
    paints = {"white": (234.0, 233.0, 202.0), "red": (162.0, 12.0, 16.0), "green": (38.0, 143.0, 59.0)}
    burnt = [np.array([253.0, 254.0, 254.0])] * 4
    for paint, gloss in (("red", 0.18), ("green", 0.3)):
        light = 2.0 * (np.array(paints[paint]) / 255) ** 2.2 + gloss
        seen = (np.minimum(light, 1) ** (1 / 2.2) * 255)[::-1]
        assert name_colours([*burnt, seen], paints) == ["white"] * 4 + [paint]


@pytest.mark.parametrize("count", [3, 40])
def test_few_and_many_dice_are_named_alike(count):
    """The lamp of many dice is looked for by some of them only."""
    warm = np.array([0.7, 0.85, 1.0])  # blue, green, red
    names = [list(PLAYERS)[i % len(PLAYERS)] for i in range(count)]
    seen = [np.clip(np.array(PLAYERS[name])[::-1] * warm, 0, 255) for name in names]
    assert name_colours(seen, PLAYERS) == names


def test_without_a_scene_a_colour_is_a_plain_word():
    assert name_colours([np.array([35.0, 30.0, 190.0]), np.array([240.0, 240.0, 240.0])]) == ["red", "white"]


def test_the_finer_look_sees_small_dice_across_the_seams_of_its_tiles():
    picture = np.full((1080, 1920, 3), 70, np.uint8)
    places = [(x, y) for x in range(120, 1900, 160) for y in range(100, 1060, 160)]
    for x, y in places:
        cv2.rectangle(picture, (x - 10, y - 10), (x + 10, y + 10), (235, 235, 235), -1)
        for dx, dy in ((-5, -5), (5, 5), (-5, 5), (5, -5), (0, 0)):
            cv2.circle(picture, (x + dx, y + dy), 2, (15, 15, 15), -1, cv2.LINE_AA)
    candidates = DiceFinder().find(Pyramid(picture))
    met = [any(np.hypot(c.cx - x, c.cy - y) < 6 for c in candidates) for x, y in places]
    assert sum(met) >= 0.95 * len(places)
    assert sum(c.side < 30 for c in candidates) <= 1.05 * len(places)


def test_dice_as_small_as_the_first_look_can_see_are_looked_for_again():
    """Of the 58 dice of these three crowded tables that look alone found 27, and took them for large enough."""
    in_scope = met = 0
    for index in (37, 54, 59):
        picture, dice = render_small(np.random.default_rng([93, index]))
        candidates = DiceFinder().find(Pyramid(picture))
        for die in dice:
            in_scope += 1
            met += any(np.hypot(c.cx - die["cx"], c.cy - die["cy"]) < max(die["w"], die["h"]) / 2 for c in candidates)
    assert met >= 0.8 * in_scope


@pytest.mark.parametrize(("length", "tile"), [(100, 100), (1408, 704), (1360, 704), (901, 400), (2000, 704)])
def test_tiles_cover_everything_and_every_place_belongs_to_one(length, tile):
    starts = tile_starts(length, tile)
    assert (starts[0], starts[-1] + tile) == (0, max(length, tile))
    for at in range(length):
        assert any(start <= at < start + tile and in_core(at - start, start, tile, length) for start in starts)


@pytest.mark.parametrize("scale", [1.0, 0.7, 0.5, 0.3, 0.153, 0.05])
def test_what_is_seen_smaller_keeps_its_place(scale):
    ramp = np.linspace(0, 250, 1001)[None, :, None] * np.ones((603, 1, 3))
    shown = Pyramid(ramp.astype(np.float32)).scaled(scale)
    assert np.abs(np.array(shown.shape[:2]) - np.array([603, 1001]) * scale).max() <= 1
    middles = (np.arange(shown.shape[1]) + 0.5) / scale - 0.5
    np.testing.assert_allclose(4 * shown[5, 1:-1, 0], middles[1:-1], atol=0.6 / scale)  # its size is of whole pixels


def test_a_crop_is_the_same_from_any_halving_of_the_frame():
    rows, columns = np.mgrid[0:512, 0:640]
    picture = np.dstack([columns / 3, rows / 3, (rows + columns) / 6]).astype(np.uint8)
    for scale in (1.0, 0.49, 0.24, 0.12):
        matrix = crop_matrix(300.0, 250.0, CROP_PX / scale, 30.0)
        x, y = np.clip(cv2.invertAffineTransform(matrix) @ np.array([25, 12, 1]), 0, [639, 511])
        shown = cut(Pyramid(picture), matrix, CROP_PX)[12, 25].astype(int)
        assert np.abs(shown - np.array([x / 3, y / 3, (x + y) / 6])).max() < 2.5


def test_trace_shows_the_heat_and_changes_nothing():
    frame = load_photo(FIXTURES / "scene_01.jpg")
    shown: dict[str, np.ndarray] = {}
    assert read_dice(frame, trace=shown.__setitem__) == read_dice(frame)
    assert {"heat-close", "heat-wide"} <= set(shown)
    read_dice(np.full((480, 640, 3), 90, np.uint8), trace=shown.__setitem__)  # looks from afar are for few dice
    assert "heat-far" in shown


def test_the_model_files_are_small_enough_for_a_pi():
    assert sum(path.stat().st_size for path in MODELS.glob("*.[jo]*")) <= 5_000_000


def test_another_picture_of_a_rest_is_read_alike_for_less_than_half():
    reader, scene = DiceReader(), cv2.resize(load_photo(FIXTURES / "scene_13.jpg"), (1280, 720))
    noise = np.random.default_rng(1).normal(0, 3, scene.shape)
    another = np.clip(scene + noise, 0, 255).astype(np.uint8)
    first = reader.read(scene)
    once = reader.multiply_adds
    again = reader.read_again(another, None, first)
    assert reader.multiply_adds < 1.5 * once
    assert [(die.value, die.accepted) for die in again.dice] == [(die.value, die.accepted) for die in first.dice]
    assert again != first  # It is read from the other picture.


def test_a_reading_that_is_not_the_last_is_followed_by_one_of_the_whole_frame():
    reader = DiceReader()
    first = reader.read(load_photo(FIXTURES / "scene_01.jpg"))
    reader.read(np.full((480, 640, 3), 90, np.uint8))
    scene = load_photo(FIXTURES / "scene_13.jpg")
    assert reader.read_again(scene, None, first) == DiceReader().read(scene)


def test_five_dice_cost_less_than_a_thousand_million_multiply_adds():
    reader = DiceReader()
    scene = cv2.resize(load_photo(FIXTURES / "scene_13.jpg"), (1280, 720))
    reader.read(scene)
    assert reader.multiply_adds < 1_000_000_000


def face(value: int, body: int = 230, pip: int = 20) -> np.ndarray:
    """A drawn face, upright, as count_pips takes it."""
    spots = {1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8]}[value]
    picture = np.full((72, 72, 3), 90, np.uint8)
    cv2.rectangle(picture, (13, 13), (58, 58), (body, body, body), -1)
    for spot in spots:
        centre = (24 + 12 * (spot % 3), 24 + 12 * (spot // 3))
        cv2.circle(picture, centre, 4, (pip, pip, pip), -1, cv2.LINE_AA)
    return picture


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize(("body", "pip"), [(230, 20), (30, 240)])
def test_pips_are_counted_dark_on_light_and_light_on_dark(value, body, pip):
    upright = face(value, body, pip)
    assert count_pips([upright, np.rot90(upright), face(7 - value)]) == [value, value, 7 - value]


@pytest.mark.parametrize("value", range(1, 7))
def test_pips_are_counted_on_a_face_that_lies_a_little_aside_and_has_bright_edges(value):
    aside = cv2.warpAffine(face(value), np.array([[1.0, 0, 4], [0, 1, -3]]), (72, 72), borderMode=cv2.BORDER_REPLICATE)
    cv2.rectangle(aside, (17, 10), (62, 55), (255, 255, 255), 1)
    assert count_pips([aside]) == [value]


def test_a_two_along_an_edge_and_a_large_one_are_counted_as_dice_from_east_asia_have_them():
    body = face(1, pip=230)
    two = body.copy()
    for x in (28, 44):
        cv2.circle(two, (x, 36), 4, (180, 60, 20), -1, cv2.LINE_AA)
    one = cv2.circle(body.copy(), (36, 36), 10, (20, 20, 190), -1, cv2.LINE_AA)
    assert count_pips([two, np.rot90(two), one]) == [2, 2, 1]


def test_bodies_are_told_without_their_pips_each_by_itself():
    faces = [face(value, body, pip) for value in range(1, 7) for body, pip in [(230, 20), (30, 240), (128, 30)]]
    assert bodies_bgr(faces, 46 / 72).tolist() == [[body] * 3 for _ in range(6) for body in (230, 30, 128)]
    assert bodies_bgr([], 46 / 72).shape == (0, 3)


def test_a_blank_face_has_no_count():
    edge = np.full((72, 72, 3), 128, np.uint8)
    edge[:, :36] = 200
    assert count_pips([np.full((72, 72, 3), 128, np.uint8), face(1, 230, 228), edge]) == [None, None, None]


def test_as_many_faces_as_one_likes_are_counted_at_once():
    values = [1 + i % 6 for i in range(250)]
    assert count_pips([face(value) for value in values]) == values
    assert count_pips([]) == []


def test_a_die_matches_one_label_only():
    labels = [{"cx": 10, "cy": 10, "size_px": 20}, {"cx": 22, "cy": 10, "size_px": 20}]
    die = read_dice(load_photo(FIXTURES / "scene_01.jpg")).dice[0]
    assert matches(labels, (replace(die, cx=17.0, cy=10.0),)) == [(1, 0)]


def test_hidden_and_tiny_dice_are_neither_required_nor_wrong():
    """As the photographs' labels say by `ignore`; our own pictures' say how much of the top face is seen."""
    place = {"value": 5, "cx": 50, "cy": 50, "w": 20, "h": 19}
    die = DieReading(2, 50.0, 50.0, 20.0, 20.0, 0.0, "white", 0.99, True, ((2, 0.99),))
    for label in ({"ignore": True}, {"visible": 0.69}, {"w": 17.9, "h": 17}):
        assert judge([place | label], DiceReading(640, 480, (die,))) == PhotoVerdict()
        assert judge([place | label], DiceReading(640, 480, ())) == PhotoVerdict()
    for label in ({"ignore": False}, {"visible": 0.7}, {"w": 18.0, "h": 17}):
        wrong = judge([place | label], DiceReading(640, 480, (die,)))
        assert (wrong.dice, wrong.wrong, wrong.silent) == (1, 1, 1)


def test_a_photograph_whose_name_has_no_underscore_is_of_no_source():
    assert groups_of({"image": "images/nell_IMG_20191208.jpg", "view": "top"}) == ("all", "source nell", "tag top")
    assert groups_of({"image": "893-00001.jpg", "tags": ["small"]}) == ("all", "tag small")


def test_false_dice_are_counted_beside_the_shares_as_there_may_be_more_of_them_than_dice():
    labels = [{"value": 5, "cx": 50, "cy": 50, "size_px": 20}, {"value": 2, "cx": 90, "cy": 50, "size_px": 20}]
    right = DieReading(5, 50.0, 50.0, 20.0, 20.0, 0.0, "white", 0.99, True, ((5, 0.99),))
    wrong = replace(right, cx=90.0, value=3)
    false = [replace(right, cx=200.0 + 40 * number) for number in range(4)]
    verdict = judge(labels, DiceReading(640, 480, (right, wrong, *false)))
    rows = {figure.name: figure for figure in count_groups([JudgedPhoto(("all",), verdict)])}
    assert (rows["silent errors"].value, rows["silent, none there"].value) == (5, 4)
    silent = rows["silent, wrong or missed, of dice"]
    assert (silent.count, silent.total) == (1, 2)
    assert all(row.count is None or row.count <= row.total for row in rows.values())


def test_clusters_join_points_by_short_steps():
    points = np.array([[0, 0], [30, 0], [60, 0], [200, 0]], np.float32)
    assert sorted(len(cluster) for cluster in clusters(points, 40)) == [1, 3]


def test_a_scene_ignores_unknown_keys():
    assert dict(scene_of({"colour_rgb": {"red": [185, 20, 34]}, "moon": 1}).colour_rgb) == {"red": (185.0, 20.0, 34.0)}


def test_what_the_finder_is_sure_of_is_not_dropped_for_a_doubt(sight):
    assert sight(heat=0.9, no_die=0.7).is_die
    assert not sight(heat=0.5, no_die=0.7).is_die


def test_a_faint_find_must_be_read_surely_and_is_asked(sight):
    assert not sight(heat=0.3, no_die=0.1).is_die
    faint = sight(heat=0.3, no_die=0.0)
    assert faint.is_die
    assert confidence_needed(faint, default_reader().thresholds) is None


def test_a_die_and_its_shadow_are_not_two_dice():
    dice = (
        TableDie("die-1", 6, 83.3116707861995, 59.901681921198985, 43.04407661211591, "white"),
        TableDie("die-2", 6, 306.5165840012718, 162.35746122001694, 281.8561462904191, "white"),
    )
    reading = read_dice(Painter().picture(VirtualTable(dice), 10**12), scene_of(virtual_scene()))
    assert ([die.value for die in reading.dice], reading.unread) == ([6, 6], ())


def face_sight(value: int, chance: float, x: float, readable: bool = True) -> Sight:
    chances = np.full(8, (1 - chance) / 7, np.float32)
    chances[value] = chance
    face = np.zeros((72, 72, 3), np.uint8) if readable else None
    return Sight(Candidate(x, 0, 30, 30, 0.7), (x, 0, 20, 0), chances, True, value, face)


def told(sights: list[Sight]) -> list[tuple]:
    return [(sight.candidate, sight.value, sight.confidence, sight.agreed) for sight in sights]


def test_of_two_dice_with_one_top_face_the_surer_is_left_and_asked_if_they_differ():
    six, doubtful_six, doubtful_two = face_sight(6, 0.99, 0), face_sight(6, 0.7, 11), face_sight(2, 0.7, 11)
    assert told(drop_same_face([doubtful_six, six])) == told([six])
    assert told(drop_same_face([six, doubtful_two])) == told([replace(six, agreed=False)])


def test_dice_that_touch_and_what_cannot_be_read_keep_their_faces():
    touching, unread = [face_sight(6, 0.99, 0), face_sight(2, 0.7, 15)], face_sight(2, 0.7, 5, readable=False)
    assert told(drop_same_face(touching)) == told(touching)
    assert told(drop_same_face([*touching, unread])) == told([*touching, unread])


@pytest.mark.parametrize(("chance", "value", "asked"), [(0.99, 6, 0), (0.9, None, 1)])
def test_what_is_odd_in_size_is_asked_and_only_named_when_sure(chance, value, asked):
    usual = [face_sight(3, 0.99, 100 * i) for i in range(3)]
    small = replace(face_sight(6, chance, 500), candidate=Candidate(500, 0, 10, 10, 0.5))
    odd = [sight for sight in mark_odd_sizes([*usual, small]) if sight.candidate.cx == 500]
    assert [sight.value for sight in odd if sight.readable] == ([value] if value else [])
    assert sum(not sight.readable for sight in odd) == asked
    assert all(sight.odd_size for sight in odd)


def test_what_is_none_is_marked_in_the_picture_of_a_miss():
    frame = np.full((200, 200, 3), 90, np.uint8)
    die = DieReading(6, 100, 100, 30, 30, 0, None, 0.99, True, ())
    reading = DiceReading(200, 200, (die,))
    red = [
        picture[..., 2].astype(int) - picture[..., 1] > 100
        for picture in (
            draw_miss(frame, [], reading),
            draw_miss(frame, [{"cx": 100, "cy": 100, "size_px": 30, "value": 6}], reading),
        )
    ]
    assert red[0].any()
    assert not red[1].any()


@pytest.fixture
def sight() -> Callable[..., Sight]:
    def make(heat: float, no_die: float) -> Sight:
        chances = np.array([no_die, 1 - no_die, 0, 0, 0, 0, 0, 0], np.float32)
        return Sight(Candidate(0, 0, 20, 20, heat), (0, 0, 20, 0), chances, True, None)

    return make


def test_a_hot_find_that_networks_doubt_is_asked_by_the_value_that_its_pips_show_too():
    chances = np.array([0.58, 0, 0, 0, 0.01, 0, 0.4, 0.01], np.float32)
    doubted = replace(face_sight(6, 0.4, 0), chances=chances)
    assert (doubted.readable, doubted.value) == (True, 6)
    assert float(doubted.chances[1:7].max()) < default_reader().thresholds.accept
    assert not replace(doubted, pips=None).readable
    assert not replace(doubted, pips=4).readable
    perhaps_unreadable = np.array([0.4, 0, 0, 0, 0.01, 0, 0.3, 0.29], np.float32)
    assert not replace(doubted, chances=perhaps_unreadable).readable
    assert not replace(doubted, candidate=Candidate(0, 0, 20, 20, 0.5)).readable


def test_what_would_be_asked_is_seen_larger_the_likeliest_first():
    thresholds = default_reader().thresholds
    sure, alone = face_sight(6, 0.95, 0), replace(face_sight(6, 0.95, 0), pips=None)
    split, likely, unlikely = replace(sure, agreed=False), face_sight(5, 0.8, 0), face_sight(0, 0.8, 0)
    known = {0: sure, 1: alone, 2: split, 3: likely, 4: unlikely}
    assert most_doubtful(known, thresholds) == [1, 2, 3]
    crowd = {i: face_sight(3, 0.4 + i / 100, 0) for i in range(30)}
    assert most_doubtful(crowd, thresholds) == list(range(30 - MOST_DOUBTFUL, 30))


def test_a_die_turned_upright_is_not_dropped_for_what_the_third_network_alone_says():
    six, print_ = np.zeros(8, np.float32), np.zeros(8, np.float32)
    six[[NO_DIE, 6]], print_[[NO_DIE, 6]] = (1, 4), (9, 5)
    others = [FacePrediction(six, (0, 0, 20, 0)), FacePrediction(six, (0, 0, 20, 0))]
    limited = cap_no_die(FacePrediction(print_, (0, 0, 20, 0)), others)
    assert limited.scores.tolist() == [2, *print_[1:]]
    assert cap_no_die(others[0], others).scores.tolist() == six.tolist()


def test_the_third_network_sees_nothing_of_a_frame_without_doubts():
    reader = DiceReader()
    dice = tuple(TableDie(str(v), v, 60.0 * v, 120, 10.0 * v) for v in range(1, 7))
    reading = reader.read(Painter().picture(VirtualTable(dice), 0), scene_of(virtual_scene()))
    assert reading.accepted
    assert sorted(die.value for die in reading.dice) == [1, 2, 3, 4, 5, 6]
    assert reader.close_reader.multiply_adds == 0
