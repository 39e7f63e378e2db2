"""The Pi's camera through the real libcamera and picamera2: `make test-picamera` runs these in an emulated machine.

Its cameras are libcamera's own simulations: `virtual` makes two of them without any driver, `vimc` one of a driver of
the kernel, which can be unplugged.
"""
