/** What an operator requests of the appliers: try held users again, or pass over the record that holds one back. */
import { limits } from "../../../platform/limits.ts";
import type { Log } from "../../../platform/log/log.ts";
import type { LaneItem } from "../domain/lane-item.ts";
import { userOfItem } from "../domain/lane-item.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { ProfileStore } from "../domain/ports.ts";
import type { Mark } from "../../../platform/age.ts";
import type { UserId } from "../domain/user-key.ts";
import { laneKeyOf } from "../../../platform/user-number.ts";
import { packItem, packLaneMessage } from "./profile-lane.ts";

export interface OperateParts {
  readonly profiles: Pick<ProfileStore, "listHeld">;
  readonly lanes: Pick<Log, "append">;
  readonly layout: LaneLayout;
}

/** Asks for up to `heldRedriveMax` held users; how many it asked for. A user who waits for one of them comes free after it. */
export async function redriveUsers(parts: OperateParts): Promise<number> {
  const held = await parts.profiles.listHeld(limits.heldRedriveMax);
  for (const { workspaceId, userId } of held) await send(parts, workspaceId, { type: "redrive", userId });
  return held.length;
}

/** The record at `mark` is passed over if it is what holds the user back, and if its pure step throws still. */
export async function skipRecord(
  parts: Omit<OperateParts, "profiles">,
  { workspaceId, userId, mark }: { readonly workspaceId: string; readonly userId: UserId; readonly mark: Mark },
): Promise<void> {
  await send(parts, workspaceId, { type: "skip", userId, mark });
}

async function send({ lanes, layout }: Omit<OperateParts, "profiles">, workspaceId: string, item: LaneItem): Promise<void> {
  const lane = layout.laneOf(workspaceId, laneKeyOf(workspaceId, userOfItem(item)));
  await lanes.append(layout.profile(lane), packLaneMessage([packItem({ workspaceId, item })]));
}
