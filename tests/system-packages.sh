#!/bin/sh
# Installs the system packages that tests look at pages with, where that is allowed: as root on a
# Debian machine. Elsewhere the tests that need them are skipped, and say so.
set -eu
missing=""
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "Not installed (needs root on Debian):$missing; tests that look at pages are skipped."
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    echo "Could not be installed:$missing; tests that look at pages are skipped."
