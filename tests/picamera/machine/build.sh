#!/usr/bin/env bash
# build.sh ROOT CAMERAS: in a new Debian's folder, the camera driver that its kernel leaves out, and what starts the tests.
#
# mmdebstrap calls it when the packages are there. The driver is made of the same kernel's source. Its largest picture is
# made small, since it paints every one whole, which takes an emulated processor seconds.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE ROOT=$1
RELEASE=$(basename "$ROOT"/usr/lib/modules/*)
SOURCE=linux-source-$(echo "$RELEASE" | cut -d. -f1,2)
readonly RELEASE SOURCE DRIVER=$ROOT/usr/src/vimc
WORK=$(mktemp -d)
readonly WORK
trap 'rm -rf "$WORK"' EXIT

(cd "$WORK" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get download -qq "$SOURCE")
dpkg-deb --fsys-tarfile "$WORK/$SOURCE"_*.deb | tar -x -O --wildcards "*/$SOURCE.tar.xz" |
  tar -x -J -C "$WORK" --wildcards '*/drivers/media/test-drivers/vimc/*'
mkdir "$DRIVER"
cp "$WORK/$SOURCE"/drivers/media/test-drivers/vimc/*.[ch] "$DRIVER/"
sed -i 's/\(VIMC_FRAME_MAX_WIDTH\) .*/\1 480/; s/\(VIMC_FRAME_MAX_HEIGHT\) .*/\1 270/' "$DRIVER/vimc-common.h"
(cd "$DRIVER" && printf 'obj-m := vimc.o\nvimc-y := %s\n' "$(printf '%s ' vimc-*.c | sed 's/\.c /.o /g')" >Kbuild)
chroot "$ROOT" make -s -C "/usr/src/linux-headers-$RELEASE" M=/usr/src/vimc modules
install -D -m 644 "$DRIVER/vimc.ko" "$ROOT/usr/lib/modules/$RELEASE/updates/vimc.ko"
depmod -b "$ROOT/usr" "$RELEASE"

install -D -m 644 "$HERE/virtual.yaml" "$ROOT/usr/share/libcamera/pipeline/virtual/virtual.yaml"
install -D -m 644 "$HERE/picamera-tests.service" "$ROOT/etc/systemd/system/picamera-tests.service"
echo camera >"$ROOT/etc/hostname"
rm -rf "$ROOT"/usr/src/* "$ROOT"/usr/lib/gcc "$ROOT"/var/lib/apt/lists/*
