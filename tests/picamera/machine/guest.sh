#!/usr/bin/env bash
# In the emulated machine: has the driver's camera paint quickly, gives libcamera its cameras without a driver, runs the tests.
modprobe vimc || exit 1
udevadm settle
for device in /dev/v4l-subdev*; do
  v4l2-ctl -d "$device" --set-ctrl debayer_mean_window_size=1 2>/dev/null || true # one of the parts has this control
done
cd /checks/checkout || exit 1
install -D -m 644 tests/picamera/machine/virtual.yaml /usr/share/libcamera/pipeline/virtual/virtual.yaml
export COMPANION_LIBCAMERA=1 LIBCAMERA_LOG_LEVELS='*:ERROR' PYTHONUNBUFFERED=1
export PYTHONPATH=/checks/packages:/checks/checkout/tests/picamera/machine/lacking
# libcamera 0.4.0 does not write into a virtual camera's buffer whether its picture is whole, and picamera2 drops one that is not:
# memory that is taken is 0 here, and that says it is
export GLIBC_TUNABLES=glibc.malloc.perturb=255:glibc.malloc.tcache_count=0
# the tests of every day too: what they say of picamera2's calls is held against the real one here
python3 -m pytest tests/picamera/test_gone.py tests/picamera/test_cameras.py tests/vision/test_picam.py --tb=short --durations=12 -p no:cacheprovider \
  -p no:hypothesispytest -p no:schemathesis -p no:anyio -p no:pytest_cov -p no:xdist \
  -o addopts="-q -ra --import-mode=importlib" -o junit_family=xunit1 --junitxml=/run/report/junit.xml
