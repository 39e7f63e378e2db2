"""`companion wiring`: the header's wires, their drawing and a test sheet.

All are made from the plan that the firmware reads, so they agree with it. Nothing here opens a pin: `firmware` does.
"""
