/** The form of a preference center: what of it would save nothing, and what says of its states and checkboxes that they were shown. */
import { boxField, fieldMark, statesOf } from "../domain/form-choices.ts";
import { type AddedHtml, statesHtml } from "./liquid.ts";
import { isConditional } from "./masked-page.ts";
import { attribute, type Element, lineOf, type Seen } from "./page-element.ts";

interface CheckedForms {
  /** At the beginning of each form, and before each checkbox, so within the same condition, form and fieldset. */
  readonly marks: readonly AddedHtml[];
  readonly warnings: readonly string[];
}

export function checkForms(found: readonly Element[], seen: Seen): CheckedForms {
  const forms = found.filter(({ tagName }) => tagName === "form");
  const fields = fieldsOf(found, seen);
  const ofPage = seen.kind === "page" ? pageWarnings(forms, fields.size) : [];
  const boxes = boxesOf(fields, seen);
  const saving = fields.size === 0 ? [] : forms.filter((form) => form.namespaceURI.endsWith("xhtml") && isPosted(form));
  return {
    marks: [
      ...saving.map((form) => ({ place: seen.masked.sourcePlace(form.sourceCodeLocation?.startTag?.endOffset ?? 0), html: statesHtml })),
      ...boxes.filter(({ fault }) => fault === undefined).map(({ element, field }) => markOf(element, field, seen)),
    ],
    warnings: [
      ...ofPage,
      ...forms.flatMap(formWarnings),
      ...boxes.flatMap(({ element, fault }) => (fault === undefined ? [] : [`${placeOf(element)}: ${fault}`])),
    ],
  };
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
  if (!isPosted(form)) warnings.push('the form saves nothing: its method must be "post"');
  if (!codings.has(attribute(form, "enctype")?.trim().toLowerCase() ?? "")) {
    warnings.push("the form saves nothing: its enctype must be application/x-www-form-urlencoded");
  }
  return warnings.map((warning) => `${placeOf(form)}: ${warning}`);
}

function isPosted(form: Element): boolean {
  return attribute(form, "method")?.trim().toLowerCase() === "post";
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

interface Box {
  readonly element: Element;
  readonly field: string;
  /** Why nothing is known of it when it is left empty. */
  readonly fault: string | undefined;
}

/** Of fields that are nothing but checkboxes: one box, or one in each branch of a condition. */
function boxesOf(fields: ReadonlyMap<string, readonly Element[]>, seen: Seen): Box[] {
  return [...fields].flatMap(([field, all]) =>
    all.every(isCheckbox) ? all.map((element) => ({ element, field, fault: boxFault(element, field, seen) })) : []
  );
}

function isCheckbox(element: Element): boolean {
  return element.tagName === "input" && attribute(element, "type")?.toLowerCase() === "checkbox";
}

function boxFault(box: Element, field: string, seen: Seen): string | undefined {
  const states = statesOf(field);
  if (!states.includes(valueOf(box))) return `the checkbox saves nothing: its value must be one of ${states.join(", ")}`;
  // Also where a condition leaves that out: nobody knows then whether the browser would have sent the box
  if (attribute(box, "disabled") !== undefined) {
    return `${unsaved}, as it is disabled: to disable it for some people, put it into a <fieldset>`;
  }
  if (deciding.some((name) => isDecidedOn(box, name, seen))) {
    return `${unsaved}: no condition may stand around its ${deciding.join(", ")}`;
  }
  return /[^\w-]/.test(attribute(box, "form") ?? "") ? `${unsaved}: its form must be letters, digits, hyphens and underscores` : undefined;
}

const unsaved = "the checkbox saves nothing when it is left empty";

/** Attributes by which a browser sends a box, and what. */
const deciding = ["type", "name", "value", "form"] as const;

function isDecidedOn(box: Element, name: string, { masked }: Seen): boolean {
  const [tag, part] = [box.sourceCodeLocation, box.sourceCodeLocation?.attrs?.[name]];
  return tag !== null && tag !== undefined && part !== undefined && isConditional(masked, part, tag.startOffset);
}

function valueOf(box: Element): string {
  return attribute(box, "value") ?? "on";
}

function markOf(box: Element, field: string, { masked }: Seen): AddedHtml {
  const form = attribute(box, "form");
  const of = form === undefined ? "" : ` form="${form}"`;
  return {
    place: masked.sourcePlace(box.sourceCodeLocation?.startOffset ?? 0),
    html: `<input type="hidden" name="${boxField}" value="${fieldMark(field, valueOf(box))}"${of}>`,
  };
}
