"""The web side: pages drawn from the games' widgets, the REST API and the event stream."""
