"""`companion bench`: measures what this machine achieves. What needs a checkout is in `tests/benches`.

All code that measures is there and here, none in the code that is measured.
"""
