"""The people of a house: a name, a mark, and the seats they sat in. All of it is outside every hash chain.

A game knows its players by random ids. A profile says which of those ids were one person, so that games add up to a
season. Deleting a person deletes the profile, the names and the pictures, and every game stays whole.
"""

import base64
import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import astuple, dataclass

import msgspec

from companion.clock import wall_us
from companion.errors import BadInput, NotFound
from companion.game.players import PlayerId
from companion.house import erasure
from companion.house.symbols import COLOURS, FACES, SYMBOLS, Mark, face_of, free_mark
from companion.journal.record import digest_bytes
from companion.journal.session import new_id
from companion.journal.settings import FACE, FACE_PHOTO, KEPT_MARK, Setting
from companion.journal.store import Journal
from companion.names import alike, check_name
from companion.words import N_, _

PROFILE = (
    "SELECT profiles.*, coalesce(value, '') FROM profiles"
    f" LEFT JOIN settings ON settings.name = '{FACE.for_key('').name}' || profiles.id"
)
PROFILES = f"{PROFILE} ORDER BY profiles.name COLLATE NOCASE"
NOBODY = N_("There is no such person here. Choose someone from the list.")
CLAIM = "INSERT OR IGNORE INTO seats SELECT id, ? FROM players WHERE name = ? COLLATE NOCASE"


@dataclass(frozen=True)
class Profile:
    """A person of this house.

    face    one of FACES, the digest of a photo, or "" for none
    """

    id: str
    name: str
    symbol: str
    colour: str
    created_wall_us: int
    face: str = ""

    @property
    def mark(self) -> Mark:
        return Mark(self.symbol, self.colour, face_of(self.id, self.face))


@dataclass(frozen=True)
class SentEntry:
    """An entry that came from a person's device: one for their seat, or one labelled with their name."""

    session: str
    seq: int
    label: str


@dataclass(frozen=True)
class Stranger:
    """A name under which somebody has played who is no person of the house, and in how many games."""

    name: str
    games: int


class People:
    """The profiles in one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def everybody(self) -> tuple[Profile, ...]:
        """Every profile, by name."""
        return tuple(Profile(*row) for row in self._journal.select(PROFILES))

    def profile(self, profile_id: str) -> Profile:
        """One profile; raises NotFound."""
        for row in self._journal.select(f"{PROFILE} WHERE profiles.id = ?", (profile_id,)):
            return Profile(*row)
        raise NotFound(_(NOBODY))

    def seated(self) -> Mapping[PlayerId, Profile]:
        """Player of any game → person."""
        people = {profile.id: profile for profile in self.everybody()}
        rows = self._journal.select("SELECT player, profile FROM seats")
        return {player: people[profile] for player, profile in rows if profile in people}

    def faces(self, players: Iterable[PlayerId]) -> Mapping[PlayerId, str]:
        """Player → face of the person in that seat, as in a `Mark`, for those who have one."""
        rows = self._journal.select(
            "SELECT player, profile, value FROM seats JOIN settings ON name = ? || profile"
            " WHERE player IN (SELECT value FROM json_each(?))",
            (FACE.for_key("").name, msgspec.json.encode(tuple(players)).decode()),
        )
        return {player: face_of(profile, stored) for player, profile, stored in rows}

    def choose_face(self, profile_id: str, face: str) -> None:
        """Gives a person one of FACES in place of the one they had, or "" for none; raises BadInput or NotFound."""
        if face not in ("", *FACES):
            raise BadInput(_("Choose one of the faces shown."))
        self._put_face(profile_id, {FACE: face} if face else {})

    def keep_face_photo(self, profile_id: str, jpeg: bytes) -> None:
        """Gives a person their photo as their face; raises NotFound for somebody who was deleted meanwhile."""
        photo = base64.b64encode(jpeg).decode()
        self._put_face(profile_id, {FACE: digest_bytes(jpeg), FACE_PHOTO: photo})

    def _put_face(self, profile_id: str, values: Mapping[Setting[str], str]) -> None:
        with self._journal.changing() as db:
            if not db.execute("SELECT 1 FROM profiles WHERE id = ?", (profile_id,)).fetchone():
                raise NotFound(_(NOBODY))
            erasure.erase_face(db, profile_id)
            for setting, value in values.items():
                setting.for_key(profile_id).insert(db, value)

    def face_photo(self, profile_id: str, digest: str) -> bytes:
        """The JPEG of a person's face; raises NotFound if they have no such photo any more."""
        if FACE.for_key(profile_id).of(self._journal) != digest:
            raise NotFound(_("This picture isn't kept here any more."))
        return base64.b64decode(FACE_PHOTO.for_key(profile_id).of(self._journal))

    def own_marks(self, begun_wall_us: Mapping[PlayerId, int]) -> Mapping[PlayerId, Mark]:
        """Player → mark, for those who were people of the house when their game began: whoever is remembered in the
        middle of a game keeps the colour of its beginning. Marks that were kept (`keep_marks`) come first.

        begun_wall_us   player → when their game began
        """
        players = msgspec.json.encode(tuple(begun_wall_us)).decode()
        rows = self._journal.select(
            """
            SELECT seats.player, symbol, colour, created_wall_us FROM seats JOIN profiles ON profiles.id = seats.profile
            WHERE seats.player IN (SELECT value FROM json_each(?))
            """,
            (players,),
        )
        kept_marks = self._journal.select(
            "SELECT here.value, settings.value FROM json_each(?) AS here JOIN settings ON name = ? || here.value",
            (players, KEPT_MARK.for_key("").name),
        )
        own = {
            player: Mark(symbol, colour)
            for player, symbol, colour, created_wall_us in rows
            if created_wall_us <= begun_wall_us[player]
        }
        return own | {player: Mark(*mark.split()) for player, mark in kept_marks}

    def seats(self, profile_id: str) -> tuple[PlayerId, ...]:
        """The players that this person was, in all games."""
        rows = self._journal.select("SELECT player FROM seats WHERE profile = ?", (profile_id,))
        return tuple(player for (player,) in rows)

    def sent(self, profile_id: str) -> tuple[SentEntry, ...]:
        """Every entry known to come from this person's devices. Their senders are deleted when the person is erased."""
        name, players, names = self.profile(profile_id).name, self.seats(profile_id), self.names()
        rows = self._journal.select("SELECT session, seq, label, player FROM senders ORDER BY session, seq")
        return tuple(
            SentEntry(session, seq, label)
            for session, seq, label, player in rows
            if player in players or erasure.is_named(name, label, names)
        )

    def names(self) -> tuple[str, ...]:
        """Every name of a person of the house, or under which somebody has played."""
        return tuple(name for (name,) in self._journal.select(erasure.NAMES))

    def strangers(self) -> tuple[Stranger, ...]:
        """The names of players who are no people of the house, most games first."""
        rows = self._journal.select("SELECT name FROM players WHERE id NOT IN (SELECT player FROM seats)")
        games = Counter(name for (name,) in rows)
        return tuple(
            Stranger(name, count) for name, count in sorted(games.items(), key=lambda pair: (-pair[1], pair[0]))
        )

    def add(self, name: str) -> Profile:
        """Adds a person with a free mark, who gets all seats of players with that name; raises BadInput."""
        with self._journal.changing() as db:
            return add_profile(db, name)

    def claim(self, name: str) -> Profile:
        """Gives all seats of players with a name to the person of that name, added if unknown; raises BadInput."""
        profile = next((person for person in self.everybody() if alike(person.name) == alike(name)), None)
        if profile is not None:
            self._refuse_beside(profile, name)
        elif self._sat_beside((profile := self.add(name)).id, name):
            return profile  # An older or imported game has two players whose names look the same.
        with self._journal.changing() as db:
            db.execute(CLAIM, (profile.id, name))  # SQLite equates only "ann" and "Ann".
        return profile

    def change(self, profile_id: str, name: str, symbol: str, colour: str) -> Profile:
        """Changes a person's name and mark; the name also in every game they played. Raises BadInput."""
        name_ = check_name(name)
        before = self.profile(profile_id)
        if name_ != before.name:
            self._refuse_beside(before, name_)
        if symbol not in SYMBOLS or colour not in COLOURS:
            raise BadInput(_("Choose one of the symbols and one of the colours shown."))
        with self._journal.changing() as db:
            others = (Profile(*row) for row in db.execute(PROFILES))  # Nobody can take the name from here on.
            refuse_namesake(name_, (person for person in others if person.id != profile_id))
            db.execute(
                "UPDATE profiles SET name = ?, symbol = ?, colour = ? WHERE id = ?", (name_, symbol, colour, profile_id)
            )
            db.execute(
                "UPDATE players SET name = ? WHERE id IN (SELECT player FROM seats WHERE profile = ?)",
                (name_, profile_id),
            )
        return self.profile(profile_id)

    def keep_marks(self, marks: Mapping[PlayerId, Mark]) -> None:
        """Keeps the marks of a game's players, whoever they turn out to be; marks kept before stay."""
        with self._journal.changing() as db:
            keep_marks(db, marks)

    def rename(self, marks: Mapping[PlayerId, Mark], player: PlayerId, name: str) -> None:
        """Gives one player of a game another name, and the seat to the person of that name, or to nobody.

        marks   everybody's mark in that game: they keep it

        Raises BadInput for a name that cannot be used or that somebody else in that game has.
        """
        tidy = check_name(name)
        everybody = msgspec.json.encode(tuple(marks)).decode()
        with self._journal.changing() as db:
            names = db.execute(
                "SELECT id, name FROM players WHERE id IN (SELECT value FROM json_each(?))", (everybody,)
            ).fetchall()
            if any(alike(other) == alike(tidy) for other_player, other in names if other_player != player):
                raise BadInput(_("Two players are called {tidy}. Add a letter to one of them.", tidy=tidy))
            keep_marks(db, marks)
            db.execute(
                "INSERT INTO players VALUES (?, ?, NULL) ON CONFLICT (id) DO UPDATE SET name = excluded.name,"
                " birth_year = NULL",  # The year may be somebody else's.
                (player, tidy),
            )
            db.execute("DELETE FROM seats WHERE player = ?", (player,))
            take_seats(db, {player: tidy})

    def seat(self, names: Mapping[PlayerId, str], remember: Container[str] = ()) -> None:
        with self._journal.changing() as db:
            take_seats(db, names, remember)

    def erase(self, profile_id: str) -> tuple[str, ...]:
        """Deletes everything about a person, here, in the copies beside the journal and in the tails.

        Returns the names of files that could not be changed.
        """
        path = self._journal.path
        with self._journal.copying:
            profile = self.profile(profile_id)
            players = tuple(erasure.seats_in_copies(path, profile_id).union(self.seats(profile_id)))
            with self._journal.changing() as db:
                names = [name for (name,) in db.execute(erasure.NAMES)]
                erasure.erase(db, profile.id, profile.name, players)
                games = erasure.games_of(db, players)
            self._journal.settle()
            tails = self._journal.tail.forget_players(
                frozenset(players), games, lambda text: erasure.is_named(profile.name, text, names)
            )
            copies = erasure.change_copies(path, lambda db: erasure.erase(db, profile.id, profile.name, players))
            return *copies, *tails

    def _refuse_beside(self, profile: Profile, name: str) -> None:
        if self._sat_beside(profile.id, name):
            raise BadInput(
                _(
                    "In one game {name} sat beside another {other}. Add a letter to tell them apart.",
                    name=profile.name,
                    other=name,
                )
            )

    def _sat_beside(self, profile_id: str, name: str) -> bool:
        """Whether a game has this person and somebody else of that name."""
        return bool(
            self._journal.select(
                """
                SELECT 1 FROM sessions, json_each(sessions.header, '$.players') AS here
                JOIN seats ON seats.player = here.value AND seats.profile = ?
                JOIN json_each(sessions.header, '$.players') AS beside ON beside.value <> here.value
                JOIN players ON players.id = beside.value AND players.name = ? COLLATE NOCASE LIMIT 1
                """,
                (profile_id, name),
            )
        )


def add_profile(db: sqlite3.Connection, name: str, created_wall_us: int | None = None) -> Profile:
    """Adds a person, now unless another time is given; see `People.add`."""
    tidy = check_name(name)
    profiles = [Profile(*row) for row in db.execute(PROFILES)]
    refuse_namesake(tidy, profiles)
    mark = free_mark((profile.symbol for profile in profiles), len(profiles) + 1)
    profile = Profile(new_id(), tidy, mark.symbol, mark.colour, created_wall_us or wall_us())
    db.execute("INSERT INTO profiles VALUES (?, ?, ?, ?, ?)", astuple(profile)[:-1])  # without a face
    db.execute(CLAIM, (profile.id, tidy))
    return profile


def take_seats(
    db: sqlite3.Connection,
    names: Mapping[PlayerId, str],
    remember: Container[str] = (),
    begun_wall_us: int | None = None,
) -> None:
    """Gives players' seats to the people with their names; people with the names in `remember` are added.

    begun_wall_us   when the game of these seats begins, for those who are added with it
    """
    people = {alike(profile.name): profile for profile in (Profile(*row) for row in db.execute(PROFILES))}
    seated: set[str] = set()  # A person has one seat at a table: of names that look the same the first counts.
    for player, name in names.items():
        if alike(name) in seated:
            continue
        seated.add(alike(name))
        if name in remember and alike(name) not in people:
            people[alike(name)] = add_profile(db, name, begun_wall_us)
        if profile := people.get(alike(name)):
            db.execute("INSERT OR REPLACE INTO seats VALUES (?, ?)", (player, profile.id))


def keep_marks(db: sqlite3.Connection, marks: Mapping[PlayerId, Mark]) -> None:
    rows = [(KEPT_MARK.for_key(player).name, f"{mark.symbol} {mark.colour}") for player, mark in marks.items()]
    db.executemany("INSERT OR IGNORE INTO settings VALUES (?, ?)", rows)


def refuse_namesake(name: str, others: Iterable[Profile]) -> None:
    """Raises BadInput if one of the others has that name."""
    if any(alike(person.name) == alike(name) for person in others):
        raise BadInput(_("Someone is already called {name}. Add a letter to tell them apart.", name=name))
