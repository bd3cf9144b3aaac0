#!/usr/bin/env bash
# Installs what building and testing need on Debian 12. Does nothing for what is
# there already.
set -euo pipefail
packages=(build-essential cmake git ninja-build ccache pkg-config
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22 liblld-22-dev
  clang-format-22 libzstd-dev libedit-dev libcurl4-openssl-dev
  libzip-dev nlohmann-json3-dev libboost-context-dev libgtest-dev
  libclang-rt-22-dev python3 python3-venv python3-pip wordnet-base)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok' ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "Installing ${missing[*]}"
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
