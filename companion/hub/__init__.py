"""Games of many tables: what a table hands to a hub, packed and signed, and what the hub keeps of it.

`chain`, `envelope`, `judging` and `keys` are pure; `outbox` is the table's side in its journal, `record` and
`migrations` the hub's side in a database of its own. No table, no house, no pages, no network: whoever sends or
receives brings those.
"""
