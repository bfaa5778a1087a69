/** Which loads the bench sends: the few that docs/performance.md quotes, or what the command line asks for, each combination once. */
import { type BodyKind, bodyKinds, bodyOf, hotUserBody, mixedBody, oneEventBody, picked, type Picking, pickings } from "./bodies.ts";

export interface BenchLoad {
  readonly name: string;
  readonly objects: number;
  readonly connections: number;
  /** All to one workspace. */
  readonly isHot?: boolean;
  /** The nth body; `run` is another one each time that the load is sent. */
  readonly make: (n: number, run: string) => Buffer;
}

export interface LoadChoice {
  readonly body?: string | undefined;
  readonly objects?: string | undefined;
  readonly connections?: string | undefined;
  readonly picks?: string | undefined;
  readonly users: number;
}

export function loadsOf({ body, objects, connections, picks, users }: LoadChoice): BenchLoad[] {
  if ([body, objects, connections, picks].every((choice) => choice === undefined)) return usual(users);
  const kinds = chosen("--body", body ?? "mixed", bodyKinds);
  const pickings = chosenPickings(picks);
  return kinds.flatMap((kind) =>
    numbers("--objects", objects ?? "75", 75).flatMap((count) =>
      numbers("--connections", connections ?? "32", 128).flatMap((lines) =>
        pickings.map((picking) => combined({ kind, count, lines, picking }, users))
      )
    )
  );
}

interface Combination {
  readonly kind: BodyKind;
  readonly count: number;
  readonly lines: number;
  readonly picking: Picking;
}

function combined({ kind, count, lines, picking }: Combination, users: number): BenchLoad {
  return {
    name: `${kind}, ${count} a request, ${lines} ${lines === 1 ? "connection" : "connections"}, ${picking}`,
    objects: count,
    connections: lines,
    isHot: picking === "hot",
    make: (n, run) => bodyOf(kind, n, { objects: count, pick: picked(picking, users, run) }),
  };
}

function usual(users: number): BenchLoad[] {
  return [
    {
      name: "75 objects a request, applied",
      objects: 75,
      connections: 16,
      make: (n) => mixedBody(n, users),
    },
    {
      name: "one object a request, applied",
      objects: 1,
      connections: 32,
      make: (n) => oneEventBody(n, users),
    },
    {
      name: "one object a request, one connection",
      objects: 1,
      connections: 1,
      make: (n) => oneEventBody(n, users),
    },
    {
      name: "one hot user, 75 objects a request",
      objects: 75,
      connections: 1,
      isHot: true,
      make: (n) => hotUserBody(n, 75),
    },
  ];
}

function chosenPickings(picks = "zipf"): Picking[] {
  return chosen("--picks", picks, pickings);
}

function chosen<Name extends string>(option: string, text: string, names: readonly Name[]): Name[] {
  return text.split(",").map((word) => {
    const name = names.find((one) => one === word);
    if (name === undefined) throw new Error(`${option} is of ${names.join(", ")}, not "${word}"`);
    return name;
  });
}

function numbers(option: string, text: string, max: number): number[] {
  return text.split(",").map((word) => {
    const number = Number(word);
    if (!Number.isInteger(number) || number < 1 || number > max) throw new Error(`${option} is from 1 to ${max}, not "${word}"`);
    return number;
  });
}
