"""The process that owns a camera. It leaves the network before it opens one."""
