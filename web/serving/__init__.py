"""The web server: one event loop speaks HTTP, threads answer, and a slow device never holds up another.

connections  every open connection with its time limits, how many there may be, and https
turns        turns of what only so many may have at once
body         the body of a request, with its time limit
front        passes a request to the pages, and their answer back
server       the event loop on a thread of its own
"""
