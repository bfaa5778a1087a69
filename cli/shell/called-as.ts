/** Help and errors name commands as the person calls them, so that they can be typed as they stand. */
import { env } from "node:process";

const commands =
  /(?<![\w/.-]|npx )heddle (?=(?:apply|backup|capacity|completion|consent|doctor|events|export|help|import|keys|log|migrate|preference-centers|restore|scim|scim-tokens|serve|start|translations|users)\b|\[options\])/g;

/** Through npm or npx `heddle` is not on the PATH: `npx heddle`. */
export function asCalled(text: string, variables: NodeJS.ProcessEnv = env): string {
  return variables["npm_command"] === undefined ? text : text.replaceAll(commands, "npx heddle ");
}
