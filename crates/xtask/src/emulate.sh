#!/usr/bin/env bash
# Runs a static x86-64 Linux program on an emulated Ice Lake CPU, which has
# AVX-512 F, BW, VL, VBMI and VBMI2 whatever the host's CPU has.
#
#   emulate.sh BINARY [ARGS...]
#
# Bochs boots Debian's cloud kernel with an initramfs that holds the program.
# What the program prints comes out here, and its exit status is ours.
# Our own statuses: 2 bad usage, 3 a tool is missing, 4 the guest gave no status.
#
#   EMULATE_CACHE    where the kernel is kept  (${XDG_CACHE_HOME:-~/.cache}/emulate)
#   EMULATE_MEMORY   the guest's memory in MiB (1024)
#   EMULATE_TIMEOUT  the longest run in seconds (3600)
#   EMULATE_ENV      variables for the program, such as "RUST_BACKTRACE=1 A=b"
#   EMULATE_FILES    a folder that the program finds at the same path
#
# The program runs in a folder of the same name as the present one, but empty.
set -euo pipefail

[ $# -ge 1 ] && [ -f "$1" ] || { echo "usage: $0 BINARY [ARGS...]" >&2; exit 2; }
binary=$1
shift

# Look for each tool, and name the packages of those that are missing.
missing=
need() { [ -e "$1" ] || command -v "$1" >/dev/null || missing+=" $2"; }
need bochs "bochs"
need /usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so bochs-term
need /usr/share/bochs/BIOS-bochs-latest bochsbios
need /usr/share/bochs/VGABIOS-lgpl-latest vgabios
need /usr/lib/ISOLINUX/isolinux.bin isolinux
need /usr/lib/syslinux/modules/bios/ldlinux.c32 syslinux-common
need xorriso xorriso
need cpio cpio
need script bsdutils
# The dynamic busybox would not start in an initramfs that has no libc.
busybox=$(command -v busybox || true)
dpkg -s busybox-static >/dev/null 2>&1 || missing+=" busybox-static"
if [ -n "$missing" ]; then
    echo "$0: first run: apt-get install --no-install-recommends$missing" >&2
    exit 3
fi

work=$(mktemp -d)
pid=
cleanup() {
    if [ -n "$pid" ]; then kill "$pid" 2>/dev/null && wait "$pid" || true; fi
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Fetch the kernel's package once and take only the kernel out of it.
cache=${EMULATE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/emulate}
if [ ! -s "$cache/vmlinuz" ]; then
    mkdir -p "$cache" "$work/deb"
    package=$(apt-cache depends linux-image-cloud-amd64 |
        sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    [ -n "$package" ] || { echo "$0: no linux-image-cloud-amd64; run apt-get update" >&2; exit 3; }
    (cd "$work/deb" && apt-get -qq download "$package" && dpkg -x ./*.deb .) >&2
    cp "$work"/deb/boot/vmlinuz-* "$work/vmlinuz"
    mv "$work/vmlinuz" "$cache/vmlinuz"
fi

# The initramfs: busybox, the program, and an init that runs it on the serial port.
# The marks tell the program's output from the kernel's.
mark="@@emulate-$RANDOM$RANDOM@@"
root=$work/root
iso=$work/iso
mkdir -p "$root/bin" "$iso/isolinux"
cp "$busybox" "$root/bin/busybox"
strip -o "$root/program" "$binary" 2>/dev/null || cp "$binary" "$root/program"
chmod 755 "$root/program"
mkdir -p "$root/$PWD"
if [ -n "${EMULATE_FILES:-}" ]; then
    mkdir -p "$root/$EMULATE_FILES"
    cp -r "$EMULATE_FILES/." "$root/$EMULATE_FILES"
fi
cat >"$root/init" <<EOF
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp TMPDIR=/tmp ${EMULATE_ENV:-}
mkdir -p /proc /sys /dev /tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
exec </dev/null >/dev/ttyS0 2>&1
stty -F /dev/ttyS0 -opost
cd ${PWD@Q}
echo "$mark"
/program ${*@Q}
echo "$mark\$?"
# Let the last characters leave the serial port, then end Bochs over ACPI.
sleep 1
poweroff -f
EOF
chmod 755 "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$iso/initrd"

# The kernel's parameters work around what Bochs 2.7 gets wrong:
# - clearcpuid=xsaves,xsavec,pku: CPUID leaf 13 gives wrong sizes for these, and
#   the kernel would then turn off XSAVE and with it AVX and AVX-512.
# - clearcpuid=fsrm: Bochs has no MISC_ENABLE register, so the kernel clears ERMS
#   but keeps FSRM; its memmove then breaks on short lengths and the boot hangs.
# - intel_idle.max_cstate=0, tsc=unstable, lpj: no calibration, short delays.
# - nohz=off: without ticks it may sleep for ever where threads wait for each other.
cp "$cache/vmlinuz" "$iso/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$iso/isolinux/"
cat >"$iso/isolinux/isolinux.cfg" <<'EOF'
default t
label t
  kernel /vmlinuz
  initrd /initrd
  append console=ttyS0,115200 quiet loglevel=1 panic=-1 rdinit=/init clearcpuid=fsrm,pku,xsaves,xsavec intel_idle.max_cstate=0 tsc=unstable nohz=off lpj=10000 mitigations=off nokaslr edd=off cryptomgr.notests
EOF
xorriso -as mkisofs -quiet -o "$work/boot.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat \
    -no-emul-boot -boot-load-size 4 -boot-info-table "$iso" 2>/dev/null

# ips only sets how fast the guest's clock goes: about real time on a present machine.
# A panic of Bochs, or the guest's power-off, ends Bochs.
mkfifo "$work/serial"
cat >"$work/bochsrc" <<EOF
cpu: model=corei7_icelake_u, count=1, ips=20000000, reset_on_triple_fault=0
megs: ${EMULATE_MEMORY:-1024}
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=$work/boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial
display_library: term
clock: sync=none
log: $work/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
EOF

# Debian's Bochs has its debugger built in, which waits for a "c" (continue).
# Its text display wants a terminal, which script(1) gives it. Where script's own
# input has ended it may stop to read from there, so its input is a silent pipe.
echo c >"$work/start"
mkfifo "$work/keyboard"
exec 4<>"$work/keyboard"
TERM=linux timeout "${EMULATE_TIMEOUT:-3600}" \
    script -qfc "exec bochs -q -f '$work/bochsrc' -rc '$work/start'" /dev/null \
    <&4 >"$work/screen" 2>&1 &
pid=$!

# Opened for both ways, so that neither end waits for the other to open it.
exec 3<>"$work/serial"
rest=
early=
started=
status=
while [ -z "$status" ]; do
    # Once Bochs has ended, only what is left in the pipe is read.
    part=
    if ! IFS= read -r -t 2 -u 3 part; then
        rest+=$part
        kill -0 "$pid" 2>/dev/null || [ -n "$part" ] || break
        continue
    fi
    line=${rest:-}$part
    rest=
    if [ -z "$started" ]; then
        # Anything before the first mark is the kernel's; it is shown if all fails.
        case $line in *"$mark"*) started=1 ;; *) early+=$line$'\n' ;; esac
    elif [[ $line == *"$mark"* ]]; then
        printf %s "${line%"$mark"*}"
        status=${line##*"$mark"}
        status=${status%$'\r'}
    else
        printf '%s\n' "$line"
    fi
done
if [ -z "$status" ]; then
    echo "$0: the guest ended without a status; its last words:" >&2
    printf '%s%s\n' "${early:-}" "${rest:-}" | tail -n 20 >&2
    tail -n 5 "$work/bochs.log" >&2 || true
    exit 4
fi
# Give the guest a moment to power off; cleanup ends Bochs otherwise.
for _ in {1..30}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.5; done
exit "$status"
