/** What a declaration says, read and checked: companies with their workspaces, keys, tokens and declared things. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DeclaredPreferenceCenterSchema, PageSettingsSchema } from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { MessageOwnerSchema, TranslationSettingsSchema } from "../../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import type { Plan } from "../access.ts";
import type { DeclaredKind } from "../rows.ts";

export interface Declaration {
  readonly companies: readonly DeclaredCompany[];
}

export interface DeclaredCompany {
  readonly line: number;
  readonly name: string;
  readonly id?: string;
  readonly onboardedAt?: string;
  readonly limits?: Readonly<Record<string, number>>;
  readonly scimTokens: readonly DeclaredToken[];
  readonly permissionSets?: readonly DeclaredItem[];
  readonly workspaces: readonly DeclaredWorkspace[];
}

export interface DeclaredWorkspace {
  readonly line: number;
  readonly name: string;
  readonly id?: string;
  readonly plan?: Plan;
  readonly limits?: Readonly<Record<string, number>>;
  readonly currencyRates: Readonly<Record<string, string>>;
  readonly apps: readonly { readonly id: string; readonly name: string }[];
  /** Absent: the file says nothing of them. */
  readonly corsOrigins?: readonly string[];
  readonly apiKeys: readonly DeclaredKey[];
  readonly items: readonly DeclaredItem[];
  /** Absent: the file says nothing of translations here. */
  readonly messages?: DeclaredMessages;
  /** Absent: the file says nothing of preference centers and their pages here. */
  readonly pages?: DeclaredPages;
}

/** What API keys and SCIM tokens share; without `secret` one is made. */
export interface DeclaredHolder {
  readonly line: number;
  readonly name: string;
  readonly secret?: string;
  readonly ipAllow?: readonly string[];
}

export interface DeclaredKey extends DeclaredHolder {
  readonly permissions: readonly string[];
}

export interface DeclaredToken extends DeclaredHolder {
  readonly origin?: string;
  readonly originHeader?: "required" | "optional";
  readonly permissionsOnCreate?: "required" | "optional";
  /** A workspace of the company, by name. */
  readonly defaultWorkspace?: string;
}

/** A subscription group, team or permission set; `content` is what the service that owns it will read. */
export interface DeclaredItem {
  readonly line: number;
  readonly kind: DeclaredKind;
  readonly id?: string;
  readonly name: string;
  readonly content: Readonly<Record<string, string>>;
}

/** What DeclareTranslations of the content service is asked with; ids are empty where the file gives none. */
export interface DeclaredMessages {
  readonly settings: MessageInitShape<typeof TranslationSettingsSchema> | undefined;
  readonly owners: MessageInitShape<typeof MessageOwnerSchema>[];
}

/** What DeclarePreferenceCenters of the content service is asked with. */
export interface DeclaredPages {
  readonly settings: MessageInitShape<typeof PageSettingsSchema> | undefined;
  readonly centers: MessageInitShape<typeof DeclaredPreferenceCenterSchema>[];
}
