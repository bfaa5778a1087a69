/** Records that were set aside because nobody could read them, tried again by a build that can. */
import { limits } from "../limits.ts";
import type { LaneRecord, SetAside } from "./lane.ts";

/** How many were put back, of `setAsideRedriveMax` looked at; what cannot be read still stays where it is. */
export async function redriveReadable(
  tables: { listSetAside(max: number): Promise<SetAside[]> },
  { isReadable, putBack }: {
    readonly isReadable: (record: LaneRecord) => boolean;
    readonly putBack: (record: LaneRecord) => Promise<void>;
  },
): Promise<number> {
  const readable = (await tables.listSetAside(limits.setAsideRedriveMax)).filter(({ record }) => isReadable(record));
  for (const { record } of readable) await putBack(record);
  return readable.length;
}
