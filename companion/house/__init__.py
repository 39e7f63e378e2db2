"""Everything that outlives one game: the host, people, seasons, referees, pictures.

No HTTP: `web` asks here. No rule, and no game by name.
"""
