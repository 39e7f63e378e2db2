"""Shared by SPEEDSTAX, SAMESTAX and SWAPSTAX: no game of its own.

The rules: `timer` (a round and its times), `play` (what each event does to it), `events`, `options`, `stack_off`. How
a round looks and what buttons mean: `board`, in words `telling`; `camera` says what cameras see.
"""
