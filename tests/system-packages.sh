#!/bin/sh
# Installs what tests need besides Python packages, where that is allowed: as root on a Debian
# machine. A browser and a PDF reader to look at pages, a PostgreSQL server, Java for Spark, and
# ReadStat to make SAS files. Elsewhere the tests that need them are skipped, and say so.
set -eu
missing=""
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
command -v readstat >/dev/null 2>&1 || missing="$missing readstat"
command -v java >/dev/null 2>&1 || missing="$missing default-jre-headless"
command -v postgres >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 ||
    missing="$missing postgresql"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "Not installed (needs root on Debian):$missing; tests that need them are skipped."
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    echo "Could not be installed:$missing; tests that need them are skipped."
