/** Which lane a user or an address belongs to, and where each lane lies in the lane log. */
import { fnv1a, workspaceHash } from "../fnv1a.ts";
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
    laneOf: (workspaceId, key) => fnv1a(key, workspaceHash(workspaceId)) % lanes,
    subscriptionLaneOf: (workspaceId) => workspaceHash(workspaceId) % lanes,
    profile: (lane) => lane,
    subscription: (lane) => lanes + lane,
    messagingStatus: (lane) => 2 * lanes + lane,
    rows: (intakePartition) => 3 * lanes + intakePartition,
    reports: (intakePartition) => 3 * lanes + intakePartitions + intakePartition,
  };
}
