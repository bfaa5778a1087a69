/** DATA: the SCIM routes, one row each; all are taken from one bucket of the company. */
import { limits } from "../platform/limits.ts";
import { handleScimConfig, handleScimResourceTypes, handleScimSchemas } from "./routes/scim-documents.ts";
import {
  handleScimUsersCreate,
  handleScimUsersDelete,
  handleScimUsersGet,
  handleScimUsersPatch,
  handleScimUsersReplace,
} from "./routes/scim-users.ts";
import { handleScimUsersList, handleScimUsersSearch } from "./routes/scim-users-list.ts";
import type { ScimRoute } from "./routing/scim-route.ts";

const read = { guard: "scim", method: "GET", takes: "read", limit: "scim", bodyBytesMax: 0 } as const;
const write = { guard: "scim", method: "POST", takes: "write", limit: "scim", bodyBytesMax: limits.scimBodyBytesMax } as const;
/** RFC 7644 section 3.4.3: a search is a POST that reads. */
const search = { ...write, takes: "read", handler: handleScimUsersSearch } as const;

export const scimRoutes: readonly ScimRoute[] = [
  { ...write, path: "/scim/v2/Users", handler: handleScimUsersCreate },
  { ...read, path: "/scim/v2/Users", handler: handleScimUsersList },
  { ...search, path: "/scim/v2/Users/.search" },
  { ...search, path: "/scim/v2/.search" },
  { ...read, path: "/scim/v2/Users/:id", handler: handleScimUsersGet },
  { ...write, method: "PUT", path: "/scim/v2/Users/:id", handler: handleScimUsersReplace },
  { ...write, method: "PATCH", path: "/scim/v2/Users/:id", handler: handleScimUsersPatch },
  { ...write, method: "DELETE", bodyBytesMax: 0, path: "/scim/v2/Users/:id", handler: handleScimUsersDelete },
  { ...read, path: "/scim/v2/ServiceProviderConfig", handler: handleScimConfig },
  { ...read, path: "/scim/v2/Schemas", handler: handleScimSchemas },
  { ...read, path: "/scim/v2/Schemas/:id", handler: handleScimSchemas },
  { ...read, path: "/scim/v2/ResourceTypes", handler: handleScimResourceTypes },
  { ...read, path: "/scim/v2/ResourceTypes/:id", handler: handleScimResourceTypes },
];
