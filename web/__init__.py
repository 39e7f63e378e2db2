"""The web side: pages drawn from the games' widgets, the REST API and the event stream.

It imports `companion`, never `vision` or `firmware`, and knows no game by name.
"""
