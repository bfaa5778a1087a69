/** Which lane a user or an address belongs to, and where each lane lies in the lane log. */
import { limits } from "../limits.ts";

/**
 * How the partitions of the lane log are shared out: the lanes of each service, then for each intake partition one
 * for identity rows that a successor has to repeat, and one that reports what was decided.
 */
export interface LaneLayout {
  /** Of the lane log. */
  readonly partitions: number;
  /** Of each service. */
  readonly lanes: number;
  /** The lane of what is kept in order under the key: an address, a user, or all users of a bucket. Numbered from 0. */
  laneOf(workspaceId: string, key: string): number;
  /** All memberships of a workspace are one order: a merge changes two users at once, and a read waits for one lane. */
  subscriptionLaneOf(workspaceId: string): number;
  profile(lane: number): number;
  subscription(lane: number): number;
  messagingStatus(lane: number): number;
  rows(intakePartition: number): number;
  reports(intakePartition: number): number;
}

/** Both numbers are fixed when a cluster is made: what is written depends on them. */
export function laneLayout(intakePartitions: number, lanes: number = limits.lanesPerService): LaneLayout {
  return {
    partitions: 3 * lanes + 2 * intakePartitions,
    lanes,
    laneOf: (workspaceId, key) => mixed(mixed(fnvOffset, workspaceId), key) % lanes,
    subscriptionLaneOf: (workspaceId) => mixed(fnvOffset, workspaceId) % lanes,
    profile: (lane) => lane,
    subscription: (lane) => lanes + lane,
    messagingStatus: (lane) => 2 * lanes + lane,
    rows: (intakePartition) => 3 * lanes + intakePartition,
    reports: (intakePartition) => 3 * lanes + intakePartitions + intakePartition,
  };
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** FNV-1a over UTF-16 units. */
function mixed(hash: number, text: string): number {
  let mixing = hash;
  for (let index = 0; index < text.length; index += 1) mixing = Math.imul(mixing ^ text.charCodeAt(index), fnvPrime);
  return mixing >>> 0;
}
