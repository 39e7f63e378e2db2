#!/usr/bin/env bash
# In the emulated machine: a game is played on a disk whose writes are logged, then the power is cut at each of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
export PATH=$PATH:/usr/sbin:/sbin DM_DISABLE_UDEV=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 # no udev here
seed=$(sed 's/.*companion\.seed=\([0-9]*\).*/\1/' /proc/cmdline)
.venv/bin/python -m tests.hardware.power_cuts /run/report/power.json "$seed" || echo "it ended with $?"
sync
