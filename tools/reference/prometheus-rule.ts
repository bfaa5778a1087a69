/** The alert rules as the operator of Prometheus takes them: the text of the plain ones inside an object of Kubernetes. */

export function prometheusRule(rules: string): string {
  const groups = rules.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => `  ${line}\n`).join("");
  return `# The rules of alerts.yaml for the operator of Prometheus: written by "npm run reference"
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: heddle
spec:
${groups}`;
}
