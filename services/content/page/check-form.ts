/** The form of a preference center: what of it would save nothing, and which of its fields are nothing but checkboxes. */
import { attribute, type Element, lineOf, type Seen } from "./page-element.ts";

interface CheckedForms {
  /** Fields that are nothing but checkboxes, with the value of the box. */
  readonly boxes: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

export function checkForms(found: readonly Element[], seen: Seen): CheckedForms {
  const forms = found.filter(({ tagName }) => tagName === "form");
  const fields = fieldsOf(found, seen);
  const ofPage = seen.kind === "page" ? pageWarnings(forms, fields.size) : [];
  return { boxes: boxesOf(fields), warnings: [...ofPage, ...forms.flatMap(formWarnings)] };
}

function pageWarnings([first]: readonly Element[], fields: number): string[] {
  if (first === undefined) {
    return ["has no form, so nothing can be chosen on it: a form is sent by post to {{preference_center_submit_url}}"];
  }
  if (fields > 0) return [];
  return [`${placeOf(first)}: the form saves nothing: no field has a name made by {% form_field_name %}`];
}

function formWarnings(form: Element): string[] {
  const warnings: string[] = [];
  if ((attribute(form, "action") ?? "").trim() === "") {
    warnings.push("the form has no action, so not all choices are saved: it must be {{preference_center_submit_url}}");
  }
  if (attribute(form, "method")?.trim().toLowerCase() !== "post") warnings.push('the form saves nothing: its method must be "post"');
  if (!codings.has(attribute(form, "enctype")?.trim().toLowerCase() ?? "")) {
    warnings.push("the form saves nothing: its enctype must be application/x-www-form-urlencoded");
  }
  return warnings.map((warning) => `${placeOf(form)}: ${warning}`);
}

const codings: ReadonlySet<string> = new Set(["", "application/x-www-form-urlencoded"]);

function placeOf(element: Element): string {
  return `line ${lineOf(element) ?? 1}`;
}

const controls: ReadonlySet<string> = new Set(["input", "select", "textarea", "button"]);

function fieldsOf(found: readonly Element[], { masked }: Seen): Map<string, Element[]> {
  const fields = new Map<string, Element[]>();
  for (const element of found.filter(({ tagName }) => controls.has(tagName))) {
    const mark = masked.onlyMark(attribute(element, "name") ?? "");
    if (mark?.kind !== "field") continue;
    fields.set(mark.name, [...(fields.get(mark.name) ?? []), element]);
  }
  return fields;
}

function boxesOf(fields: ReadonlyMap<string, readonly Element[]>): Map<string, string> {
  const boxes = new Map<string, string>();
  for (const [name, all] of fields) {
    const [box, ...others] = all;
    if (box && others.length === 0 && attribute(box, "type")?.toLowerCase() === "checkbox") {
      boxes.set(name, attribute(box, "value") ?? "on");
    }
  }
  return boxes;
}
