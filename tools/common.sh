# Sourced by the commands beside it, never run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(basename "$0")

say() { printf '%s\n' "$*" >&2; }

die() {
  say "tools/$program: $*"
  exit 1
}

usage_error() {
  say "tools/$program: $*; see tools/$program --help"
  exit 2
}

# The packages of tools/packages that are not installed; "needed" leaves out those marked "?".
missing_packages() {
  command -v dpkg-query >/dev/null || return 0
  local names
  names=$(sed 's/#.*//' "$root/tools/packages")
  [[ ${1-} == needed ]] && names=$(grep -v '?' <<<"$names")
  # shellcheck disable=SC2086
  set -- ${names//'?'/}
  # dpkg-query fails if it does not know one of them.
  comm -23 <(printf '%s\n' "$@" | sort) \
    <({ dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } |
      sed -n 's/^installed //p' | sort -u) | paste -sd ' '
}

# apt-cache succeeds if it knows one of several packages, so each is asked for alone.
apt_knows() {
  local name
  for name; do apt-cache show --no-all-versions "$name" >/dev/null 2>&1 || return 1; done
}

# Never prompts: without root or passwordless sudo it prints the command to run, and fails.
install_missing_packages() {
  local missing as_root=()
  missing=$(missing_packages)
  [[ -n $missing ]] || return 0
  command -v apt-get >/dev/null ||
    die "no apt-get here; install what corresponds to these Debian packages: $missing"
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || die "packages are missing; install them, then try again:
  sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing"
    as_root=(sudo -n)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  say "Installing: $missing"
  local install
  # shellcheck disable=SC2206
  install=("${as_root[@]}" apt-get install -y -qq --no-install-recommends $missing)
  # The package lists may be missing or outdated.
  # shellcheck disable=SC2086
  if ! apt_knows $missing || ! "${install[@]}" >&2; then
    "${as_root[@]}" apt-get update -qq >&2
    "${install[@]}" >&2 || die "apt-get could not install: $missing"
  fi
}

has_nvcc() { command -v nvcc >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]]; }

# Prints which optional part is not built, and why.
say_what_is_skipped() {
  if has_nvcc; then
    [[ -e /dev/nvidiactl ]] ||
      say "No NVIDIA driver: GPU kernels are built, but their tests are skipped."
  else
    say "No CUDA compiler (nvcc): GPU kernels are not built, and their tests are skipped."
  fi
}

# The number of parallel compilations: one per core, with 1 GiB of memory each.
job_count() {
  local cores memory_gib
  cores=$(nproc)
  memory_gib=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  echo $((memory_gib < 1 ? 1 : memory_gib < cores ? memory_gib : cores))
}

# The folder that a preset builds into.
build_dir_of() { [[ $1 == release ]] && echo "$root/build" || echo "$root/build-$1"; }
