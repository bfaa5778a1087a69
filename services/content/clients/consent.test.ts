/** What a page is told of states by the services that own them. */
import { expect, test } from "vitest";
import { type ConsentClients, consentOf } from "./consent.ts";

test.each([[false, false, false], [true, false, true], [false, true, true]])(
  "states() is behind where groups are (%s) or the address is (%s): %s",
  async (groups, address, behind) => {
    const clients = {
      subscription: {
        listGroups: async () => ({ groups: [] }),
        getUserStatus: async () => ({ users: [], behind: groups }),
      },
      messagingStatus: { getEmailStates: async () => ({ states: [], behind: address }) },
    } as unknown as ConsentClients;
    const request = { workspaceId: "w", requestId: "r", traceparent: "" };
    const states = await consentOf(clients).states(request, { userId: "u", email: "ann@example.com" });
    expect(states.behind).toBe(behind);
  },
);
