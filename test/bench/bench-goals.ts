/** Which goals a run of the bench says something of. */
import type { Summary } from "./figures.ts";
import { meshFloors } from "./floors.ts";
import { noteFigure } from "./goals.ts";
import type { BenchLoad } from "./loads.ts";
import { twoProfilesName } from "./targets.ts";

interface Run {
  readonly shape: "one" | "mesh";
  readonly profiles: string;
  readonly twoProfiles: boolean;
  /** That the load goes to. */
  readonly workspaces: number;
  readonly loads: readonly BenchLoad[];
}

/** The bare chain of one process, as figures name it. */
export const oneChainFloor = "bare HTTP, log, rows and events in SQLite, one object a request, 32 connections";

/** With fewer than these many objects of a moment are of one workspace. */
const fewWorkspaces = 10;

/** Under the names of the goals; what belongs to none is not kept. */
export function noteGoals(rows: readonly Summary[], { shape, profiles, twoProfiles, workspaces, loads }: Run): void {
  function of(load: string | undefined, target = ""): Summary | undefined {
    return rows.find((row) => row.load === load && row.target === target);
  }
  function ours(objects: number, connections: number): Summary | undefined {
    const load = loads.find((each) => each.objects === objects && each.connections === connections);
    return of(load?.name, "this build");
  }
  const [many, few] = [ours(75, 32), ours(1, 32)];
  if (shape === "one") {
    noteOne({ many, few }, profiles);
    noteFigure(`one-chain-${profiles}`, of(oneChainFloor)?.ratio);
  } else if (twoProfiles) {
    noteFigure("mesh-two", ratioOf(many?.objectsPerSecond, of(many?.load, twoProfilesName)?.objectsPerSecond));
    noteFigure("chain-two", ratioOf(of(meshFloors.chainMany)?.objectsPerSecond, of(meshFloors.chainTwo)?.objectsPerSecond));
  } else {
    noteFigure("mesh-75", many?.ratio);
    noteFigure("chain-75", of(meshFloors.chainMany)?.ratio);
    noteFigure("core-75", of(meshFloors.chainAndCore)?.ratio);
    const width = workspaces < fewWorkspaces ? "-few" : "";
    noteFigure(`mesh-1${width}`, few?.ratio);
    noteFigure(`chain-1${width}`, of(meshFloors.chain)?.ratio);
    noteAlone(ours(1, 1), { publish: of(meshFloors.publish), chain: of(meshFloors.chainAlone) });
  }
}

type Found = Summary | undefined;

function noteOne({ many, few }: { readonly many: Found; readonly few: Found }, profiles: string): void {
  noteFigure(`one-75-${profiles}`, many?.ratio);
  noteFigure(`one-cpu-${profiles}`, many?.cpuUs[1]);
  noteFigure(`one-1-${profiles}`, few?.ratio);
}

/** One connection: its writes are shared with no other request. */
function noteAlone(alone: Found, { publish, chain }: { readonly publish: Found; readonly chain: Found }): void {
  noteFigure("mesh-alone-cpu", alone?.cpuUs[1]);
  noteFigure("chain-alone-cpu", chain?.cpuUs[1]);
  noteFigure("mesh-alone-p50", ratioOf(alone?.p50, publish?.p50));
  noteFigure("chain-alone-p50", ratioOf(chain?.p50, publish?.p50));
}

function ratioOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one / other;
}
