"""The REST API, which the tablet's own pages use too: every address, and what answers it."""

from flask import Blueprint

from web.api import events, people, proposals, service, sessions

api = Blueprint("api", __name__)

api.get("/healthz")(service.healthz)
api.get("/metrics")(service.metrics)
api.get("/api/openapi.json")(service.document)
api.get("/api/docs")(service.docs)
api.get("/api/clock")(service.clock)
api.get("/api/games")(service.games)
api.get("/api/sessions")(sessions.sessions)
api.post("/api/sessions")(sessions.create)
api.post("/api/import")(sessions.import_session)
api.get("/api/sessions/<id:session>")(sessions.show)
api.get("/api/sessions/<id:session>/export")(sessions.export)
api.get("/api/sessions/<id:session>/legal")(sessions.legal)
api.get("/api/sessions/<id:session>/history")(sessions.history)
api.post("/api/sessions/<id:session>/hold")(sessions.hold)
api.post("/api/sessions/<id:session>/events")(events.post_event)
api.post("/api/sessions/<id:session>/undo")(events.undo)
api.post("/api/sessions/<id:session>/strike")(events.strike)
api.post("/api/sessions/<id:session>/amend")(events.amend)
api.get("/api/sessions/<id:session>/proposals")(proposals.proposals)
api.post("/api/sessions/<id:session>/proposals/<id:proposal>/confirm")(proposals.confirm)
api.post("/api/sessions/<id:session>/proposals/<id:proposal>/correct")(proposals.correct)
api.post("/api/sessions/<id:session>/proposals/<id:proposal>/dismiss")(proposals.dismiss)
api.get("/api/people")(people.everybody)
api.get("/api/people/<id:profile>")(people.person)
api.get("/api/people/<id:profile>/games")(people.person_games)
api.get("/api/pictures/<id:picture>.jpg")(proposals.picture)
