"""Tests against a real kernel's pins and camera, in an emulated machine: `make test-gpio`."""
