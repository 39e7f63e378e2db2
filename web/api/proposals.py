"""Routes of the camera's questions, and of its pictures."""

from flask import Response, request

from companion.errors import NotFound
from companion.journal.codec import event_to_json
from companion.journal.events import Origin
from companion.sensing.answers import answer_json, corrected
from companion.sensing.proposals import Proposal
from companion.words import _
from web.access import gate, rights
from web.api import requests, responses
from web.api.answers import as_json, receipt
from web.api.operations import ENTRY, PROPOSAL, READ, SESSION, Operations
from web.house import host

operations = Operations()


@operations.get(SESSION + "/proposals", "What the camera asks", gives=list[responses.ProposalInfo], refusals=READ)
def proposals(session: str) -> Response:
    host().table(session)
    return as_json(
        [
            responses.ProposalInfo(
                id=proposal.id,
                kind=str(proposal.kind),
                event=event_to_json(proposal.event),
                instead=[(label, event_to_json(event)) for label, event in proposal.instead],
                doubts=[responses.DoubtInfo(d.path, list(d.alternatives), d.picture) for d in proposal.doubts],
                sure=list(proposal.sure),
                note=proposal.note,
                picture=proposal.picture,
                created_us=proposal.created_us,
                counts_us=proposal.counts_us,
            )
            for proposal in host().proposals(session)
        ]
    )


@operations.post(PROPOSAL + "/confirm", "Agree", gives=responses.Receipt, takes=requests.Confirm, refusals=ENTRY)
def confirm(session: str, proposal: str) -> Response:
    body = requests.body(requests.Confirm)
    return agreed(session, proposal, body.corrections, body.event_id, body.instead)


@operations.post(
    PROPOSAL + "/correct",
    "Say what the dice show",
    gives=responses.Receipt,
    takes=requests.Correct,
    refusals=ENTRY,
)
def correct(session: str, proposal: str) -> Response:
    body = requests.body(requests.Correct)
    return agreed(session, proposal, body.corrections, body.event_id)


def agreed(
    session: str, proposal: str, corrections: dict[str, int], event_id: str, instead: int | None = None
) -> Response:
    """Makes a proposal an event. A repeated request gets the same answer, though the proposal is gone by then."""
    table = host().table(session)
    known_answer = table.answered(event_id, answer_json(proposal, corrections, instead))
    if known_answer is not None:
        return receipt(known_answer)
    event, _reading = corrected(table.game, waiting_proposal(session, proposal), corrections, instead)
    rights.required_to_enter(table, event)
    return receipt(host().confirm(proposal, corrections, Origin(event_id, sender=gate.sender()), instead))


@operations.post(PROPOSAL + "/dismiss", "Forget the question", gives=responses.Done, refusals=READ)
def dismiss(session: str, proposal: str) -> Response:
    question, table = waiting_proposal(session, proposal), host().table(session)
    rights.required_to_enter(table, question.event)
    host().dismiss(session, proposal)
    return as_json(responses.Done())


@operations.get("/api/pictures/{picture}.jpg", "A picture by its hash", gives="image/jpeg", refusals=READ)
def picture(picture: str) -> Response:
    """The picture with this hash. A browser asks again each time, so that a deleted picture is no longer shown."""
    response = Response(host().pictures.jpeg(picture, gate.only_session()), mimetype="image/jpeg")
    response.cache_control.private = response.cache_control.no_cache = True
    response.set_etag(picture)
    response.make_conditional(request)
    return response


@operations.get("/api/pictures/{picture}/clip.jpg", "The clip beside a picture", gives="image/jpeg", refusals=READ)
def clip(picture: str) -> Response:
    """The pictures of the last two seconds before that rest, below one another. A deleted clip is no longer shown."""
    response = Response(host().pictures.strip(picture, gate.only_session()), mimetype="image/jpeg")
    response.cache_control.private = response.cache_control.no_cache = True
    response.set_etag(picture)
    response.make_conditional(request)
    return response


def waiting_proposal(session: str, proposal: str) -> Proposal:
    """A proposal of this session; raises NotFound when there is none of that id."""
    host().table(session)
    for waiting in host().proposals(session):
        if waiting.id == proposal:
            return waiting
    raise NotFound(_("Somebody already answered this question. Look at the sheet."))
