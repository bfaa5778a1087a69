/** The form of a preference center: there is one, it is sent by post to the page's own address, and it has a field that says something. */
import { attribute, type Element, lineOf, type Seen } from "./page-element.ts";
import { PageProblem } from "./page-problem.ts";

/** Gives the fields that are nothing but checkboxes. Throws PageProblem. */
export function checkForms(found: readonly Element[], seen: Seen): ReadonlyMap<string, string> {
  const forms = found.filter(({ tagName }) => tagName === "form");
  for (const form of forms) {
    if (attribute(form, "action") === undefined) {
      throw new PageProblem(lineOf(form), "the form has no action: it must be {{preference_center_submit_url}}");
    }
    if (attribute(form, "method")?.trim().toLowerCase() !== "post") {
      throw new PageProblem(lineOf(form), 'the method of the form must be "post"');
    }
    checkCoding(form);
  }
  const fields = fieldsOf(found, seen);
  if (seen.kind !== "page") return boxesOf(fields);
  if (forms.length === 0) {
    throw new PageProblem(undefined, "it has no form: there must be one with the action {{preference_center_submit_url}}");
  }
  if (fields.size === 0) {
    throw new PageProblem(lineOf(forms[0] as Element), "no field of the form has a name made by {% form_field_name %}");
  }
  return boxesOf(fields);
}

function checkCoding(form: Element): void {
  const coding = attribute(form, "enctype")?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "application/x-www-form-urlencoded") return;
  throw new PageProblem(lineOf(form), "the enctype of the form must be application/x-www-form-urlencoded");
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
