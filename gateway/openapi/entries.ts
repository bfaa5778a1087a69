/** DATA: all entries, in the order of the document. */
import { consoleEntries } from "./entries/console.ts";
import { consoleLiveEntries } from "./entries/console-live.ts";
import { consoleLogEntries } from "./entries/console-log.ts";
import { consoleSeriesEntries } from "./entries/console-series.ts";
import { consoleSessionEntries } from "./entries/console-sessions.ts";
import { consentEntries } from "./entries/consent.ts";
import { mergeEntries } from "./entries/merges.ts";
import { preferenceCenterEntries } from "./entries/preference-centers.ts";
import { scimEntries } from "./entries/scim.ts";
import { serviceEntries } from "./entries/service.ts";
import { translationEntries } from "./entries/translations.ts";
import { userEntries } from "./entries/users.ts";
import type { Entry } from "./entries/entry.ts";
import type { Schema } from "./schemas/schema.ts";
import { consentSchemas } from "./schemas/consent.ts";
import { errorSchemas } from "./schemas/errors.ts";
import { scimSchemas } from "./schemas/scim.ts";
import { userSchemas } from "./schemas/users.ts";

export const entries: readonly Entry[] = [
  ...userEntries,
  ...mergeEntries,
  ...consentEntries,
  ...scimEntries,
  ...preferenceCenterEntries,
  ...translationEntries,
  ...serviceEntries,
  ...consoleEntries,
  ...consoleLiveEntries,
  ...consoleLogEntries,
  ...consoleSeriesEntries,
  ...consoleSessionEntries,
];

/** components.schemas */
export const schemas: Readonly<Record<string, Schema>> = { ...errorSchemas, ...userSchemas, ...consentSchemas, ...scimSchemas };
