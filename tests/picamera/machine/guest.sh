#!/usr/bin/env bash
# In the emulated machine: has the driver's camera paint quickly, gives picamera2 memory for its pictures, runs the tests.
exec >>/report/tests.log 2>&1
echo "up after $(cut -d' ' -f1 /proc/uptime) s"
modprobe vimc
udevadm settle
for device in /dev/v4l-subdev*; do
  v4l2-ctl -d "$device" --set-ctrl debayer_mean_window_size=1 2>/dev/null || true # one of the parts has this control
done
ln -s system /dev/dma_heap/linux,cma # picamera2 takes memory of this name only, which a PC's kernel has not
cd /checkout || exit 1
export COMPANION_LIBCAMERA=1 LIBCAMERA_LOG_LEVELS='*:ERROR' PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
export PYTHONPATH=/opt/packages:/checkout/tests/picamera/machine/lacking
# the tests of every day too: what they say of picamera2's calls is held against the real one here
python3 -m pytest tests/picamera/test_gone.py tests/picamera/test_cameras.py tests/vision/test_picam.py --tb=short --durations=12 -p no:cacheprovider \
  -p no:hypothesispytest -p no:schemathesis -p no:anyio -p no:pytest_cov -p no:xdist \
  -o addopts="-q -ra --import-mode=importlib" -o junit_family=xunit1 --junitxml=/report/junit.xml || echo "pytest ended with $?"
sync
