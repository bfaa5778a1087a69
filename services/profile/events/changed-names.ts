/** What records set of one user, by name: a function of the records alone, and as many names as a message holds. */
import { NameRoom } from "../domain/identity/event-names.ts";
import type { ProfileChange } from "../domain/profile/profile-record.ts";

/** Lists are empty where nothing of the kind was set. Each name once, in the order in which it came first. Most users have one record, so lists are made as they are needed. */
export class ChangedNames {
  fields: string[] = none;
  customAttributes: string[] = none;
  customEvents: string[] = none;
  products: string[] = none;
  #takesMore = false;
  readonly #room = new NameRoom();

  get more(): boolean {
    return this.#takesMore || this.#room.isFull;
  }

  add(change: ProfileChange): void {
    switch (change.type) {
      case "identity":
        return this.#addIdentity(change);
      case "attributes":
        return this.#addAttributes(change);
      case "event":
        this.#field("custom_events");
        this.customEvents = this.#with(this.customEvents, change.name);
        return;
      case "purchase":
        this.#field("purchases");
        this.#field("total_revenue");
        this.products = this.#with(this.products, change.productId);
        return;
      case "session":
        for (const name of sessionFields) this.#field(name);
        if (change.device !== undefined) this.#field("devices");
        return;
      case "engagement":
        return this.#field(change.channel === "campaign" ? "campaigns_received" : "canvases_received");
      case "await":
      case "undo":
        // Anything may have come with the other user, or gone with it
        this.#takesMore = true;
    }
  }

  /** All names at once: of a user who begins to exist, or who has come back. Only those count that there are. */
  #addIdentity(change: Extract<ProfileChange, { type: "identity" }>): void {
    const isWhole = change.externalId !== undefined && change.email !== undefined;
    for (const [key, name] of identityFields) {
      const value = change[key];
      if (value === undefined || (isWhole && (value === null || value.length === 0))) continue;
      this.#field(name);
    }
  }

  #addAttributes({ fields = [], custom = [] }: Extract<ProfileChange, { type: "attributes" }>): void {
    for (const [name] of fields) this.#field(name === "current_location" ? "last_coordinates" : name);
    if (custom.length === 0) return;
    this.#field("custom_attributes");
    if (this.customAttributes.length + custom.length > listedNamesMax) return this.#addMany(custom);
    for (const [name] of custom) this.customAttributes = this.#with(this.customAttributes, name);
  }

  #addMany(custom: readonly (readonly [string, unknown])[]): void {
    const known = new Set(this.customAttributes);
    if (this.customAttributes === none) this.customAttributes = [];
    for (const [name] of custom) {
      if (known.has(name)) continue;
      if (!this.#room.take(name.length)) return;
      known.add(name);
      this.customAttributes.push(name);
    }
  }

  #field(name: string): void {
    this.fields = this.#with(this.fields, name);
  }

  #with(names: string[], name: string): string[] {
    if (names.includes(name) || !this.#room.take(name.length)) return names;
    if (names === none) return [name];
    names.push(name);
    return names;
  }
}

const none: string[] = [];
/** Longer lists are gone through by a set. */
const listedNamesMax = 32;

const identityFields = [
  ["externalId", "external_id"],
  ["aliases", "user_aliases"],
  ["email", "email"],
  ["phone", "phone"],
] as const;
const sessionFields = ["apps", "date_of_first_session", "date_of_last_session"];
