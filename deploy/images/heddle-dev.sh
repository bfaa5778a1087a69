#!/bin/sh
# The heddle command for work on it: a part starts again whenever one of its files changes.
[ "${1:-}" = serve ] && exec node --watch --watch-preserve-output /app/cli/heddle.mjs "$@"
exec node /app/cli/heddle.mjs "$@"
