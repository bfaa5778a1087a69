/** Schemas of refusals, in the two dialects of the edge. */
import { list, object, type Schema, text, whole } from "./schema.ts";

export const errorSchemas: Readonly<Record<string, Schema>> = {
  Error: object({
    message: text("What went wrong, for a person. Programs read the header X-Heddle-Reason."),
    error: text("The text again, where the body was not valid JSON."),
    errors: list(
      {},
      "Details: one entry for each object that was not taken (`ObjectError`), or texts. Without any, /users/track and its variants repeat `message` here, but with 401, and the routes of translations have it as `{message}`.",
    ),
    request_id: text("With a 500: the id under which the fault was logged."),
  }, ["message"]),
  ObjectError: object({
    type: text("Why the object, or the field, was not taken."),
    input_array: text("The array of the request that holds it."),
    index: whole("Its place in that array, from 0.", { minimum: 0 }),
    field: text(
      "There where the object was taken, and counted: the field of it that was not. An error without it is of an object that was not.",
    ),
    list: text("The list that `index` counts in, where `input_array` is the same for several that were sent."),
  }, ["type", "input_array", "index"]),
  ScimError: object({
    schemas: list(text()),
    scimType: text("The kind of error of RFC 7644, table 9."),
    detail: text("What went wrong, for a person."),
    status: whole("The status of the answer, as a number."),
  }, ["schemas", "detail", "status"]),
};
