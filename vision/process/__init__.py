"""The process that owns a camera. It leaves the network before it opens one.

No reader's own work: it only says when each one reads.
"""
