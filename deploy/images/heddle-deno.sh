#!/bin/sh
# The heddle command on Deno with what its part needs and nothing else. Where a part may call is said by the cluster's
# network policy, or more narrowly by HEDDLE_DENO_NET: hosts, host:port or ranges, between commas.
set -eu

case "${1:-} ${2:-}" in
  "start "* | "serve gateway") files="--allow-read=/app,/etc/heddle,${HEDDLE_DATA_DIR} --allow-write=${HEDDLE_DATA_DIR}" ;;
  *) files="--allow-read=/app,/etc/heddle" ;;
esac
names=$(env | sed -n 's/^\(HEDDLE_[A-Z0-9_]*\|OTEL_[A-Z0-9_]*\)=.*/\1/p' | paste -s -d , -)

# shellcheck disable=SC2086 # the files are two options
exec deno run --no-prompt --no-config --node-modules-dir=manual $files "--allow-net${HEDDLE_DENO_NET:+=$HEDDLE_DENO_NET}" \
  --allow-sys=hostname --ignore-env "--allow-env=$names" /app/cli/heddle.mjs "$@"
