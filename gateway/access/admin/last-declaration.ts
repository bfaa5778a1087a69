/** What was declared last, without its secrets. */
import type { Clock } from "../../../platform/clock.ts";
import type { Documents } from "../../../platform/documents/documents.ts";
import { limits } from "../../../platform/limits.ts";
import type { Declaration, DeclaredCompany, DeclaredHolder, DeclaredWorkspace } from "../declaration/declared.ts";

export interface LastDeclaration {
  /** Of a file that was applied whole. Refuses as Documents.changeIf(). */
  note(declaration: Declaration): Promise<void>;
  find(): Promise<AppliedDeclaration | undefined>;
}

interface AppliedDeclaration {
  /** Unix milliseconds. */
  readonly at: number;
  /** Without secrets, translations and pages; absent: it was larger than `lastDeclarationCharsMax`. */
  readonly declaration?: Declaration;
}

export function openLastDeclaration(
  { documents, installation, clock }: { readonly documents: Documents; readonly installation: string; readonly clock: Clock },
): LastDeclaration {
  const partition = `${installation} declaration`;
  const key = { kind: "declaration", id: "last" };
  return {
    async note(declaration) {
      const bare = { companies: declaration.companies.map(bareCompany) };
      const isSmall = JSON.stringify(bare).length <= limits.lastDeclarationCharsMax;
      const value: AppliedDeclaration = { at: clock.now(), ...(isSmall && { declaration: bare }) };
      await documents.changeIf(partition, { reads: [key], plan: () => [{ key, value }] });
    },
    find: async () => await documents.get(partition, key) as AppliedDeclaration | undefined,
  };
}

function bareCompany(company: DeclaredCompany): DeclaredCompany {
  return { ...company, scimTokens: company.scimTokens.map(withoutSecret), workspaces: company.workspaces.map(bareWorkspace) };
}

function bareWorkspace({ messages: _messages, pages: _pages, ...workspace }: DeclaredWorkspace): DeclaredWorkspace {
  return { ...workspace, apiKeys: workspace.apiKeys.map(withoutSecret) };
}

function withoutSecret<T extends DeclaredHolder>({ secret: _secret, ...holder }: T): Omit<T, "secret"> {
  return holder;
}
