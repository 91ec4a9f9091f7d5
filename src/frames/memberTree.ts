import { isPlainObject } from "../util/isObject.js";
import { stringifyExact } from "./exactJson.js";

// Deeper than any realistic record. Objects below this depth become JSON text instead of columns.
const MAX_DEPTH = 32;

/** A column and the path of its member. */
export interface MemberColumn {
  /** Member names, outermost first. */
  readonly path: readonly string[];
  /** The type flag of a declared column; 0 if undeclared. */
  readonly declared: number;
}

interface Node {
  readonly path: readonly string[];
  readonly children: Map<string, Node>;
  /** The index of its column; -1 if it has none yet. */
  column: number;
}

/** Maps the members of rows, including nested ones, to columns, in order of first appearance. */
export class MemberTree {
  readonly columns: MemberColumn[] = [];
  /** The number of declared columns, which come first. */
  readonly declared: number;
  /** The approximate total length of the names of all undeclared columns. */
  nameLength = 0;
  readonly #root: Node = { path: [], children: new Map(), column: -1 };

  constructor(declared: ReadonlyMap<string, number>) {
    for (const [name, flags] of declared) this.#column(this.#child(this.#root, name), flags);
    this.declared = declared.size;
    this.nameLength = 0;
  }

  /** Calls `put` with the column index and value of each member of a row. Nested objects are flattened, lists are not. */
  read(row: object, put: (column: number, value: unknown) => void): void {
    this.#read(row, this.#root, put);
  }

  #read(row: object, node: Node, put: (column: number, value: unknown) => void): void {
    for (const [member, value] of Object.entries(row)) {
      const child = this.#child(node, member);
      if (!isPlainObject(value)) put(this.#column(child), value);
      else if (child.path.length > MAX_DEPTH) put(this.#column(child), stringifyExact(value));
      else if (Object.keys(value).length === 0) put(this.#column(child), null);
      else this.#read(value, child, put);
    }
  }

  #child(node: Node, member: string): Node {
    const known = node.children.get(member);
    if (known !== undefined) return known;
    const child: Node = { path: [...node.path, member], children: new Map(), column: -1 };
    node.children.set(member, child);
    return child;
  }

  #column(node: Node, declared = 0): number {
    if (node.column >= 0) return node.column;
    node.column = this.columns.length;
    this.columns.push({ path: node.path, declared });
    for (const member of node.path) this.nameLength += member.length + 1;
    return node.column;
  }
}
