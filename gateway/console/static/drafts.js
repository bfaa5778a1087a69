/** Drafts that are not published yet: the browser keeps them for its tab, so that the end of a session, a reload or a way elsewhere loses none. */
import { useEffect, useLayoutEffect, useState } from "./view.js";

/** Of what is kept of the thing with this id. */
export function draftName(session, id) {
  return `draft ${session.workspace.id} ${id}`;
}

/** Undefined where there is none. */
export function keptDraft(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function forgetDraft(name) {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Where the browser keeps nothing there is nothing to forget
  }
}

function keepDraft(name, draft) {
  try {
    sessionStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // The browser keeps nothing, or has no room: then it is in the page alone
  }
}

/** `{ draft, put, wasKept }`: begins with what was kept, else with what is published. */
export function useDraft(name, published) {
  const [kept] = useState(() => keptDraft(name));
  const [draft, setDraft] = useState({ ...published, ...kept });
  const differs = Object.entries(published).some(([field, value]) => draft[field] !== value);
  // At once: what is typed last may be followed by the end of the session
  useLayoutEffect(() => {
    if (differs) keepDraft(name, draft);
    else forgetDraft(name);
  }, [name, draft, differs]);
  useEffect(() => {
    if (!differs) return undefined;
    addEventListener("beforeunload", askFirst);
    return () => removeEventListener("beforeunload", askFirst);
  }, [differs]);
  function put(field, value) {
    setDraft((before) => ({ ...before, [field]: value }));
  }
  return { draft, put, wasKept: kept !== undefined };
}

function askFirst(event) {
  event.preventDefault();
}
