"""The camera lab: stand-ins for cameras, below the libraries that open them, with the faults that people report.

`LabTable` runs the real service with such a camera, throws dice before it and makes its faults one after the other.
"""
