"""Every way in from outside, in one list. `test_entrances` compares it with what exists and attacks each of them.

TABLE, HUB      the routes, by what they read beside their address, its query and the headers
TOPICS          of MQTT, to which a program subscribes
SOCKETS         modules in which somebody else may speak to us, and what reads it there
ANSWERS         modules that ask others and read what these answer
"""

TABLE = {
    "address": """
        api.clip api.clock api.docs api.document api.everybody api.export api.games api.healthz api.history api.legal
        api.metrics api.parts api.person api.person_games api.picture api.proposals api.seen api.sessions api.show
        api.who calibrate.page calibrate.parts_fragment calibrate.picture camera.page certificate.authority
        certificate.page deck.card deck.cut_out deck.page deck.parts_fragment deck.picture devices.house
        devices.pin_page endings.delete_page how_to.game_page how_to.session_page install.manifest install.worker
        lessons.colours_page lessons.die_picture lessons.export line_up.page pages.advice pages.advice_before
        pages.correct_fragment pages.correct_page pages.gallery pages.history pages.history_fragment pages.home
        pages.sheet_fragment pages.sheet_page people.everything people.face people.face_page people.people_page
        people.person_page people.players_page results.dice_page results.entries_csv results.picture
        results.referee_page results.result_page screen.big_screen_fragment screen.big_screen_page
        screen.overlay_fragment screen.overlay_page seasons.old_address seasons.season_csv seasons.season_page
        set_up.entrants_page set_up.import_page set_up.new static stream.session_stream stream.rolls_stream who.page
        wifi.page wizard.page wizard.parts_fragment wizard.photo demo.table_page demo.table_stream
    """,
    "json": """
        api.amend api.choose_who api.come_back api.confirm api.correct api.create api.delete_game api.end_early
        api.go_on api.line_up api.post_event api.rename_player api.rest api.roll api.stand_in api.strike api.undo
        calibrate.colour deck.tap pages.preview demo.card demo.deal demo.die demo.load demo.move demo.press demo.put
        demo.put_block demo.put_down demo.put_onto demo.release demo.roll demo.take demo.tip demo.unload
    """,
    "bytes": """
        api.import_session api.take_photo camera.show photos.keep_final photos.take set_up.import_game wizard.take_photo
    """,
    "form": """
        api.dismiss api.hold calibrate.forget calibrate.forget_colours calibrate.save camera.answer camera.ask
        camera.leave deck.forget deck.keep devices.delete_pictures devices.enter_pin devices.hand_over devices.join
        devices.make_link devices.new_pin devices.revoke devices.set_hub_people devices.set_rules devices.show_code
        endings.delete endings.end endings.go_on hall_staff.call hall_staff.call_off lessons.delete lessons.take_back
        lessons.teach line_up.begin line_up.reorder next_game.again next_game.clear next_game.go_on people.add
        people.change people.choose_face people.delete people.remember people.rename rest.change results.rule
        set_up.begin set_up.begin_offered set_up.enter stand_in.change who.choose wifi.close wifi.join wifi.listen
        wizard.done wizard.name demo.clear demo.rebuild demo.stack
    """,
}
HUB = {
    "address": """
        letters.healthz letters.greeting letters./v1/games letters./v1/games/<session> letters./v1/tables
        letters./v1/kinds board.live board.page board.fragment board.stream tables.page standings.rows standings.page
        staff.page staff.forks staff.fragment tournaments.rows tournaments.journal tournaments.all_page
        tournaments.page tournaments.fragment entrants.page entrants.fragment entrants.links_page entrants.own_page
        entrants.own_fragment entrants.own_stream series.rows series.lines series.page series.fragment series.as_csv
        tournaments.list_fragment
        tournaments.seating tournaments.seating_tables
        tournaments.standings tournaments.standings_lines static ways_in.code_page ways_in.link_page ways_in.people_page
        ways_in.certificate_page ways_in.authority tables.fragment ways_in.people_fragment standings.games_of
    """,
    "json": "letters.enrol letters.errands letters.answer_order",
    "bytes": "letters.take letters.meet",
    "form": """
        staff.new_code staff.revoke staff.count staff.settle staff.rule floor.chime floor.come tournament_staff.begin
        tournament_staff.pair tournament_staff.enter tournament_staff.withdraw tournament_staff.bring_back
        tournament_staff.forget tournament_staff.swap tournament_staff.call tournament_staff.rule
        tournament_staff.unrule tournament_staff.end tournament_staff.rename staff.both_stories
        tournament_staff.seat_late tournament_staff.move tournament_staff.stay_away tournament_staff.take_back
        ways_in.enter_code ways_in.enter_link ways_in.make_link ways_in.revoke
        tournament_staff.retitle tournament_staff.delete tournament_staff.restore tournament_staff.open_again
        staff.take_result staff.leave_result tournament_staff.call_plain tournament_staff.set_clock
        tournament_staff.put_into_series tournament_staff.join entrants.renew_link entrants.suggest series.make
        series.change series.delete series.restore
    """,
}
TOPICS = {"HallListener": ("table-companion/+/table",), "MqttPublisher": ()}
SOCKETS = {
    "companion/app/cli/run.py": "the pages: TABLE",
    "companion/app/hall/command.py": "the hub's pages: HUB",
    "companion/app/hall/mosquitto.py": "looks whether a port is free",
    "companion/app/service/server.py": "the pages: TABLE",
    "companion/app/doctor/command.py": "looks whether a port is free",
    "companion/app/service/camera_process.py": "this user's own programs alone, by the folder's rights",
    "companion/network/wifi/door.py": "the service's group: test_other_ways_in",
    "web/serving/server.py": "the pages: TABLE",
}
ANSWERS = {
    "companion/app/bench/phone.py": "the table's own answers",
    "companion/app/bench/photo.py": "the table's own answers",
    "companion/app/bench/screens.py": "the table's own answers",
    "companion/app/hall/mosquitto.py": "nothing is read",
    "companion/app/service/mqtt.py": "a broker's packets: test_other_ways_in",
    "companion/app/service/camera_process.py": "this user's own programs alone",
    "companion/network/outgoing.py": "a hub's answers, and what answers at the table's port: test_other_ways_in",
    "companion/network/wifi/door.py": "the helper's state: test_other_ways_in",
    "vision/cameras/http_source.py": "a camera's answers: tests/vision/test_network_camera.py",
    "vision/cameras/rtsp_source.py": "a camera's answers: tests/vision/test_network_camera.py",
}
# What JSON routes take, in the form that is right; a test replaces one part after the other.
EVENT = {"kind": "Rolled", "dice": [3, 5]}
SENT = {"event_id": "odd-1", "seen_seq": 0}
DIE = {"key": "red-1"}
SQUARE = {"row": 1, "column": 1}
RIGHT = {
    "api.amend": SENT | {"seq": 1, "event": EVENT, "also": [], "ruled": [], "preview": True},
    "api.choose_who": {"choice": "nobody", "anyway": False},
    "api.come_back": SENT | {"player": "PLAYER"},
    "api.confirm": {"event_id": "odd-1", "corrections": {"dice.0": 3}, "instead": 0},
    "api.correct": {"event_id": "odd-1", "corrections": {"dice.0": 3}},
    "api.create": {"game": "sack_stackers", "players": ["Ann", "Bob"], "options": {"mirror": 1}, "preset": ""},
    "api.delete_game": {"really": "another"},
    "api.end_early": SENT,
    "api.go_on": SENT,
    "api.line_up": SENT | {"session_id": "another-game", "players": [{"name": "Ann", "player": "PLAYER"}]},
    "api.post_event": SENT | {"event": EVENT | {"at_us": -1}},
    "api.rename_player": {"player": "PLAYER", "name": "Cem"},
    "api.rest": SENT | {"player": "PLAYER"},
    "api.roll": SENT,
    "api.stand_in": SENT | {"player": "PLAYER", "who": "Dot"},
    "api.strike": SENT | {"seq": 1, "also": [], "ruled": [], "preview": True},
    "api.undo": SENT | {"seq": 1},
    "calibrate.colour": {"colour": "red", "x": 0.5, "y": 0.5},
    "deck.tap": {"x": 0.5, "y": 0.5},
    "pages.preview": {"event": EVENT},
    "demo.card": {"number": 1},
    "demo.deal": {"counts": [1, 2, 3, 4, 5]},
    "demo.die": DIE,
    "demo.load": SQUARE | {"size": 1, "truck": 1, "along": "r"},
    "demo.move": DIE | {"x_mm": 1.0, "y_mm": 1.0},
    "demo.press": {"button": "seat-1"},
    "demo.put": SQUARE | {"colour": "red"},
    "demo.put_block": {"way": "up_y", "x_mm": 1.0},
    "demo.put_down": DIE | {"x_mm": 1.0, "y_mm": 1.0},
    "demo.put_onto": DIE | {"onto": "blue-1"},
    "demo.release": {"button": "seat-1"},
    "demo.roll": {"count": 2},
    "demo.take": SQUARE,
    "demo.tip": SQUARE | {"first": 1},
    "demo.unload": SQUARE | {"truck": 1},
    "letters.enrol": {"code": "CODE", "public": "00", "signature": "00", "name": "Table 1"},
    "letters.errands": {"key": "0" * 64, "challenge": "0" * 32, "signature": "00"},
    "letters.answer_order": {"key": "0" * 64, "order": "odd-1", "said": "", "signature": "00"},
}
