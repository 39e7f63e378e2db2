"""How requests come in: uvicorn speaks HTTP on every connection, threads answer, and nobody who is slow holds one up.

connections  every connection, how long it may wait with a request, and https
body         the body of a request, which comes in good time or not at all
front        the way of a request to the pages and of the answer back
server       uvicorn, on a thread of its own
"""
