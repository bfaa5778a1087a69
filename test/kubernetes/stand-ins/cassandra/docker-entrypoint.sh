#!/bin/bash
# As the public image does it: the addresses of this container into its settings, then the server takes this shell's place.
# Without the second compiler, which takes ten seconds of CPU at each start and pays only where a server runs for long.
set -eu
address=$(hostname -i | cut -d' ' -f1)
conf=${CASSANDRA_CONF:-/etc/cassandra}
sed -i -e "s/^listen_address: .*/listen_address: $address/" -e "s/^broadcast_rpc_address: .*/broadcast_rpc_address: $address/" \
  -e "s/^cluster_name: .*/cluster_name: ${CASSANDRA_CLUSTER_NAME:-heddle}/" -e "s/- seeds: .*/- seeds: \"$address\"/" "$conf/cassandra.yaml"
exec java -Xms"${MAX_HEAP_SIZE:-1G}" -Xmx"${MAX_HEAP_SIZE:-1G}" -XX:+UseG1GC -XX:TieredStopAtLevel=1 -javaagent:/opt/cassandra/lib/jamm-0.4.0.jar \
  -Dcassandra.config="file://$conf/cassandra.yaml" -Dcassandra.storagedir=/var/lib/cassandra -Dcassandra-foreground=yes \
  -Dlogback.configurationFile="$conf/logback.xml" -Dcassandra.ring_delay_ms=100 -Dcassandra.skip_wait_for_gossip_to_settle=0 \
  -Djdk.attach.allowAttachSelf=true @"$conf/java-flags" -cp "$conf:/opt/cassandra/lib/*" org.apache.cassandra.service.CassandraDaemon
