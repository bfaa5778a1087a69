/** Alert rules before promtool: what it says of them, and of each alert when it fires; and as an object of the operator. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { type AlertCase, alertCases, quietDay } from "./alert-cases.ts";
import { manifestsOf, renderFolder, repository } from "./manifests.ts";
import { kubernetesVersions, provisionTool, schemaLocations } from "./provision.ts";
import { describeWithTools } from "./with-tools.ts";

const run = promisify(execFile);
const rulesPath = join(repository, "deploy/monitoring/alerts.yaml");
const { groups } = parse(readFileSync(rulesPath, "utf8")) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

await describeWithTools(["promtool", "kubeconform", "kustomize", "schemas"], "deploy/monitoring", () => {
  test("promtool finds no fault in the rules", async () => {
    const { stdout } = await run(await provisionTool("promtool"), ["check", "rules", "--lint=all", "--lint-fatal", rulesPath]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test("every alert has a case", () => {
    expect(new Set(alertCases.map(({ alert }) => alert))).toEqual(new Set(rules.map(({ alert }) => alert)));
  });

  test.each(alertCases.map((one, at) => [one.alert, at, one] as const))(
    "%s is quiet before its time and fires then (%i)",
    async (...[, , one]) => {
      await passes([{
        interval: "15s",
        input_series: Object.entries(one.series).map(([series, values]) => ({ series, values })),
        alert_rule_test: [
          { eval_time: one.quietAt, alertname: one.alert, exp_alerts: [] },
          { eval_time: one.firesAt, alertname: one.alert, exp_alerts: [firing(one)] },
        ],
      }]);
    },
  );

  test("nothing fires on a busy day without a fault", async () => {
    const times = ["10m", "16m", "20m", "31m", "40m", "49m"];
    await passes([{
      interval: "15s",
      input_series: Object.entries(quietDay).map(([series, values]) => ({ series, values })),
      alert_rule_test: rules.flatMap(({ alert }) => times.map((eval_time) => ({ eval_time, alertname: alert, exp_alerts: [] }))),
    }]);
  });

  test("the object of the operator has the same rules, and the component fits the schemas", async () => {
    const text = await renderFolder(join(repository, "test/deploy/monitoring"));
    expect(manifestsOf(text).named("PrometheusRule", "heddle").spec).toEqual({ groups });
    for (const version of kubernetesVersions) {
      const folder = mkdtempSync(join(tmpdir(), "heddle-monitoring-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const path = join(folder, "all.yaml");
      writeFileSync(path, text);
      const { stdout } = await run(await provisionTool("kubeconform"), ["-strict", "-summary", ...await schemaLocations(version), path]);
      expect(stdout).toMatch(/Valid: 4, Invalid: 0, Errors: 0, Skipped: 0/);
    }
  });
});

/** Rejects with what promtool expected and got. */
async function passes(tests: readonly object[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-alerts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "tests.yaml");
  writeFileSync(path, JSON.stringify({ rule_files: [rulesPath], evaluation_interval: "15s", tests }));
  await run(await provisionTool("promtool"), ["test", "rules", path]);
}

function firing({ alert, labels = {}, value = 0 }: AlertCase): object {
  const rule = rules.find((one) => one.alert === alert);
  const annotations = Object.entries(rule?.annotations ?? {}).map(([name, text]) => {
    const filled = text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? "").replace(
      "{{ $value }}",
      String(value),
    );
    return [name, filled];
  });
  return { exp_labels: { ...rule?.labels, ...labels }, exp_annotations: Object.fromEntries(annotations) };
}
