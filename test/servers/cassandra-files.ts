/** What a Cassandra node starts with: its settings, its logging, what Java 17 must open to it, and how exact its timers are. */
import { join } from "node:path";

/** PEM texts: the node's own certificate, and the authority that its clients' must come from. */
export interface CassandraTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface CassandraPlace {
  readonly data: string;
  readonly address: string;
  /** Addresses of nodes that are asked for the others. */
  readonly seeds: readonly string[];
  readonly port: number;
  readonly storagePort: number;
  readonly commitlogSync: keyof typeof commitlogSyncs;
  /** A second port, for clients with a certificate. The files hold the texts, the own key before its certificate. */
  readonly tls?: { readonly port: number; readonly own: string; readonly authority: string };
}

/** Beside what a node is told of its place, what Cassandra recommends for new clusters of 5.0 (its conf/cassandra_latest.yaml): docs/mesh.md. */
export function cassandraYaml(place: CassandraPlace): string {
  return `cluster_name: heddle_test
num_tokens: 1
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
${commitlogSyncs[place.commitlogSync]}
data_file_directories: [${JSON.stringify(join(place.data, "tables"))}]
commitlog_directory: ${JSON.stringify(join(place.data, "commitlog"))}
hints_directory: ${JSON.stringify(join(place.data, "hints"))}
saved_caches_directory: ${JSON.stringify(join(place.data, "caches"))}
cdc_raw_directory: ${JSON.stringify(join(place.data, "cdc"))}
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: ${JSON.stringify(place.seeds.map((seed) => `${seed}:${place.storagePort}`).join())}
listen_address: ${place.address}
storage_port: ${place.storagePort}
rpc_address: ${place.address}
native_transport_port: ${place.port}
start_native_transport: true
auto_snapshot: false
${recommended}${place.tls ? encryption(place.tls) : ""}`;
}

const recommended = `memtable:
  configurations:
    trie: { class_name: TrieMemtable }
    default: { inherits: trie }
memtable_allocation_type: offheap_objects
sstable: { selected_format: bti }
default_compaction:
  class_name: UnifiedCompactionStrategy
  parameters:
    scaling_parameters: T4
    max_sstables_to_compact: 64
    target_sstable_size: 1GiB
    sstable_growth: 0.3333333333333333
    min_sstable_size: 100MiB
key_cache_size: 0MiB
uuid_sstable_identifiers_enabled: true
storage_compatibility_mode: NONE
`;

function encryption({ port, own, authority }: NonNullable<CassandraPlace["tls"]>): string {
  return `native_transport_port_ssl: ${port}
client_encryption_options:
  enabled: true
  optional: false
  require_client_auth: true
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
  keystore: ${JSON.stringify(own)}
  truststore: ${JSON.stringify(authority)}
`;
}

/** Past the page cache a commit log keeps writes in its process until it syncs them: only where they are answered after that. */
const commitlogSyncs = {
  periodic: "commitlog_sync: periodic\ncommitlog_sync_period: 10s\ncommitlog_disk_access_mode: legacy",
  group: "commitlog_sync: group\ncommitlog_sync_group_window: 5ms\ncommitlog_disk_access_mode: auto",
  batch: "commitlog_sync: batch\ncommitlog_disk_access_mode: auto",
};

export const logback = `<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %d{HH:mm:ss.SSS} %logger{20} %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="STDOUT"/></root>
</configuration>
`;

const exported = [
  "java.base/jdk.internal.misc",
  "java.base/jdk.internal.ref",
  "java.base/sun.nio.ch",
  "java.management.rmi/com.sun.jmx.remote.internal.rmi",
  "java.rmi/sun.rmi.registry",
  "java.rmi/sun.rmi.server",
  "java.sql/java.sql",
  "java.rmi/sun.rmi.transport.tcp",
];

const opened = [
  "java.base/java.lang.module",
  "java.base/java.net",
  "java.base/jdk.internal.loader",
  "java.base/jdk.internal.ref",
  "java.base/jdk.internal.reflect",
  "java.base/jdk.internal.math",
  "java.base/jdk.internal.module",
  "java.base/jdk.internal.util.jar",
  "jdk.management/com.sun.management.internal",
  "java.base/sun.nio.ch",
  "java.base/java.io",
  "java.base/java.nio",
  "java.base/java.util",
  "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/java.lang",
];

/** Of the project's own conf/jvm17-server.options. */
export const javaFlags: readonly string[] = [
  ...exported.flatMap((name) => ["--add-exports", `${name}=ALL-UNNAMED`]),
  ...opened.flatMap((name) => ["--add-opens", `${name}=ALL-UNNAMED`]),
];
