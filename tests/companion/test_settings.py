"""The names under which houses have kept what they set: another name would forget it without a word."""

from companion.journal import settings
from companion.journal.settings import Setting

KEPT = {
    "LANGUAGE": ("language", "en"),
    "TABLE_NAME": ("table_name", ""),
    "SET_UP": ("set_up", "no"),
    "SILENT": ("silent", "no"),
    "CORRECTIONS": ("corrections", "players"),
    "PICTURE_DAYS": ("picture_days", "30"),
    "KEEP_CORRECTIONS": ("keep_corrections", "no"),
    "REMEMBER": ("remember", "no"),
    "ENTRANTS": ("entrants", ""),
    "OWN_RULES": ("own_rules", ""),
    "CLEARED_WALL_US": ("cleared_wall_us", "0"),
    "CALENDAR": ("calendar", ""),
    "PAPER": ("paper", ""),
    "CODES_BY_ADDRESS": ("codes_by_address", "no"),
    "PHONE_CAMERA": ("phone_camera", ""),
    "HUB": ("hub", ""),
    "HUB_SINCE_US": ("hub_since", "0"),
    "HUB_SINCE_TABLE_US": ("hub_since_table", "0"),
    "HUB_ENROLLED": ("hub_enrolled", "no"),
    "HUB_KEY": ("hub_key", ""),
    "HUB_CODE": ("hub_code", ""),
    "KEPT_MARK": ("kept_mark", ""),
    "FACE": ("face", ""),
    "FACE_PHOTO": ("face_photo", ""),
    "HUB_PEOPLE": ("hub_people", "no"),
    "HUB_PERSON": ("hub_person", ""),
    "HOUSE": ("house_id", ""),
    "HUB_ASKED": ("hub_asked", "0"),
    "HUB_PIN": ("hub_pin", ""),
    "SLEEPS": ("sleeps", "yes"),
    "CLIPS": ("clips", "yes"),
    "MQTT_ID": ("mqtt_id", ""),
    "HOLDER": ("holder", ""),
    "DELETED": ("deleted", ""),
    "AHEAD_US": ("ahead", "0"),
    "MAKER": ("maker", ""),
    "REFEREE": ("referee", "none"),
    "SECRET": ("secret", ""),
    "PIN": ("pin", ""),
    "RIGHT_PINS": ("right_pins", "[]"),
    "WRONG_PINS": ("wrong_pins", "{}"),
    "HANDED_OVER": ("handed_over", ""),
    "LAST_SCANNED": ("last_scanned", "0"),
    "CODE": ("code", ""),
    "ACCEPT_DICE": ("auto_accept", "yes"),
    "ACCEPT": ("auto_accept", "no"),
}


def test_every_setting_keeps_its_name_and_what_it_usually_is():
    found = {name: one for name, one in vars(settings).items() if isinstance(one, Setting)}
    assert {name: (one.name, one.write(one.usual)) for name, one in found.items()} == KEPT


def test_what_is_set_is_read_back_and_each_game_has_its_own(host):
    settings.SILENT.put(host.journal, True)
    settings.AHEAD_US.for_key("one").put(host.journal, -5)
    assert settings.SILENT.of(host.journal) is True
    assert (settings.AHEAD_US.for_key("one").of(host.journal), settings.AHEAD_US.for_key("two").of(host.journal)) == (
        -5,
        0,
    )
