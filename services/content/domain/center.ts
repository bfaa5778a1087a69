/** Preference centers as the domain knows them: a name that stays, and contents of which every version is kept. */

type CenterState = "active" | "draft";

export interface LinkTag {
  readonly rel: string;
  readonly type?: string;
  readonly sizes?: string;
  readonly color?: string;
  readonly href: string;
}

export interface PageOptions {
  /** The content of the page's viewport meta tag. */
  readonly viewport?: string;
  readonly linkTags: readonly LinkTag[];
}

export interface CenterContent {
  readonly title: string;
  /** Empty: the built-in page. */
  readonly pageHtml: string;
  /** Empty: the built-in confirmation. */
  readonly confirmationHtml: string;
  /** Shown after a submission in place of the confirmation. */
  readonly redirectHtml: string | null;
  readonly options: PageOptions;
  readonly state: CenterState;
}

export interface Center {
  readonly workspaceId: string;
  /** A UUID. */
  readonly id: string;
  /** Unique in the workspace, for ever. */
  readonly name: string;
  /** From 1; grows with every change. */
  readonly version: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly content: CenterContent;
}

export interface CenterSummary {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly state: CenterState;
}

/** Who wrote a version, and when. */
export interface CenterVersion {
  readonly version: number;
  /** Unix milliseconds. */
  readonly writtenAt: number;
  readonly actor: string;
  readonly requestId: string;
  /** The version whose content this one took over. */
  readonly restoredFrom?: number;
}

/** What the pages of a workspace may load and run. */
export interface PageSettings {
  readonly scriptsAllowed: boolean;
  /** Such as `https://cdn.example.com`. */
  readonly origins: readonly string[];
}

export function summaryOf({ id, name, version, createdAt, updatedAt, content }: Center): CenterSummary {
  return { id, name, version, createdAt, updatedAt, state: content.state };
}

/** The fields by which contents are compared and shown, under their names in the HTTP API. */
export function contentFields(content: CenterContent): ReadonlyMap<string, string> {
  return new Map([
    ["preference_center_title", content.title],
    ["preference_center_page_html", content.pageHtml],
    ["confirmation_page_html", content.confirmationHtml],
    ["redirect_page_html", content.redirectHtml ?? ""],
    ["preference_center_options", JSON.stringify(content.options)],
    ["state", content.state],
  ]);
}

export function sameContent(left: CenterContent, right: CenterContent): boolean {
  const other = contentFields(right);
  return [...contentFields(left)].every(([name, value]) => other.get(name) === value);
}
