/** What HTML may cost to be read: the parser's own steps are counted while it works, so misnested tags cannot make it grow without end. */
import { defaultTreeAdapter, type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, type TreeAdapter } from "parse5";
import { limits } from "../../../platform/limits.ts";
import { PageProblem } from "./page-problem.ts";

/** For one page. Its methods throw PageProblem where the page asks for too much. */
export function boundedTree(): TreeAdapter<DefaultTreeAdapterMap> {
  let steps = 0;
  let depth = 0;
  /** A node that is moved is looked for among its neighbours. */
  function spend(cost: number): void {
    steps += cost;
    if (steps > limits.pageTreeStepsMax) {
      throw new PageProblem(undefined, "it has too many attributes, or tags that are not closed in their order");
    }
  }
  function looked(parent: DefaultTreeAdapterTypes.ParentNode | null): void {
    spend(1 + (parent?.childNodes.length ?? 0) / neighboursAStep);
  }
  const tree = defaultTreeAdapter;
  return {
    ...tree,
    createElement(name, namespace, attributes) {
      spend(1 + attributes.length * stepsAnAttribute);
      return tree.createElement(name, namespace, attributes);
    },
    appendChild(parent, node) {
      spend(1);
      tree.appendChild(parent, node);
    },
    insertBefore(parent, node, reference) {
      looked(parent);
      tree.insertBefore(parent, node, reference);
    },
    insertTextBefore(parent, text, reference) {
      looked(parent);
      tree.insertTextBefore(parent, text, reference);
    },
    detachNode(node) {
      looked(node.parentNode);
      tree.detachNode(node);
    },
    onItemPush() {
      depth += 1;
      if (depth > limits.pageNestingMax) throw new PageProblem(undefined, `tags are nested more than ${limits.pageNestingMax} deep`);
    },
    onItemPop() {
      depth -= 1;
    },
  };
}

/** So many fit in what one step of another kind takes. */
const neighboursAStep = 100;
/** Each is read, and looked at by every check. */
const stepsAnAttribute = 3;
