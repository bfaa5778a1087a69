#!/bin/sh
# The heddle command as the first process of a container: the runtime takes this shell's place and gets its signals.

# Room for young objects in a part of the mesh (cli/run/v8-heap.ts): left alone, V8 goes by the container's limit
[ "${1:-}" = serve ] && export NODE_OPTIONS="--max-semi-space-size=32${NODE_OPTIONS:+ $NODE_OPTIONS}"
exec node --disable-warning=ExperimentalWarning /app/cli/heddle.mjs "$@"
