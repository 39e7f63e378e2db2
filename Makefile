# make run      sets everything up and starts a playable table at http://localhost:8000 (PORT=… for another port)
# make run-hub  starts a hall of five simulated tables that play, at http://localhost:8100 (HUB_PORT=… for another port)
# make check    before a commit: lint, types, the rules, the core, the box and the pages, without a browser or a service
# make test     sets everything up and runs the tests that every change must pass, and names what it does not show
# make test-touched  runs those of them that the change since main can reach (BASE=… for another branch)
# make test-all   runs every test and writes docs/shown.md; PARTS="kills hall" runs those parts of tests/rings/rings.toml alone
# make test-long  runs every test, property tests with 500 examples each in place of 15; SEED=7 draws others
# make costs      tells for how long each test file takes processors, and for how long it only waits (FILES=tests/web)
# make bench NAME=board  measures what needs a checkout: board building card held hub load mat stacks thrown tower
#   tutorial watch (LABELS=FOLDER of labelled pictures); what a table can measure by itself is companion bench
# make figures NAMES="rules web idle"  measures BASE=main and this checkout in turn, and fails where something is slower or
#   heavier than 1.2 times and no commit has a line "Dearer: NAME: why" (TIMES=3 each)
# make coverage   says which lines of the games their tests never reach (2 minutes)
# make torture  kills the service 200 times under load and looks whether anything was lost (up to 12 minutes)
# make torture-hub  kills a hub 200 times while tables upload and looks whether a game was lost or counts twice (5 minutes)
# make rehearsal  plays an evening in which twelve things go wrong, with a real hub and six tables, and writes
#   docs/rehearsal.md (SEED=7 plays another; 4 to 6 minutes)
# make rush     1,000 streams, 256 slow, 100 greedy and 40 guessing devices at once, at a table and then at a hub (an hour;
#   MINUTES=5 each)
# make damage   damages every block of the journal's files and kills a restore and a deletion anywhere (6 minutes)
# make test-gpio  tests the box on a real kernel's pins and camera, in an emulated machine (6 minutes)
# make test-arm installs the bundle in an emulated ARM machine without a network and tries it there (an hour, root;
#   make test-arm PARTS="make_a_pi install readings" tries only those; CUTS=20 SEED=7 cuts the power
#   at so many moments while an older version is installed and brought up to date;
#   PARTS="make_a_pi install demo costs" counts what the work costs, and reckons it for each Pi;
#   PARTS="make_a_pi install wifi" has a phone choose the house's Wi-Fi, with simulated radios;
#   PARTS="make_a_pi install raspi3b" reads the lights of an emulated Raspberry Pi 3B)
# make test-picamera  tries the Pi's camera through the real libcamera and picamera2, in an emulated machine (half an hour,
#   root)
# make power    cuts the power of a played game at every flush and between, on a logged disk (15 minutes)
# make install  only sets up: the environment is .venv, the command .venv/bin/companion
# make train    trains the dice reader anew (hours on two cores; needs ../shared/data)
# make train-known  teaches the dice networks what is no die (MINUTES=8 each on a graphics card; SHARE=0.01 as below)
# make train-stacks, train-boards, train-loads, train-towers  train the other readers anew (hours each; SHARE=0.01 only
#   tries whether it runs)
# make screenshots  takes pictures of every page at three sizes, light and dark, into build/screenshots, and all
#   pictures of the documents into docs/images and hardware/pictures (5 minutes)
# make stl      renders the parts to print (needs openscad); make hardware also draws the pictures and tables beside them
# make simulate runs the circuit of the button box in ngspice and writes hardware/schematic/README.md
# make bundle   puts everything for a Pi without a network into one signed file (KEY=…); make lgpio builds its driver anew
# make image    makes a whole card for a Pi with a camera on USB (KEY=…, root, half an hour; START=virt then starts it in an
#   emulated machine, START=raspi3b in a Raspberry Pi 3B)
# make messages brings the catalogues of every language up to date with the code (LANGUAGE=nl begins a new one)
# make versions writes down what is released now, beside which make check compares every later change (docs/versions.md)
# make release  builds wheel, source archive, list of parts, notes and hashes into dist, and with KEY=maker-private.pem the
#   bundle and a signature; built again from the same commit it is the same to the byte
# make container  builds an image for podman, buildah or docker from the wheel (docs/container.md)
# make docs     makes a site of all documents, the contract of games, commands and API, to be read as files: build/site
# make solver   adds OR-tools to .venv, which some searches use where they are there
# make lock     resolves the dependencies anew (needs uv)

PORT ?= 8000
PYTHON ?= python3
BIN := .venv/bin
LOCKS := requirements-run.lock requirements-hub.lock requirements-vision.lock requirements-fast.lock
ROOT_SH := if [ "$$(id -u)" = 0 ]; then echo ""; elif sudo -n true 2>/dev/null; then echo sudo; else echo no; fi
# The locks are whole, so pip resolves nothing: an extra of a locked package would let it look at newer versions.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
# On a Pi numpy, OpenCV, picamera2 and lgpio come from the distribution: PyPI's builds break picamera2's ABI.
ON_A_PI := $(shell grep -qs "Raspberry Pi" /proc/device-tree/model && echo yes)

.PHONY: run test test-long coverage torture damage soak install train lock browser lint
.DEFAULT_GOAL := run

run: .venv/runs
	@exec $(BIN)/companion run --port $(PORT)

HUB_PORT ?= 8100
.PHONY: run-hub
run-hub: .venv/runs
	@command -v mosquitto /usr/sbin/mosquitto >/dev/null || ! [ -t 0 ] || { \
	  printf "Without Mosquitto no table is shown live. Install it? The system starts it, too. [y/N] "; read -r answer; \
	  [ "$$answer" != y ] || $(MAKE) --no-print-directory packages WANTED=mosquitto; } || true
	@exec $(BIN)/companion hub --demo --port $(HUB_PORT)

# The rings of tests: tests/rings/rings.toml says which test runs in which.
RING := $(BIN)/python -m tests.rings
BASE ?= main
SEED ?= 1

.PHONY: check test-touched test-all
check: .venv/installed
	@$(RING) check

test: .venv/installed browser broker
	@$(RING) test

test-touched: .venv/installed browser broker
	@$(RING) touched --base $(BASE)

test-all: .venv/installed browser broker
	@$(RING) all $(PARTS)

# Nothing is in here alone: it is every test, with more examples.
test-long: .venv/installed browser broker
	@$(RING) long --seed $(SEED)

.PHONY: bench
bench: .venv/installed
	@$(BIN)/python -m tests.benches $(NAME) $(if $(LABELS),--labels $(LABELS))

NAMES ?= rules web idle
TIMES ?= 3
.PHONY: figures
figures: .venv/installed
	@$(BIN)/python -m tests.benches.figures --base $(BASE) --times $(TIMES) $(NAMES)

FILES ?= tests
.PHONY: costs
costs: .venv/installed
	$(BIN)/python -m pytest -p tests.costs $(FILES)

coverage: .venv/installed
	$(BIN)/python -m pytest tests/games tests/test_old_games.py tests/test_playthroughs.py tests/test_rulebook.py --cov

torture: .venv/installed
	@$(BIN)/python -m tests.torture

.PHONY: torture-hub
torture-hub: .venv/installed
	@$(BIN)/python -m tests.torture.hub_kills --seed $(SEED)

.PHONY: rehearsal
rehearsal: .venv/installed
	@$(BIN)/python -m tests.hall.rehearsal --seed $(SEED)

.PHONY: rush
rush: .venv/installed
	@$(BIN)/python -m tests.torture.rush --minutes $(or $(MINUTES),30)

damage: .venv/installed
	@$(BIN)/python -m tests.torture.damage

# Plays all games for a few minutes and looks whether the service grows.
soak: .venv/installed
	@$(BIN)/python -m tests.torture.soak

install: .venv/installed

audit:
	@PYTHON="$(PYTHON)" .ci/audit

.PHONY: test-gpio power
test-gpio: .venv/installed
	@$(BIN)/python -m tests.hardware

power: .venv/installed
	@$(BIN)/python -m tests.hardware.power --seed $(SEED)

.PHONY: test-arm
test-arm: .venv/installed
	@$(BIN)/python -m tests.arm $(if $(CUTS),--cuts $(CUTS) --seed $(SEED)) $(PARTS)

.PHONY: test-picamera
test-picamera: .venv/installed
	@$(BIN)/python -m tests.picamera

# a whole card for a Pi with a camera on USB, from Debian's packages and the bundle of the newest commit
.PHONY: image
image: .venv/installed
	@$(BIN)/python -m tests.arm.image $(or $(KEY),maker-private.pem) $(if $(START),--start $(START))

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python -m tests.limits
	@$(MAKE) --no-print-directory older

# Scripts, styles and templates against MDN's data of browsers; it says so where node and its packages cannot be had.
.PHONY: older
older:
	@command -v npm >/dev/null || $(MAKE) --no-print-directory packages WANTED="nodejs npm" || true
	@cd tests/older_browsers && { [ node_modules/.package-lock.json -nt package-lock.json ] || \
	  npm ci --ignore-scripts --no-audit --no-fund >/dev/null 2>&1 && touch node_modules/.package-lock.json; } || \
	  { echo "SKIPPED: node or its packages cannot be had here; that the pages work in older browsers is not shown."; exit 0; }; \
	  node check.mjs ../../web

# What the table runs with, and nothing that only its tests need.
.venv/runs: $(LOCKS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: install it, or name it with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(MAKE) --no-print-directory packages WANTED=python3-venv
	@[ -z "$(ON_A_PI)" ] || $(PYTHON) -c 'import cv2, numpy' 2>/dev/null || \
	  $(MAKE) --no-print-directory packages WANTED="python3-opencv python3-numpy"
	@[ -z "$(ON_A_PI)" ] || $(MAKE) --no-print-directory packages-of-a-pi
	@echo "Setting up .venv (once; half a minute)"
	@$(PYTHON) -m venv --clear $(if $(ON_A_PI),--system-site-packages) .venv
	@$(PIP) --require-hashes -r requirements-run.lock -r requirements-hub.lock $(if $(ON_A_PI),,-r requirements-vision.lock)
	@$(PIP) --only-binary :all: --require-hashes \
	  -r requirements-fast.lock || echo "ONNX Runtime cannot be had here: OpenCV runs the networks, and takes longer."
	@[ -z "$(ON_A_PI)" ] || LG_WD=$${TMPDIR:-/tmp} $(BIN)/python -c 'import lgpio; lgpio.gpiochip_open' 2>/dev/null || \
	  $(PIP) --no-index --find-links hardware/wheels --require-hashes -r requirements-pi.lock
	@$(PIP) --no-build-isolation --editable .
	@touch .venv/runs

.venv/installed: .venv/runs requirements-dev.lock
	@echo "Adding what the tests need (once; half a minute)"
	@$(PIP) --no-compile --require-hashes -r requirements-dev.lock
	@touch .venv/installed

# Chromium for the browser tests, without a window where that can be had, as it takes half the processor; WebKit and
# Firefox for the main flows. What is missing is said where it was skipped.
browser:
	@command -v chromium-headless-shell >/dev/null || \
	  $(MAKE) --no-print-directory packages WANTED=chromium-headless-shell 2>/dev/null || \
	  command -v chromium chromium-browser google-chrome >/dev/null || \
	  $(MAKE) --no-print-directory packages WANTED=chromium || true
	@command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null || \
	  $(MAKE) --no-print-directory packages WANTED="webkit2gtk-driver xvfb" || true
	@command -v firefox firefox-esr >/dev/null || \
	  $(MAKE) --no-print-directory packages WANTED=firefox-esr || true

# Every page at three sizes, light and dark, as pictures to be looked at.
.PHONY: screenshots
screenshots: .venv/installed browser
	@$(BIN)/python -m tests.browser.screenshots build/screenshots
	@$(BIN)/python -m hardware.tools.screenshot

# Mosquitto for the test of MQTT, nginx for those of proxies, sshd for that of tunnels and PostgreSQL for the hub's, which
# say so where they were skipped. sshd and PostgreSQL come only where the system starts no service by itself: nobody's
# machine is opened for a test.
.PHONY: broker
broker:
	@command -v mosquitto /usr/sbin/mosquitto >/dev/null || \
	  $(MAKE) --no-print-directory packages WANTED=mosquitto || true
	@command -v nginx /usr/sbin/nginx >/dev/null || \
	  $(MAKE) --no-print-directory packages WANTED=nginx-light || true
	@command -v sshd /usr/sbin/sshd >/dev/null || [ -d /run/systemd/system ] || [ ! -x /usr/sbin/policy-rc.d ] || \
	  $(MAKE) --no-print-directory packages WANTED="openssh-client openssh-server" || true
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || [ -d /run/systemd/system ] || [ ! -x /usr/sbin/policy-rc.d ] || \
	  $(MAKE) --no-print-directory packages WANTED=postgresql || true

# What a Pi's own system has and plain Debian has not: lgpio then comes from hardware/wheels, and without picamera2 the
# camera is one on USB or in the network.
.PHONY: packages-of-a-pi
packages-of-a-pi:
	@for package in python3-lgpio python3-picamera2; do \
	  if dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed'; then continue; fi; \
	  if apt-cache show $$package >/dev/null 2>&1; then $(MAKE) --no-print-directory packages WANTED=$$package || exit 1; \
	  elif [ $$package = python3-picamera2 ]; then \
	    echo "This system has no python3-picamera2, so a camera on a ribbon cable cannot be used; one on USB or in the network can."; \
	  fi; \
	done

.PHONY: packages
packages:
	@sudo=$$($(ROOT_SH)); \
	if [ "$$sudo" = no ] || ! command -v apt-get >/dev/null; then \
	  echo "The distribution's packages are missing, install them with: sudo apt-get install $(WANTED)" >&2; exit 1; \
	fi; \
	echo "Installing $(WANTED)"; \
	log=$$(mktemp); \
	if ! { $$sudo apt-get update && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y --no-install-recommends $(WANTED); } >$$log 2>&1; then \
	  tail -n 3 $$log >&2; \
	  echo "The distribution's packages could not be installed, try: sudo apt-get install $(WANTED)" >&2; exit 1; \
	fi

train: .venv-train/installed
	.venv-train/bin/python -m vision.training.nets.train

.PHONY: train-known
train-known: .venv-train/installed
	.venv-train/bin/python -m vision.training.nets.known all $(or $(MINUTES),8) $(SHARE)

.PHONY: train-stacks train-boards train-loads train-towers
train-stacks train-boards train-loads train-towers: .venv-train/installed
	.venv-train/bin/python -m vision.training.nets.anew $(@:train-%=%) $(SHARE)

# torch weighs more than everything else together, so it stays out of the environment that plays
.venv-train/installed: requirements-train.lock requirements-run.lock requirements-vision.lock pyproject.toml
	@$(PYTHON) -m venv --clear .venv-train
	@.venv-train/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
	  -r requirements-run.lock -r requirements-vision.lock -r requirements-train.lock
	@.venv-train/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch .venv-train/installed

.PHONY: stl hardware
stl: .venv/installed
	@$(BIN)/python -m hardware.tools.mounts

hardware: stl simulate
	@$(BIN)/python -m hardware.tools.documents

# what flows in the box's circuit when all is well, and when plugs and cables are not (needs ngspice)
.PHONY: simulate
simulate: .venv/installed
	@command -v ngspice >/dev/null || $(MAKE) --no-print-directory packages WANTED=ngspice
	@$(BIN)/python -m hardware.tools.simulate

# whether everything that runs on a 64-bit Pi can be had there without a compiler
.PHONY: wheels
wheels: .venv/installed
	@$(BIN)/python -m hardware.tools.wheels

# lgpio for a 64-bit Pi, built from its source package: are these the bytes in hardware/wheels?
.PHONY: lgpio
lgpio: .venv/installed
	@$(BIN)/python -m hardware.tools.lgpio_wheel

# one file with everything for a Pi that has no network, signed by its maker
.PHONY: bundle
bundle: .venv/installed
	@$(BIN)/python -m hardware.tools.bundle $(or $(KEY),maker-private.pem)

# OR-tools beside what plays: a hub seats some fields better with them, and a packed truck is proven
.PHONY: solver
solver: .venv/runs
	@$(PIP) --only-binary :all: --require-hashes -r requirements-solver.lock

.PHONY: messages
messages: .venv/installed
	@$(BIN)/python -m companion.languages.messages $(LANGUAGE)

.PHONY: release
release: .venv/installed
	@$(BIN)/python -m release.make $(KEY)

.PHONY: container
container: .venv/installed
	@rm -rf build/container build/lib && mkdir -p build/container
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/container .
	@builder=$$(command -v podman || command -v buildah || command -v docker) || { \
	  echo "A builder of containers is missing: install podman, then make container again." >&2; exit 1; }; \
	$$builder build --file Containerfile --tag table-companion .

.PHONY: docs
docs: .venv/installed .venv-docs/installed
	@$(BIN)/python -m release.site
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs --quiet build --strict
	@echo "build/site/index.html"

.venv-docs/installed: requirements-docs.lock
	@$(PYTHON) -m venv --clear .venv-docs
	@.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
	  -r requirements-docs.lock
	@touch .venv-docs/installed

.PHONY: versions
versions: .venv/installed
	@$(BIN)/python -m release.versions

lock:
	for part in run hub vision dev docs audit fast train solver; do \
	  head -n 1 requirements-$$part.lock > requirements-$$part.new; \
	  uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url $$([ $$part != fast ] || echo --no-emit-package numpy) requirements-$$part.in >> requirements-$$part.new && \
	  mv requirements-$$part.new requirements-$$part.lock || exit 1; \
	done
