#!/usr/bin/env bash
# In the emulated machine: makes it a Raspberry Pi as far as the service can tell, then runs the tests.
set -euo pipefail
FOLDER=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
readonly FOLDER
readonly OPT=/opt/table-companion
readonly PI_4B=c03115
readonly SIMULATED=/sys/kernel/config/gpio-sim

chip() { # chip LABEL LINES: a simulated chip; a Pi has more than one, and the header's is not always the first
  local bank=$SIMULATED/$1/bank0
  mkdir "$SIMULATED/$1" "$bank"
  echo "$1" >"$bank/label"
  echo "$2" >"$bank/num_lines"
  echo 1 >"$SIMULATED/$1/live"
}

like_a_pi() { # the lines of this machine's processors, which ONNX Runtime counts, and after them those of a Pi
  cat
  printf 'Hardware\t: BCM2835\nRevision\t: %s\nModel\t\t: Raspberry Pi 4 Model B, emulated\n' $PI_4B
}

make_a_pi() {
  chip raspberrypi-exp-gpio 8
  chip pinctrl-bcm2711 58
  like_a_pi </proc/cpuinfo >/run/cpuinfo
  mount --bind /run/cpuinfo /proc/cpuinfo
}

make_users() { # what hardware/install.sh does, and udev on a Pi
  local group
  for group in gpio video; do
    getent group $group >/dev/null || groupadd --system $group
  done
  useradd --system --user-group --groups gpio,video --home-dir /var/lib/table-companion table-companion
  chgrp gpio /dev/gpiochip*
  chgrp video /dev/video0
  chmod 660 /dev/gpiochip* /dev/video0
}

install_the_checkout() { # where the unit looks for it; links instead of copies, the checkout may lie where it cannot look
  local python
  python=$("$FOLDER/.venv/bin/python" -c 'import sys; print(sys.base_prefix)')
  mkdir -p $OPT/python $OPT/checkout $OPT/current/venv/bin
  mount --bind "$python" $OPT/python
  mount --bind "$FOLDER" $OPT/checkout
  ln -s $OPT/python/bin/python3 $OPT/current/venv/bin/python
  ln -s $OPT/checkout/.venv/lib $OPT/current/venv/lib
  printf 'home = %s\n' $OPT/python/bin >$OPT/current/venv/pyvenv.cfg
  cat >$OPT/current/venv/bin/companion <<-COMMAND
	#!$OPT/current/venv/bin/python
	from companion.__main__ import main
	if __name__ == "__main__":
	    main()
	COMMAND
  chmod 755 $OPT/current/venv/bin/companion
  local unit
  for unit in table-companion table-camera; do
    cp "$FOLDER/hardware/systemd/$unit.service" /run/systemd/system/
    mkdir "/run/systemd/system/$unit.service.d"
    # Only what the machine lacks: no log keeper, no start-up to wait for, and a Python that lives elsewhere.
    cat >"/run/systemd/system/$unit.service.d/machine.conf" <<-CONF
	[Unit]
	DefaultDependencies=no
	[Service]
	Environment=PYTHONPATH=$OPT/checkout LD_LIBRARY_PATH=$OPT/python/lib
	BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
	StandardOutput=append:/run/report/service.log
	StandardError=inherit
	CONF
  done
  systemctl daemon-reload
}

make_a_pi
make_users
install_the_checkout
cd "$FOLDER"
export COMPANION_PINS=$SIMULATED/pinctrl-bcm2711 LG_WD=/run PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
.venv/bin/python -m pytest tests/hardware --tb=short --durations=12 -p no:cacheprovider -p no:hypothesispytest \
  -o addopts="-q -ra --import-mode=importlib" -o junit_family=xunit1 --junitxml=/run/report/junit.xml || echo "pytest ended with $?"
sync
