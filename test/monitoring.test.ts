/** Dashboard, alerts and the page about them against what exists: metrics and their labels, spans, events of the log. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type MetricRow, metricTable } from "../platform/telemetry/metric-table.ts";
import { type Node, nodesIn, parseSource } from "../tools/source.ts";

const root = resolve(import.meta.dirname, "..");
const rows: readonly MetricRow[] = Object.values(metricTable);
/** What the scrape adds. */
const scrapeLabels = ["instance", "job", "le"];

function text(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

const alerts = (parse(text("deploy/monitoring/alerts.yaml")) as Alerts).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(text("deploy/monitoring/dashboard.json")) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
const expressions = [...alerts.map(({ expr }) => expr), ...targets.map(({ expr }) => expr)];

test("every expression asks for metrics that exist, by labels that they have", () => {
  expect(expressions.length).toBeGreaterThan(30);
  expect(expressions.flatMap(problemsOf)).toEqual([]);
});

test("a metric or a label that nobody has is noticed", () => {
  expect(problemsOf("rate(heddle_http_request_total[5m])")).toEqual(["heddle_http_request_total is no metric"]);
  expect(problemsOf('sum by (path) (heddle_ready{path="/"})')).toEqual(["path is no label of heddle_ready"]);
  expect(problemsOf("heddle_ready_bucket")).toEqual(["heddle_ready_bucket is no metric"]);
  expect(problemsOf('sum by (le, route) (rate(heddle_http_request_duration_seconds_bucket{route!~"/x.*"}[5m]))')).toEqual([]);
});

test("every metric stands on the dashboard", () => {
  const shown = new Set(targets.flatMap(({ expr }) => metricsIn(expr).map((name) => rowOf(name)?.name)));
  expect(rows.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
});

test("every alert says what is wrong and what to do, and the page has a row for it", () => {
  const page = text("docs/observability.md");
  for (const { alert, labels, annotations } of alerts) {
    expect(["page", "ticket"]).toContain(labels.severity);
    expect(annotations.summary && annotations.action, alert).toBeTruthy();
    expect(page).toContain(`\`${alert}\``);
  }
});

test("legends name labels that the metric has", () => {
  const unknown = targets.flatMap(({ expr, legendFormat }) => {
    const known = new Set([...scrapeLabels, ...metricsIn(expr).flatMap((name) => rowOf(name)?.labels ?? [])]);
    return [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label).filter((label) => !known.has(label));
  });
  expect(unknown).toEqual([]);
});

test("docs/observability.md has every metric as the table has it", () => {
  const page = text("docs/observability.md");
  const told = [...page.matchAll(/^\| `((?:heddle|process)_\w+)` \| (\w+) \| (.*?) ?\| (.*) \|$/gm)].map((match) => match.slice(1, 5));
  expect(told).toEqual(rows.map(({ name, kind, labels, help }) => [name, kind, labels.map((label) => `\`${label}\``).join(", "), help]));
});

test("docs/observability.md has every span and every event of the log, and no others", () => {
  const page = text("docs/observability.md");
  const spans = new Set([
    ...matchesIn(/(?:\.child\(|\bname: )"([a-z]+(?: [a-z]+)?)",\s*(?:traceparent|kind: "producer")/g),
    ...matchesIn(/\bbeginSpans\([\w.#]+, "([a-z]+)"/g),
  ]);
  expect([...spans].sort()).toEqual(["apply", "intake append", "resolve", "store commit"]);
  for (const span of spans) expect(page).toContain(`| \`${span}\` |`);
  const events = new Set(matchesIn(/\blogger\??\.(?:info|warn|error|debug)\(\s*"([a-z_]+)"/g));
  const table = page.slice(page.indexOf("| event |"), page.indexOf("## Console"));
  const told = new Set(
    [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? "")),
  );
  expect([...events].filter((event) => !told.has(event))).toEqual([]);
  expect([...told].filter((event) => !events.has(event))).toEqual([]);
});

test("docs/observability.md has every field of the log", () => {
  const page = text("docs/observability.md");
  const table = page.slice(page.indexOf("| field |"), page.indexOf("| event |"));
  const fields = new Set(productionTexts().filter((source) => source.includes("logger")).flatMap((source) => [...fieldsLogged(source)]));
  expect(fields.size).toBeGreaterThan(30);
  expect([...fields].filter((field) => !table.includes(`\`${field}\``))).toEqual([]);
});

/** The names in the object that a call of a logger ends with. */
function* fieldsLogged(source: string): Generator<string> {
  for (const node of nodesIn(parseSource(source))) {
    if (node.type !== "CallExpression") continue;
    const callee = source.slice((node["callee"] as Node).start, (node["callee"] as Node).end);
    const last = (node["arguments"] as Node[]).at(-1);
    if (!/\blogger\??\.(info|warn|error|debug|with)$/.test(callee) || last?.type !== "ObjectExpression") continue;
    for (const { type, key } of nodesIn(last)) {
      if (type === "Property" && (key as Node).type === "Identifier") yield String((key as Node)["name"]);
    }
  }
}

function matchesIn(pattern: RegExp): string[] {
  return productionTexts().flatMap((source) => [...source.matchAll(pattern)].map((match) => match[1] ?? ""));
}

/** Of the code that runs in production. */
function productionTexts(): string[] {
  const folders = ["platform", "gateway", "services", "cli"];
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...folders], { cwd: root, encoding: "utf8" })
    .split("\n").filter((path) => path.endsWith(".ts") && !/[.](test|fixture)[.]ts$|-contract[.]ts$/.test(path));
  return files.map(text);
}

function problemsOf(expression: string): string[] {
  const names = metricsIn(expression);
  const unknown = names.filter((name) => rowOf(name) === undefined).map((name) => `${name} is no metric`);
  if (unknown.length > 0) return unknown;
  const known = new Set([...scrapeLabels, ...names.flatMap((name) => rowOf(name)?.labels ?? [])]);
  return [...new Set(labelsIn(expression))].filter((label) => !known.has(label)).map((label) => `${label} is no label of ${names.join()}`);
}

function metricsIn(expression: string): string[] {
  return [...new Set([...expression.matchAll(/\b(?:heddle|process)_\w+/g)].map(([name]) => name))];
}

/** The row of a metric, or of the histogram whose series it is. */
function rowOf(name: string): MetricRow | undefined {
  return rows.find((row) => row.name === name) ??
    rows.find((row) => row.kind === "histogram" && ["_bucket", "_sum", "_count"].some((end) => `${row.name}${end}` === name));
}

function labelsIn(expression: string): string[] {
  const selected = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = ""]) => [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)]);
  const grouped = [...expression.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)].flatMap((
    [, inside = ""],
  ) => [...inside.matchAll(/(\w+)/g)]);
  return [...selected, ...grouped].map((match) => match[1] ?? "");
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary?: string; readonly action?: string };
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[] }[];
}
