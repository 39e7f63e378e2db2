"""Everything that outlives one game: the host, who may come in, people, seasons, referees, pictures.

No HTTP: `web` asks here.
"""
