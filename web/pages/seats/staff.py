"""From the seats to the staff of the hall: a table calls them, or takes its call back."""

from flask import Blueprint, redirect
from werkzeug.wrappers import Response as AnyResponse

from web.house import host
from web.live.camera import came_from

hall_staff = Blueprint("hall_staff", __name__)


@hall_staff.post("/hall/call")
def call() -> AnyResponse:
    """Calls the staff to this table."""
    host().staff.call()
    return redirect(came_from(), 303)


@hall_staff.post("/hall/call-off")
def call_off() -> AnyResponse:
    """Takes the call back."""
    host().staff.call_off()
    return redirect(came_from(), 303)
