#!/bin/sh
# Declares the demo workspace in the mesh and prints a request that works. Its key stays in data/demo-key, as after `npm start`.
set -eu
umask 077
cd "$(dirname "$0")/.."

mkdir -p data
[ -s data/demo-key ] || printf 'demo-%s\n' "$(head -c 64 /dev/urandom | base64 | tr -dc 'A-Za-z0-9' | cut -c1-40)" > data/demo-key
key=$(cat data/demo-key)

kubectl -n heddle exec -i deploy/gateway -- heddle apply -f - <<DECLARATION
companies:
  - name: demo
    workspaces:
      - { name: demo, apiKeys: [{ name: demo, permissions: ["*", "console.operate"], secret: $key }] }
DECLARATION

cat <<TEXT

The key of the workspace demo stands in data/demo-key. With the gateway at http://localhost:8080:

  curl http://localhost:8080/users/track -H "Authorization: Bearer \$(cat data/demo-key)" -H "Content-Type: application/json" \\
    -d '{"attributes":[{"external_id":"ann","first_name":"Ann"}]}'
  curl http://localhost:8080/users/export/ids -H "Authorization: Bearer \$(cat data/demo-key)" -H "Content-Type: application/json" \\
    -d '{"external_ids":["ann"]}'
TEXT
