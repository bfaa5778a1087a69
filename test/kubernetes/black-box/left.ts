/** What of test/http cannot run before a mesh that runs already, and why. The lists may only shrink. */
import { env } from "node:process";

const settings = "asks for other settings of the server";
const processes = "starts or ends processes of its own";
const installation = "speaks of a whole installation, which others use too";

/** Whole files. */
export const leftFiles: Readonly<Record<string, string>> = {
  backup: "copies the folder of Heddle in one process",
  "events-command": installation,
  "keys-proxies": settings,
  "mesh-consent-kills": processes,
  "mesh-doctor": installation,
  "mesh-gateways": processes,
  "mesh-move": processes,
  "mesh-readiness": processes,
  "mesh-scim-events": "reads the stream of events at its server",
  "mesh-tls": processes,
  "preference-hosts": settings,
  readiness: "looks into the folder of Heddle in one process",
  seeing: settings,
  "subscription-groups": "takes away what others declared meanwhile",
};

/** Left where the gateway is reached through a port-forward, which may not outlive connections that are cut by the hundred. */
export const leftForwarded: Readonly<Record<string, string>> = { "hostile-clients": "a port-forward does not outlive it" };

/** Whole files of this run. */
export const leftNow = env.HEDDLE_TEST_FORWARDED === "1" ? { ...leftFiles, ...leftForwarded } : leftFiles;

/** Single tests of other files, by their name. Tests that end a process or read its output leave by themselves. */
export const leftTests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "log-command": { "heddle log status says how far everything is, and that nothing waits": installation },
  "preference-commands": { "a link stays good when the key is rotated, and stands under HEDDLE_PUBLIC_URL": settings },
  "preference-pages": { "the URL stands at the address that the server listens on, unless another is declared": settings },
  "translations-commands": {
    "heddle apply keeps what a file leaves out; with --prune it goes, and its translations with it":
      "takes away what others declared meanwhile",
  },
};
