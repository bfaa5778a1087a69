/** How far a service of the mesh is behind the resolvers: as far as the lane of it that is furthest behind. */
import type { Clock } from "../../../platform/clock.ts";
import { createLagLook, type LagMeter, openLagMeter } from "../../../platform/telemetry/lag.ts";

export interface LanesLagDeps {
  readonly service: string;
  /** Its lanes, as the layout numbers them. */
  readonly lanes: readonly number[];
  /** Costs nothing to ask. */
  readonly heard: (lane: number) => { readonly tail: number; readonly applied: number };
}

/** Other lanes' messages lie between two of one, so the records are an upper bound; the seconds are right. One timer looks at all of them. */
export function openLanesLag({ service, lanes, heard }: LanesLagDeps, clock: Clock): LagMeter {
  const looks = lanes.map((lane) => {
    return createLagLook({ lane: service, tail: () => heard(lane).tail, applied: () => heard(lane).applied }, clock);
  });
  return openLagMeter(async () => {
    const lags = await Promise.all(looks.map((look) => look()));
    return {
      lane: service,
      records: Math.max(0, ...lags.map(({ records }) => records)),
      seconds: Math.max(0, ...lags.map(({ seconds }) => seconds)),
    };
  }, clock);
}
