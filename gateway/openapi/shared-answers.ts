/** Answers that are alike are written once, as components.responses: most routes refuse in the same words. */
export type Json = Readonly<Record<string, unknown>>;

export interface SharedAnswers {
  /** A reference to the answer, which from now on is among the components. */
  refTo(name: string, answer: Json): Json;
  /** components.responses */
  components(): Json;
}

export function openSharedAnswers(): SharedAnswers {
  const names = new Map<string, string>();
  const components: Record<string, Json> = {};
  return {
    refTo(name, answer) {
      const text = JSON.stringify([name, answer]);
      const known = names.get(text) ?? freeName(components, name);
      names.set(text, known);
      components[known] = answer;
      return { $ref: `#/components/responses/${known}` };
    },
    components: () => components,
  };
}

/** The name, or the name with the first number that is free. */
function freeName(taken: Json, name: string): string {
  let free = name;
  for (let number = 2; Object.hasOwn(taken, free); number += 1) free = `${name}.${number}`;
  return free;
}
