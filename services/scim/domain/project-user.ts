/** Which attributes an answer shows: `attributes` and `excludedAttributes` (RFC 7644 section 3.9). */
import { type Fields, isFields } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { attributePath } from "./attribute-path.ts";
import { userAttributes } from "./schema.ts";

export interface Projection {
  readonly attributes: readonly string[];
  readonly excluded: readonly string[];
}

export type Project = (resource: Fields) => Fields;

/**
 * Names that no attribute has are passed over; `id` and `schemas` are always shown. Refuses INPUT_INVALID where both lists
 * are given or one is too long.
 */
export function openProjection({ attributes, excluded }: Projection): Project {
  if (attributes.length > 0 && excluded.length > 0) {
    throw new Refusal("INPUT_INVALID", "'attributes' and 'excludedAttributes' exclude each other: send one of them");
  }
  if (attributes.length + excluded.length > limits.scimPathsPerRequestMax) {
    throw new Refusal("INPUT_INVALID", `At most ${limits.scimPathsPerRequestMax} attributes can be named`);
  }
  if (attributes.length > 0) {
    const tree = treeOf([...attributes, ...alwaysShown]);
    return (resource) => picked(resource, tree);
  }
  if (excluded.length === 0) return (resource) => resource;
  const tree = treeOf(excluded);
  for (const name of alwaysShown) tree.delete(name);
  return (resource) => without(resource, tree);
}

const alwaysShown = userAttributes.filter(({ returned }) => returned === "always").map(({ name }) => name);

/** By the names of the schema; an empty tree stands for all that is below. */
type Tree = Map<string, Tree>;

function treeOf(names: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const name of names) {
    const path = attributePath(name.trim()) ?? [];
    addPath(root, path.map((attribute) => attribute.name));
  }
  return root;
}

function addPath(tree: Tree, [first, ...rest]: readonly string[]): void {
  if (first === undefined) return;
  const known = tree.get(first);
  // A whole attribute stays whole, however many of its parts are named beside it
  if (rest.length === 0) tree.set(first, new Map());
  else if (known === undefined) tree.set(first, branch(rest));
  else if (known.size > 0) addPath(known, rest);
}

function branch(rest: readonly string[]): Tree {
  const tree: Tree = new Map();
  addPath(tree, rest);
  return tree;
}

function picked(fields: Fields, tree: Tree): Fields {
  return mapped(fields, (name, value) => {
    const below = tree.get(name);
    if (below === undefined) return undefined;
    return below.size === 0 ? value : eachOf(value, (inner) => picked(inner, below));
  });
}

function without(fields: Fields, tree: Tree): Fields {
  return mapped(fields, (name, value) => {
    const below = tree.get(name);
    if (below === undefined) return value;
    return below.size === 0 ? undefined : eachOf(value, (inner) => without(inner, below));
  });
}

function eachOf(value: unknown, change: (fields: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((each) => eachOf(each, change));
  return isFields(value) ? change(value) : value;
}

/** Without the members for which `change` gives undefined. */
function mapped(fields: Fields, change: (name: string, value: unknown) => unknown): Fields {
  const members = Object.entries(fields).map(([name, value]) => [name, change(name, value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
