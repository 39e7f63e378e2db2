"""What a table and a hub tell each other, packed and signed.

`chain` and `envelope` are a finished game, `people` who played it, and `live` what a table says at this moment.
`errand` and `offer` are what the hub has for a table, `greeting` how it says who it is.
`outbox` keeps what is still to be sent.
"""
