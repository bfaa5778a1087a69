/** What settings of the servers of the mesh mean for its promises: pure, from what the servers say to findings. */
import { sizeProblem } from "../../platform/log/message-size.ts";
import { type Found, judge, textOf } from "../../platform/epoch/judge.ts";
import type { Finding } from "../../platform/finding.ts";

export interface NatsFacts {
  readonly version: string;
  /** `max_payload` of the server that was asked. */
  readonly messageBytesMax: number;
  /** Those that are there; `problems`: what somebody has set otherwise, so that no part would open it. */
  readonly streams: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly bytesMax: number;
    readonly replicas: number;
    readonly problems: readonly string[];
  }[];
  /** Undefined without HEDDLE_NATS_MONITOR_URL. */
  readonly sync: { readonly always: boolean; readonly everySeconds: number } | undefined;
}

export interface CassandraFacts {
  readonly version: string;
  readonly nodes: number;
  /** periodic, batch or group. */
  readonly commitlogSync: string;
  /** Of each row in the local datacenter; undefined where the keyspace is not there. */
  readonly copies: number | undefined;
  /** `gc_grace_seconds` of each table that is there. */
  readonly graces: readonly Grace[];
}

interface Grace {
  readonly table: string;
  readonly seconds: number;
}

export interface RedisFacts {
  readonly version: string;
  /** Undefined where it may not be asked. */
  readonly policy: string | undefined;
  readonly appendOnly: boolean;
}

export function judgeNats({ version, messageBytesMax, streams, sync }: NatsFacts): Finding[] {
  const tooSmall = sizeProblem(messageBytesMax);
  const findings: Finding[] = [
    { check: "NATS", ...natsVersionFinding(version) },
    { check: "NATS max_payload", level: tooSmall === undefined ? "ok" : "fail", text: tooSmall ?? `${messageBytesMax} bytes` },
    { check: "NATS sync_interval", ...syncFinding(sync, streams.every(({ replicas }) => replicas >= 3) && streams.length > 0) },
  ];
  for (const { name, bytes, bytesMax, problems } of streams) {
    if (problems.length > 0) findings.push({ check: name, level: "fail", text: `cannot be used: ${problems.join("; ")}` });
    // The stream of events lets the oldest go
    if (name.endsWith("_events")) continue;
    const share = Math.round((bytes / bytesMax) * 100);
    const text = `${share} % of ${Math.round(bytesMax / 1024 ** 2)} MiB`;
    const isFull = share >= fullPercent;
    findings.push({
      check: name,
      level: isFull ? "warn" : "ok",
      text: isFull ? `${text}: see heddle log status, or raise HEDDLE_LOG_MEGABYTES` : text,
    });
  }
  return findings;
}

function natsVersionFinding(version: string): Omit<Finding, "check"> {
  if (below(version, [2, 12])) return { level: "fail", text: `${version}: Heddle needs 2.12.1 or newer` };
  if (!below(version, [2, 12, 1])) return { level: "ok", text: version };
  return {
    level: "warn",
    text: `${version}: refuses ids in batches, so events that go as a batch are published twice; update to 2.12.1 or newer`,
  };
}

function syncFinding(sync: NatsFacts["sync"], replicated: boolean): Omit<Finding, "check"> {
  if (sync === undefined) return { level: "warn", text: "not known: give HEDDLE_NATS_MONITOR_URL, the monitoring port of a server" };
  if (sync.always) return { level: "ok", text: "always" };
  const text = `every ${sync.everySeconds} s`;
  if (replicated) return { level: "warn", text: `${text}: a power cut of all servers at once loses what was answered; set it to always` };
  return { level: "fail", text: `${text}: a power cut loses what was answered; set sync_interval to always` };
}

export function judgeCassandra({ version, nodes, commitlogSync, copies, graces }: CassandraFacts): Finding[] {
  const isOld = below(version, [5, 0]);
  const few = (copies ?? 1) < 3;
  const isPeriodic = commitlogSync === "periodic";
  return [
    { check: "Cassandra", level: isOld ? "fail" : "ok", text: isOld ? `${version}: Heddle needs 5.0 or newer` : version },
    {
      check: "Cassandra copies",
      level: few ? "warn" : "ok",
      text: copies === undefined ? "the keyspace is not there: run heddle migrate" : `${copies} of each row, ${nodes} nodes`,
    },
    {
      check: "Cassandra commitlog_sync",
      level: isPeriodic && few ? "fail" : "ok",
      text: isPeriodic && few ? "periodic: a power cut loses what is no longer in the log; set it to group or batch" : commitlogSync,
    },
    ...graceFindings(graces, copies),
  ];
}

/** A node forgets deletions of that age; a copy that missed one and was not repaired by then gives back what it has. */
function graceFindings(graces: readonly Grace[], copies: number | undefined): Finding[] {
  const [least] = graces.toSorted((one, other) => one.seconds - other.seconds);
  if (least === undefined) return [];
  const check = "Cassandra gc_grace_seconds";
  const { table, seconds } = least;
  if (copies === 1) return [{ check, level: "ok", text: `${seconds}: one copy needs no repair` }];
  if (seconds < secondsPerDay) {
    const text = `${seconds} of ${table}: too short to repair each node within, so what was deleted may come back; set it to 864000`;
    return [{ check, level: "warn", text }];
  }
  const days = Math.floor(seconds / secondsPerDay);
  return [{ check, level: "ok", text: `${seconds}: repair each node more often than every ${days} d, or what was deleted may come back` }];
}

const secondsPerDay = 86_400;

/** Of a keyspace; versions only add, so that a build goes on with the tables of a newer one. */
export function judgeTables(version: number, known: number): Omit<Finding, "check"> {
  if (version < known) return { level: "fail", text: `version ${version} of ${known}: run heddle migrate` };
  return { level: "ok", text: version === known ? `version ${version}` : `version ${version}, of a newer build; this one knows ${known}` };
}

export function judgeRedis({ version, policy, appendOnly }: RedisFacts): Finding[] {
  const isOld = below(version, [7, 0]);
  const keeps = policy === "noeviction";
  const evicts = policy === undefined ? "not known: CONFIG is not allowed" : `${policy}: a full Redis forgets limits; set it to noeviction`;
  return [
    { check: "Redis", level: isOld ? "fail" : "ok", text: isOld ? `${version}: Heddle needs 7 or newer` : version },
    { check: "Redis maxmemory-policy", level: keeps ? "ok" : "warn", text: keeps ? "noeviction" : evicts },
    {
      check: "Redis appendonly",
      level: appendOnly ? "ok" : "warn",
      text: appendOnly ? "yes" : "no: a restart refills every limit; set appendonly yes",
    },
  ];
}

export function judgeEpoch(found: Found): Omit<Finding, "check"> {
  const verdict = judge(found);
  switch (verdict.kind) {
    case "fits":
      return { level: "ok", text: `epoch ${found.epoch?.number ?? 0} of ${found.epoch?.logId ?? ""}` };
    case "new":
      return { level: "ok", text: "none yet: the profile service makes it" };
    case "unmarked":
      return { level: "ok", text: "of a build without epochs: the parts take it over when they start" };
    case "broken":
      return { level: "fail", text: textOf(verdict.faults) };
  }
}

/** From which an operator should look. */
const fullPercent = 80;

function below(version: string, least: readonly number[]): boolean {
  const have = version.split(".").map((part) => Number.parseInt(part, 10));
  const at = least.findIndex((part, index) => have[index] !== part);
  return at !== -1 && (have[at] ?? 0) < (least[at] ?? 0);
}
