#!/usr/bin/env bash
# build.sh FOLDER: what the emulated machine boots: the distribution's own kernel, its GPIO simulator, and an initrd.
#
# Everything comes from the distribution's packages: the kernel with the virtual video device as it is, the GPIO
# simulator (which is left out of it) built from the same kernel's source. Ends with 75 where packages cannot be had,
# with 76 where this kernel's simulator does not build outside of it.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly HERE
readonly CANNOT_BE_HAD=75
readonly CANNOT_BE_BUILT=76
readonly TOOLS=(qemu-system-x86 busybox-static cpio kmod xz-utils make gcc dmsetup e2fsprogs)
readonly MODULES=(virtio_pci 9pnet_virtio 9p overlay configfs vivid virtio_blk crc32c_generic ext4 dm-log-writes brd)

FOLDER=$(realpath -m "$1")
readonly FOLDER
WORK=$(mktemp -d)
readonly WORK
trap 'rm -rf "$WORK"' EXIT

packages() { # packages COMMAND…: apt, or the exit status that says that there are none
  "$@" >"$WORK/log" 2>&1 || {
    tail -n 3 "$WORK/log" >&2
    exit $CANNOT_BE_HAD
  }
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

kernel_package() { apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-/ {print $2; exit}'; }

fetch() { # the kernel, its source and its headers
  local missing=() package
  [ -n "$(kernel_package)" ] || packages as_root apt-get update -qq
  IMAGE=$(kernel_package)
  [ -n "$IMAGE" ] || exit $CANNOT_BE_HAD
  RELEASE=${IMAGE#linux-image-}
  SOURCE=linux-source-$(echo "$RELEASE" | cut -d. -f1,2)
  for package in "${TOOLS[@]}" "linux-headers-$RELEASE"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    packages as_root apt-get update -qq
    packages as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  fi
  (cd "$WORK" && packages apt-get download -qq "$IMAGE" "$SOURCE")
  dpkg -x "$WORK/$IMAGE"_*.deb "$WORK/kernel"
  dpkg -x "$WORK/$SOURCE"_*.deb "$WORK/source"
}

build_gpio_sim() {
  local tree=$WORK/tree/$SOURCE module=$WORK/gpio-sim
  mkdir "$WORK/tree" "$module"
  tar -C "$WORK/tree" -xJf "$WORK/source/usr/src/$SOURCE.tar.xz" --occurrence=1 \
    "$SOURCE"/drivers/gpio/{gpio-sim.c,gpiolib.h} "$SOURCE/kernel/irq/irq_sim.c"
  cp "$tree/drivers/gpio/gpiolib.h" "$module/"
  cp "$tree/drivers/gpio/gpio-sim.c" "$module/gpio-sim-main.c"
  # The distribution's kernel has no simulated interrupts, so they are linked in; of the two functions that give an
  # interrupt's descriptor it exports only the other one.
  sed 's/irq_to_desc(irqnum)/irq_data_to_desc(irq_get_irq_data(irqnum))/' "$tree/kernel/irq/irq_sim.c" >"$module/irq_sim.c"
  printf 'obj-m := gpio-sim.o\ngpio-sim-y := gpio-sim-main.o irq_sim.o\n' >"$module/Kbuild"
  make -s -C "/usr/src/linux-headers-$RELEASE" M="$module" modules >"$WORK/log" 2>&1 || {
    tail -n 5 "$WORK/log" >&2
    exit $CANNOT_BE_BUILT
  }
}

add_module() { # add_module FILE: once, unpacked, after those it needs
  local name
  name=$(basename "$1" .xz)
  [ ! -e "$WORK/initrd/modules/$name" ] || return 0
  case $1 in
    *.xz) xz -dc "$1" >"$WORK/initrd/modules/$name" ;;
    *) cp "$1" "$WORK/initrd/modules/$name" ;;
  esac
  strip -g "$WORK/initrd/modules/$name"
  echo "$name" >>"$WORK/initrd/modules/order"
}

build_initrd() {
  local tree=$WORK/kernel/lib/modules/$RELEASE module line needed
  mkdir -p "$WORK"/initrd/{bin,modules,proc,sys,dev,lower,upper,root}
  cp "$(command -v busybox)" "$WORK/initrd/bin/busybox"
  install -m 755 "$HERE/init" "$WORK/initrd/init"
  depmod -b "$WORK/kernel" "$RELEASE"
  for module in "${MODULES[@]}"; do
    line=$(grep -E "/$module\.ko(\.xz)?:" "$tree/modules.dep") || continue # built in
    for needed in $(echo "${line#*:}" | tr ' ' '\n' | tac) "${line%%:*}"; do
      add_module "$tree/$needed"
    done
  done
  add_module "$WORK/gpio-sim/gpio-sim.ko"
  (cd "$WORK/initrd" && find . | cpio -o -H newc --quiet | gzip -1) >"$WORK/initrd.gz"
}

fetch
build_gpio_sim
build_initrd
mkdir -p "$FOLDER"
cp "$WORK/kernel/boot/vmlinuz-$RELEASE" "$FOLDER/vmlinuz"
cp "$WORK/initrd.gz" "$FOLDER/initrd.gz"
echo "$RELEASE" >"$FOLDER/release"
