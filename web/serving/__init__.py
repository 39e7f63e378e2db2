"""The web server: uvicorn speaks HTTP on one event loop, threads answer, and a slow device never holds up another.

connections  every open connection, its time limits, how many there may be, and https
parsing      what arrives is read in turns
turns        turns of what only so many may have at once
body         the body of a request, with its time limit
front        the ASGI application: passes a request to the pages, and their answer back
server       uvicorn on a thread of its own
"""
