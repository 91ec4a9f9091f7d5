/** Members of a specification that hold data, whose members mean nothing. */
const DATA = new Set(["values", "datasets"]);

/** An object inside a specification, with the member that it is the value of. */
export interface SpecPart {
  readonly member: string;
  readonly part: Readonly<Record<string, unknown>>;
}

/** Every object in a specification, outermost first, data left out. */
export function* specParts(spec: unknown, member = ""): Generator<SpecPart, void, undefined> {
  if (typeof spec !== "object" || spec === null || DATA.has(member)) return;
  if (Array.isArray(spec)) {
    for (const item of spec) yield* specParts(item, member);
    return;
  }
  const part = spec as Readonly<Record<string, unknown>>;
  yield { member, part };
  for (const [name, value] of Object.entries(part)) yield* specParts(value, name);
}

/** A copy of a specification with every object in it changed, innermost first; data stay as they are. */
export function mapSpec(spec: unknown, change: (part: Record<string, unknown>) => Record<string, unknown>): unknown {
  if (typeof spec !== "object" || spec === null) return spec;
  if (Array.isArray(spec)) return spec.map((item) => mapSpec(item, change));
  const members = Object.entries(spec).map(([name, value]) => [name, DATA.has(name) ? value : mapSpec(value, change)]);
  return change(Object.fromEntries(members) as Record<string, unknown>);
}
