#!/bin/bash
# heddle-healthy [port] [path]: ends with 0 where the server of this container answers 200. It runs every few seconds, so it starts no runtime.
exec 3<> "/dev/tcp/127.0.0.1/${1:-${HEDDLE_HTTP_PORT:-8080}}" || exit 1
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "${2:-/readyz}" >&3
read -r -t 4 _ status _ <&3
[ "$status" = 200 ]
