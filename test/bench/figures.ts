/** The figures of a run: of each load its least, middle and largest value, beside its floor, as a table and as a picture. */
import { machineText, otherCoresMax } from "./stillness.ts";

/** One measurement of a load or of a floor. */
export interface Figure {
  readonly load: string;
  /** Of which build; of a floor nothing. */
  readonly target?: string;
  /** Microseconds of CPU an object of all processes that serve. */
  readonly cpuUs: number;
  readonly cpuUsBy?: ReadonlyMap<string, number>;
  readonly objectsPerSecond?: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly failed?: number;
  /** Cores that were busy with other things. */
  readonly others?: number;
}

/** Which floor a load is quoted as a ratio to. */
export type FloorOf = ReadonlyMap<string, string>;

export interface Summary {
  readonly load: string;
  readonly target: string;
  readonly cpuUs: readonly [least: number, middle: number, largest: number];
  /** How many times its floor, both in the middle. */
  readonly ratio?: number;
  readonly cpuUsBy: ReadonlyMap<string, number>;
  readonly objectsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
  readonly others: number;
}

export function summaries(figures: readonly Figure[], floorOf: FloorOf): Summary[] {
  const groups = Map.groupBy(figures, ({ load, target = "" }) => JSON.stringify([load, target]));
  const all = [...groups.values()].map((group) => summaryOf(group));
  return all.map((summary) => {
    const floor = all.find(({ load, target }) => target === "" && load === floorOf.get(summary.load));
    return floor === undefined ? summary : { ...summary, ratio: summary.cpuUs[1] / floor.cpuUs[1] };
  });
}

function summaryOf(group: readonly Figure[]): Summary {
  const of = (pick: (figure: Figure) => number | undefined): number => middle(group.map((figure) => pick(figure) ?? Number.NaN));
  const names = [...new Set(group.flatMap(({ cpuUsBy }) => [...cpuUsBy?.keys() ?? []]))];
  const costs = group.map(({ cpuUs }) => cpuUs);
  return {
    load: group[0]?.load ?? "",
    target: group[0]?.target ?? "",
    cpuUs: [Math.min(...costs), middle(costs), Math.max(...costs)],
    cpuUsBy: new Map(names.map((name) => [name, of(({ cpuUsBy }) => cpuUsBy?.get(name))])),
    objectsPerSecond: of(({ objectsPerSecond }) => objectsPerSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    failed: group.reduce((sum, { failed = 0 }) => sum + failed, 0),
    others: Math.max(...group.map(({ others = 0 }) => others)),
  };
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Markdown, as docs/performance.md has it. */
export function tableOf(rows: readonly Summary[]): string {
  const heading = ["", "of", "CPU us an object: least, middle, largest", "times its floor", "objects/s", "p50 ms", "p99 ms", "by process"];
  const lines = rows.map((row) => [
    row.load,
    row.target || "floor",
    row.cpuUs.map(shown).join(", "),
    row.ratio === undefined ? "" : row.ratio.toFixed(2),
    shown(row.objectsPerSecond),
    shown(row.p50),
    shown(row.p99),
    row.cpuUsBy.size < 2
      ? ""
      : [...row.cpuUsBy].toSorted(([, one], [, other]) => other - one).map(([name, us]) => `${name} ${shown(us)}`).join(", "),
  ]);
  return [heading, heading.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** What a reader has to know of the figures; empty where the machine was still and nothing failed. */
export function warningsOf(rows: readonly Summary[]): string[] {
  const busy = rows.filter(({ others }) => others > otherCoresMax);
  return [
    ...(busy.length === 0 ? [] : [
      `THE MACHINE WAS NOT STILL: up to ${
        Math.max(...busy.map(({ others }) => others)).toFixed(1)
      } cores did other things (${machineText()}), ` +
      `in ${busy.length} of ${rows.length} rows. Ratios say something, absolute figures do not`,
    ]),
    ...rows.flatMap(({ load, target, failed }) => failed > 0 ? [`${failed} REQUESTS FAILED: ${load}, ${target}`] : []),
  ];
}

function shown(value: number): string {
  if (Number.isNaN(value)) return "";
  return value >= 1_000 ? String(Math.round(value)) : value.toFixed(1);
}

const widths = { label: 420, bar: 460, row: 24, head: 34 };

/** A bar a row for the middle, a line from the least to the largest. */
export function pictureOf(title: string, rows: readonly Summary[]): string {
  const most = Math.max(...rows.map(({ cpuUs: [, , largest] }) => largest));
  const x = (us: number): number => Math.round(widths.label + (us / most) * widths.bar);
  const bars = rows.map((row, at) => {
    const y = widths.head + at * widths.row;
    const [least, center, largest] = row.cpuUs;
    const fill = row.target === "" ? "#9aa5b1" : at % 2 === 0 ? "#2563eb" : "#60a5fa";
    const ratio = row.ratio === undefined ? "" : `, ${row.ratio.toFixed(1)} times its floor`;
    return `<text x="${widths.label - 8}" y="${y + 13}" text-anchor="end">${escaped(`${row.load}, ${row.target || "floor"}`)}</text>` +
      `<rect x="${widths.label}" y="${y + 2}" width="${x(center) - widths.label}" height="14" fill="${fill}"/>` +
      `<path d="M${x(least)} ${y + 9}H${x(largest)}" stroke="#111" stroke-width="2"/>` +
      `<text x="${x(largest) + 6}" y="${y + 13}">${shown(center)} us${ratio}</text>`;
  });
  const [width, height] = [widths.label + widths.bar + 230, widths.head + rows.length * widths.row + 8];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">` +
    `<rect width="100%" height="100%" fill="#fff"/><text x="8" y="20" font-size="14">${escaped(title)}</text>${bars.join("")}</svg>\n`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
