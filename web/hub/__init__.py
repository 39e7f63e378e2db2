"""What a hub serves: what tables send, the lists for programs, and the pages for people.

`app` builds the application; `here` says what it serves and who may read it.
"""
