#!/bin/sh
# The heddle command for work on it: a part starts again whenever one of its files changes.
# Room for young objects as in heddle-node.sh
[ "${1:-}" = serve ] && export NODE_OPTIONS="--max-semi-space-size=32${NODE_OPTIONS:+ $NODE_OPTIONS}"
[ "${1:-}" = serve ] && exec node --watch --watch-preserve-output /app/cli/heddle.mjs "$@"
exec node /app/cli/heddle.mjs "$@"
