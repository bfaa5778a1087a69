/** The content service put together: stores, links, pages, use cases. The only file of the service that sees all of them. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { openPageLinks } from "./links/page-links.ts";
import { contentRoutes } from "./rpc/routes.ts";
import { openSqliteCenters } from "./store/sqlite-centers.ts";

export interface ContentOptions {
  /** Closed by whoever opened it, after this part. */
  readonly database: Database;
  readonly clock: Clock;
  /** How long a link to a person's page is good. */
  readonly linkLifeMs: number;
}

export interface ContentPart {
  readonly centers: Partial<ServiceImpl<typeof ContentService>>;
}

export async function openContent({ database, clock, linkLifeMs }: ContentOptions): Promise<ContentPart> {
  const { centers, linkKeys } = await openSqliteCenters(database);
  return {
    centers: contentRoutes({
      centers,
      checker: { check: () => [] },
      clock,
      newCenterId: () => newId("uuid", clock),
      links: openPageLinks({ keys: linkKeys, clock, lifeMs: linkLifeMs }),
    }),
  };
}
