#!/bin/sh
# Declares the demo workspace in the mesh and prints a request that works. As after `npm start` its key is shown once, on a terminal alone,
# and stored nowhere: in a log others would read it, for ever.
set -eu

key=""
[ -t 1 ] && key=', apiKeys: [{ name: demo, permissions: ["*", console.operate] }]'
kubectl -n heddle exec -i deploy/gateway -- heddle apply -f - <<DECLARATION
companies: [{ name: demo, workspaces: [{ name: demo$key }] }]
DECLARATION

[ -t 1 ] || cat <<'TEXT'

As this is no terminal, the workspace demo has no key yet. Make one, which is shown once:

  kubectl -n heddle exec deploy/gateway -- heddle keys create --workspace demo/demo --name demo --permissions '*,console.operate'
TEXT
cat <<'TEXT'

With the gateway at http://localhost:8080 and the key in KEY:

  curl http://localhost:8080/users/track -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
    -d '{"attributes":[{"external_id":"ann","first_name":"Ann"}]}'
  curl http://localhost:8080/users/export/ids -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
    -d '{"external_ids":["ann"]}'
TEXT
