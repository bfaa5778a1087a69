/** heddle capacity: what a load takes, in words or as JSON. */
import { type Capacity, capacityOf, type Load, megabytes, whole } from "./capacity-model.ts";
import { counted, exitCodes, type JsonOption, printResult, table } from "../shell/output.ts";

interface CapacityOptions extends JsonOption {
  readonly requests: number;
  readonly objects: number;
  readonly users: number;
  readonly workspaces: number;
  /** Per cent. */
  readonly largest?: number;
  readonly new: number;
  readonly row: number;
  readonly copies: number;
  readonly cores: number;
  readonly outage: number;
  readonly floor: number;
}

export function capacity(options: CapacityOptions): number {
  const { requests, objects, users, workspaces, largest = 100 / workspaces, row, copies, cores, outage, floor } = options;
  const load: Load = {
    requests,
    objects,
    users,
    workspaces,
    largest: largest / 100,
    newUsers: options.new / 100,
    rowBytes: row,
    copies,
    coresEach: cores,
    outageMinutes: outage,
    floorUs: floor,
  };
  const found = capacityOf(load);
  printResult(options, { load, ...found }, textOf(load, found));
  return exitCodes.ok;
}

function textOf(load: Load, { objectsPerSecond, oneProcess, mesh, bounds, disk }: Capacity): string {
  const full = bounds.filter(({ used }) => used > 1).map(({ name, used }) => `${name} is the bound, ${percent(used)} of what it has`);
  const rows = Object.entries(mesh.cores).map(([name, used]) => [name, used.toFixed(1)]);
  return [
    `${whole(objectsPerSecond)} objects a second, ${whole(load.users)} users in ${whole(load.workspaces)} ${
      load.workspaces === 1 ? "workspace" : "workspaces"
    }`,
    "",
    oneProcess.suffices
      ? `One process is enough: ${percent(oneProcess.cores)} of its core, ${megabytes(oneProcess.diskBytes)} MB of disk.`
      : `One process is not enough: it has one core, and this takes ${oneProcess.cores.toFixed(1)} (more than 0.6 leaves too little room).`,
    "",
    `The mesh, with ${counted(load.copies, "copy", "copies")} of everything:`,
    table(["", "cores at the peak"], [...rows, ["together", mesh.coresBusy.toFixed(1)]]),
    "",
    `- machines of ${load.coresEach} cores, six tenths busy: ${mesh.machines}`,
    `- processes: ${mesh.processes.gateway} gateway, ${mesh.processes.profile} profile, 2 of each other part`,
    `- HEDDLE_LOG_PARTITIONS=${mesh.partitions} HEDDLE_LOG_LANES=${mesh.lanes}, fixed when the streams are made`,
    `- HEDDLE_LOG_MEGABYTES=${disk.logMegabytes}: writes are taken for ${disk.logMinutes} minutes while nothing can be applied`,
    `- HEDDLE_EVENTS_MEGABYTES: an hour of events at the peak takes ${
      megabytes(disk.eventBytesPerHour)
    }; HEDDLE_EVENTS_KEEP says how long they stay`,
    `- each NATS server writes ${megabytes(disk.natsBytesPerSecondEach)} MB a second, synced`,
    `- ${disk.nodes} nodes of Cassandra, each with ${gigabytes(disk.cassandraBytesEach)} GB of disk, of which it writes ${
      megabytes(disk.compactionBytesPerSecondEach)
    } MB a second with compaction; ${whole(disk.buckets)} partitions of up to ${megabytes(disk.bucketBytes)} MB`,
    "",
    "What is full first:",
    ...bounds.map(({ name, used, text }) => `- ${name}: ${percent(used)} (${text})`),
    ...(full.length > 0 ? ["", `The mesh does not carry this: ${full.join("; ")}.`] : []),
  ].join("\n");
}

function gigabytes(bytes: number): string {
  return bytes >= 10e9 ? whole(bytes / 1e9) : (bytes / 1e9).toFixed(1);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
}
