import { isPlainObject } from "../util/isObject.js";
import { stringifyExact } from "./exactJson.js";

// Deeper than any record that a service means: what lies below is kept as JSON text instead of columns.
const MAX_DEPTH = 32;

/** A column, and the members that lead to it. */
export interface MemberColumn {
  /** Names of members, from the row down. */
  readonly path: readonly string[];
  /** What was declared of it; 0 where nothing was. */
  readonly declared: number;
}

interface Node {
  readonly path: readonly string[];
  readonly children: Map<string, Node>;
  /** Place of its column; -1 where there is none yet. */
  column: number;
}

/** The members of rows, nested ones included, and the columns that they become, in the order in which they first appear. */
export class MemberTree {
  readonly columns: MemberColumn[] = [];
  /** Columns that were declared: the first ones. */
  readonly declared: number;
  /** Characters in the names of all others, about. */
  nameLength = 0;
  readonly #root: Node = { path: [], children: new Map(), column: -1 };

  constructor(declared: ReadonlyMap<string, number>) {
    for (const [name, flags] of declared) this.#column(this.#child(this.#root, name), flags);
    this.declared = declared.size;
    this.nameLength = 0;
  }

  /** Calls `put` with the place of the column of each value of a row: nested objects are gone into, lists stay whole. */
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
