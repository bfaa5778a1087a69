/** Pages over the ports of other services: what a person sees of their profile, and what they see where it cannot be read. */
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { Refusal } from "../../../platform/refusal.ts";
import {
  CreatePreferencePageLinkRequestSchema,
  OpenPreferencePageRequestSchema,
} from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { Center } from "../domain/center.ts";
import type { CenterStore } from "../domain/center-ports.ts";
import type { Consent, People } from "../domain/page-ports.ts";
import type { PageLinks } from "../links/page-links.ts";
import { openPages } from "../page/pages.ts";
import { profilePeople } from "../clients/profile-people.ts";
import { handleCreateLink, handleOpenPage, type HostedDeps } from "./hosted-pages.ts";

const person = { userId: "u", email: "ann@example.com" };
const states = { global: "subscribed", groups: [], memberships: new Map(), behind: false } as const;

async function pageOf(pageHtml: string, fields: People["fields"]): Promise<string> {
  const content = { title: "T", pageHtml, confirmationHtml: "", redirectHtml: null, options: { linkTags: [] }, state: "active" } as const;
  const center: Center = { workspaceId: "w", id: "c", name: "n", version: 1, createdAt: 0, updatedAt: 0, content };
  const { page } = await handleOpenPage({
    centers: { byId: async () => center, settings: async () => ({ scriptsAllowed: false, origins: [] }) } as Partial<
      CenterStore
    > as CenterStore,
    links: {
      open: async () => ({ workspaceId: "w", centerId: "c", userId: "u", expiresAt: fakeClock().now(), kind: "link" }),
    } as Partial<PageLinks> as PageLinks,
    pages: async () => openPages(),
    people: { byExternalId: async () => person, byUserId: async () => person, fields },
    consent: { states: async () => states } as Partial<Consent> as Consent,
  }, create(OpenPreferencePageRequestSchema, { token: "t" }));
  return new TextDecoder().decode(page.html);
}

const html = "<p>[{{${first_name} | default: 'friend'}}] [{{custom_attribute.${plan} | default: 'none'}}] [{{${email_address}}}]</p>";

test("a page asks for the fields that it shows, of its own person", async () => {
  const asked: unknown[] = [];
  const page = await pageOf(html, async ({ workspaceId }, userId, { standard, custom }) => {
    asked.push([workspaceId, userId, [...standard], [...custom]]);
    return { standard: new Map([["first_name", "Ann"]]), custom: new Map() };
  });
  expect(page).toContain("[Ann] [none] [ann@example.com]");
  expect(asked).toEqual([["w", "u", ["first_name"], ["plan"]]]);
});

test("where the profile cannot be read, or not in time, the page works and its defaults stand for the fields", async () => {
  for (const reason of ["SERVICE_UNAVAILABLE", "DEADLINE_EXCEEDED", "STORE_UNAVAILABLE"] as const) {
    const page = await pageOf(html, async () => {
      throw new Refusal(reason);
    });
    expect(page).toContain("[friend] [none] [ann@example.com]");
  }
});

test("a page that shows no field asks for none, and a fault is not passed over", async () => {
  const fail = async () => {
    throw new Error("a fault");
  };
  expect(await pageOf("<p>{{${email_address}}}</p>", fail)).toContain("ann@example.com");
  await expect(pageOf(html, fail)).rejects.toThrow("a fault");
});

test("a link waits for the write that the caller names: the person may have been made by it", async () => {
  const asked: unknown[] = [];
  const profile = {
    resolveUsers: async ({ scope }: { readonly scope?: { readonly readAfter?: string } }) => {
      asked.push(scope?.readAfter);
      return { keys: [{ users: [{ userId: "u", externalId: "ann" }] }] };
    },
  };
  const deps = {
    centers: { byId: async () => ({ id: "c", content: { state: "active" } }) },
    links: { make: async () => ({ token: "t", expiresAt: 1 }) },
    people: profilePeople(profile as unknown as Parameters<typeof profilePeople>[0]),
  } as unknown as HostedDeps;
  const scope = { workspaceId: "w", requestId: "r", actor: "key", readAfter: "p-9" };
  const { path } = await handleCreateLink(deps, create(CreatePreferencePageLinkRequestSchema, { id: "c", externalId: "ann", scope }));
  expect([path, asked]).toEqual(["/preferences/t", ["p-9"]]);
});
