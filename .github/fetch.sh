#!/usr/bin/env bash
# fetch.sh FOLDER: puts the released command into a folder, verified, and prints the path of the folder that holds it.
# UTF8KIT_VERSION is the release (v0.1.0), anything else means the latest; UTF8KIT_RELEASES is where releases are.
set -euo pipefail
folder=$1
releases=${UTF8KIT_RELEASES:-https://github.com/utf8kit/utf8kit/releases}

case "${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)}" in
  Linux-X64 | Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-ARM64 | Linux-aarch64) target=aarch64-unknown-linux-musl ;;
  macOS-X64 | Darwin-x86_64) target=x86_64-apple-darwin ;;
  macOS-ARM64 | Darwin-arm64) target=aarch64-apple-darwin ;;
  Windows-X64) target=x86_64-pc-windows-msvc ;;
  Windows-ARM64) target=aarch64-pc-windows-msvc ;;
  *) echo "utf8kit: no release for this system" >&2; exit 1 ;;
esac
case "${UTF8KIT_VERSION:-}" in
  v[0-9]*.[0-9]*.[0-9]*) base=$releases/download/$UTF8KIT_VERSION ;;
  *) base=$releases/latest/download ;;
esac

mkdir -p "$folder"
cd "$folder"
fetch() { curl --fail --silent --show-error --location --retry 3 --output "$1" "$base/$1"; }
fetch SHA256SUMS
# The archive of this system: its name holds the version.
line=$(grep -E -- "-$target\.(tar\.gz|zip)\$" SHA256SUMS)
archive=${line##* }
fetch "$archive"
if command -v sha256sum > /dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
echo "$line" | "${sum[@]}" --check - >&2
case $archive in
  *.zip) unzip -q "$archive" ;;
  *) tar -xzf "$archive" ;;
esac
name=${archive%.zip}
pwd=$(pwd -W 2> /dev/null || pwd)
echo "$pwd/${name%.tar.gz}"
