#!/bin/sh
# The heddle command on Deno with what it needs and nothing else. Where a part of the mesh may call is said by the cluster's network policy,
# or more narrowly by HEDDLE_DENO_NET: hosts, host:port or ranges, between commas. Names alone would not do for it: pods of other parts, and
# nodes that NATS and Cassandra tell of, are called by their addresses.
set -eu

# The folder of the file that a backup or a restore names: its first word that is no option, and no option's value
place() {
  shift
  while [ $# -gt 0 ]; do
    case "$1" in
      --keep | --workspace | --data-dir) shift ;;
      -*) ;;
      *) if [ -d "$1" ]; then printf ',%s' "$1"; else printf ',%s' "$(dirname "$1")"; fi; return ;;
    esac
    [ $# -eq 0 ] || shift
  done
}

# A part keeps nothing on disk; commands work on the data folder, a restore into the mesh on a copy among temporary files
others=
case "${1:-}" in
  serve | migrate) folders= ;;
  backup | restore) folders=$HEDDLE_DATA_DIR$(place "$@"),${TMPDIR:-/tmp} others='\|TMPDIR' ;;
  *) folders=$HEDDLE_DATA_DIR ;;
esac
# The doctor looks at the disk, and at whose process it is
case "${1:-}" in
  doctor) system=hostname,statfs,uid,gid ;;
  *) system=hostname ;;
esac

address() {
  case "$1" in *:*) printf '[%s]:%s' "$1" "$2" ;; *) printf '%s:%s' "$1" "$2" ;; esac
}

# One process calls nobody but the collector of its traces
net=${HEDDLE_DENO_NET:-}
if [ "${1:-}" = start ] && [ -z "$net" ]; then
  net=$(address "${HEDDLE_HTTP_HOST:-127.0.0.1}" "${HEDDLE_HTTP_PORT:-8080}")
  if [ -n "${HEDDLE_RPC_PORT:-}" ]; then net="$net,$(address "${HEDDLE_RPC_HOST:-127.0.0.1}" "$HEDDLE_RPC_PORT")"; fi
  if [ -n "${HEDDLE_METRICS_PORT:-}" ]; then net="$net,$(address "${HEDDLE_METRICS_HOST:-127.0.0.1}" "$HEDDLE_METRICS_PORT")"; fi
  collector=${OTEL_EXPORTER_OTLP_TRACES_ENDPOINT:-${OTEL_EXPORTER_OTLP_ENDPOINT:-}}
  if [ -n "$collector" ]; then net="$net,$(printf %s "$collector" | sed -e 's#^[a-z]*://##' -e 's#[/?].*##' -e 's#.*@##')"; fi
fi
names=$(env | sed -n "s/^\(HEDDLE_[A-Z0-9_]*\|OTEL_[A-Z0-9_]*$others\)=.*/\1/p" | paste -s -d , -)

exec deno run --no-prompt --no-config --node-modules-dir=manual \
  "--allow-read=/app,/etc/heddle${folders:+,$folders}" ${folders:+"--allow-write=$folders"} "--allow-net${net:+=$net}" \
  "--allow-sys=$system" --ignore-env "--allow-env=$names" /app/cli/heddle.mjs "$@"
