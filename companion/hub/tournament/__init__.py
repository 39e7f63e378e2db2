"""A tournament of a hall, as a journal of its own: what happened, in order, and the state as the fold of that.

`events`, `state`, `standings`, `pairing`, `hands`, `taking_back`, `seats` and the two solvers are pure; `journals`
reads and writes, and `desk` is the one door, in the hub's database. The journal has ids; the names of the entrants lie
beside it, so that a person can be deleted.
"""
