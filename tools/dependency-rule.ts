/** The dependency rule: which folder may import which, and the check of it over a tree of files. */
import { circles, exceptedEdges, folderBreaches } from "./folder-rule.ts";
import { type Import, importsOf, tests } from "./imports.ts";
import { sourceFiles } from "./source.ts";

const wire = "^(services/[^/]+|gateway)/(mesh-)?wire[.]ts$";

/**
 * Imports go one way. `from` and `to` match paths relative to the root; a package or a Node module is its own name.
 * `$1` in `to` stands for what the first group of `from.path` caught. test/dependency-rule.test.ts plants a violation of each.
 */
export const dependencyRules: readonly Rule[] = [
  {
    name: "services-talk-by-contract",
    comment: "Call the other service through its RPC or its events",
    from: { path: "^services/([^/]+)/" },
    to: { path: "^services/", pathNot: "^services/($1|consent)/" },
  },
  {
    name: "services-know-no-gateway",
    comment: "The gateway calls services, never the reverse",
    from: { path: "^services/" },
    to: { path: "^gateway/" },
  },
  {
    name: "gateway-knows-contracts-only",
    comment: "The gateway may not reach into a service",
    from: { path: "^gateway/" },
    to: { path: "^services/" },
  },
  {
    name: "platform-stands-alone",
    comment: "The floor does not lean on the house",
    from: { path: "^platform/", pathNot: tests },
    to: { path: "^(services|gateway|cli|test|tools)/" },
  },
  {
    name: "nobody-imports-the-command-line",
    comment: "The command line composes; nothing is built on it",
    from: { path: "^(proto|gateway|services)/" },
    to: { path: "^(cli|tools)/" },
  },
  {
    name: "command-line-sees-wires-only",
    comment: "The command line composes a service by its wire.ts and knows nothing of its inside",
    from: { path: "^cli/", pathNot: tests },
    to: { path: "^services/", pathNot: wire },
  },
  {
    name: "client-stands-alone",
    comment: "The client is taken into other projects; it knows the API by its generated types",
    from: { path: "^client/", pathNot: tests },
    to: { pathNot: "^client/" },
  },
  {
    name: "domain-is-pure",
    comment: "No wire, no driver, no environment in the domain",
    from: { path: "^services/([^/]+)/domain/", pathNot: tests },
    to: {
      pathNot:
        "^services/$1/domain/|^platform/(age|refusal|limits|clock|address|currency|country|entity-tag|fnv1a|language|identifier|origin|fields|field-changes|own-entries|same-request|slices-by-size|text|text-ends|user-number)[.]ts$",
    },
  },
  {
    name: "store-takes-types-only",
    comment: "A driver keeps data; it does not call the domain, but for what a row is named by and what a state says",
    from: { path: "^services/[^/]+/store/", pathNot: tests },
    to: { path: "^services/[^/]+/domain/", pathNot: "/(row-keys|address-state|user-name)[.]ts$", valuesOnly: true },
  },
  {
    name: "store-knows-no-wire",
    comment: "Rows are not messages",
    from: { path: "^services/[^/]+/store/" },
    to: { path: "^proto/|^@connectrpc/|^nats$|^services/[^/]+/(rpc|events)/" },
  },
  {
    name: "wire-knows-no-store",
    comment: "Handlers get ports from wire.ts, never a driver",
    from: { path: "^services/[^/]+/(rpc|events)/", pathNot: tests },
    to: { path: "^services/[^/]+/store/|^cassandra-driver$|^ioredis$|^node:sqlite$|^platform/sqlite/" },
  },
  {
    name: "engines-know-no-shape",
    comment: "What is decided is the same in one process and in the mesh: an engine takes ports, which wire files fill",
    from: { path: "^services/(profile/(apply|resolve|intake|lanes|reader|domain)|consent/engine)/", pathNot: tests },
    to: { path: "(^|[/:-])(cassandra|sqlite|jetstream|nats|ioredis|redis|mesh)([-./]|$)|/wire[.]ts$" },
  },
  {
    name: "only-main-sees-wire",
    comment: "Composition happens in one place: main.ts, the command line, tests",
    from: { path: "^(services|gateway|platform)/", pathNot: `/main[.]ts$|${tests}` },
    to: { path: "^(services/[^/]+|gateway)/((mesh-)?wire|main)[.]ts$" },
  },
  {
    name: "no-test-in-production",
    comment: "What tests use stays in tests",
    from: { path: ".", pathNot: `^test/|^tools/|${tests}` },
    to: { path: `^test/|${tests}` },
  },
];

const sourceFolders = ["proto", "platform", "gateway", "services", "cli", "client", "test", "tools"];
const startedNotImported = `/main[.]ts$|^proto/|^test/|^tools/|[.]config[.]ts$|${tests}`;

/** Every breach in the tree below `root`, one line each: `file: rule: why`. */
export function checkDependencies(root: string, excepted = exceptedEdges): string[] {
  const files = sourceFiles(root, sourceFolders);
  const imports = files.flatMap((file) => importsOf(root, file));
  return [
    ...imports.flatMap(breaches),
    ...loadedInVain(imports),
    ...deadFiles(files, imports),
    ...cycles(imports),
    ...folderBreaches(imports, excepted),
  ];
}

function breaches(found: Import): string[] {
  return dependencyRules
    .filter((rule) => breaks(rule, found))
    .map((rule) => `${found.from}: ${rule.name}: imports "${found.to}". ${rule.comment}`);
}

function breaks({ from, to }: Rule, found: Import): boolean {
  const match = new RegExp(from.path).exec(found.from);
  if (!match || (from.pathNot && new RegExp(from.pathNot).test(found.from))) return false;
  if (to.valuesOnly && found.typeOnly) return false;
  const group = match[1] ?? "";
  if (to.path && !filled(to.path, group).test(found.to)) return false;
  return !(to.pathNot && filled(to.pathNot, group).test(found.to));
}

/** One process talks to no server, and most have no pages of their own; a client of one, or a reader of HTML, takes megabytes of memory: what a start loads leads to none. */
function loadedInVain(imports: readonly Import[]): string[] {
  const loads = Map.groupBy(imports.filter(({ typeOnly, isLazy }) => !typeOnly && !isLazy), (found) => found.from);
  const trails = new Map([[oneProcess, oneProcess]]);
  for (const [file, trail] of trails) {
    for (const { to } of loads.get(file) ?? []) if (!trails.has(to)) trails.set(to, `${trail} -> ${to}`);
  }
  return loadedLater.flatMap((name) => {
    const trail = trails.get(name);
    return trail === undefined ? [] : [`${oneProcess}: loads-when-needed: ${trail}`];
  });
}

const oneProcess = "cli/run/embedded.ts";
const loadedLater = ["cassandra-driver", "nats", "ioredis", "@connectrpc/connect-node", "parse5", "liquidjs"];

function filled(pattern: string, group: string): RegExp {
  return new RegExp(pattern.replaceAll("$1", group));
}

function deadFiles(files: readonly string[], imports: readonly Import[]): string[] {
  const imported = new Set(imports.map((found) => found.to));
  return files
    .filter((file) => file.endsWith(".ts") && !imported.has(file) && !new RegExp(startedNotImported).test(file))
    .map((file) => `${file}: no-dead-file: nothing imports it and nothing starts it`);
}

function cycles(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, (found) => found.from);
  const files = new Map([...targets].map(([from, found]) => [from, found.map(({ to }) => to)]));
  return circles(files).map((trail) => `${trail[0]}: no-cycle: ${trail.join(" -> ")}`);
}

interface Rule {
  readonly name: string;
  readonly comment: string;
  readonly from: { readonly path: string; readonly pathNot?: string };
  readonly to: { readonly path?: string; readonly pathNot?: string; readonly valuesOnly?: true };
}
