#!/bin/sh
# The heddle command as the first process of a container: the runtime takes this shell's place and gets its signals.
exec node --disable-warning=ExperimentalWarning /app/cli/heddle.mjs "$@"
