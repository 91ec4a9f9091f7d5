/** A mention of the model: what the service sends of it. */
export interface ModelRow {
  readonly id: string;
  readonly begintime: string | null;
  readonly text: string;
}

export interface ModelUnit {
  readonly search: string;
  readonly window: string;
  readonly day: string;
  readonly rows: readonly ModelRow[];
}

interface Mention extends ModelRow {
  readonly first_seen: string;
  readonly changed: string | null;
  readonly vanished: string | null;
}

interface Hit {
  readonly search: string;
  readonly window: string;
  readonly id: string;
  readonly first_seen: string;
  readonly vanished: string | null;
}

/** The tables of a corpus as maps: what {@link mergeRows} and {@link markVanished} have to do, told in plain JavaScript. */
export class MergeModel {
  readonly mentions = new Map<string, Mention>();
  readonly hits = new Map<string, Hit>();

  merge(units: readonly ModelUnit[]): void {
    for (const day of [...new Set(units.map((unit) => unit.day))].sort()) {
      const ofDay = units.filter((unit) => unit.day === day);
      const rows = new Map<string, ModelRow>();
      for (const row of ofDay.flatMap((unit) => unit.rows)) {
        const known = rows.get(row.id);
        if (known === undefined || isLarger(row, known)) rows.set(row.id, row);
      }
      for (const row of rows.values()) this.#see(row, day);
      for (const unit of ofDay) for (const { id } of unit.rows) this.#hit(unit, id);
    }
  }

  vanish(unit: { search: string; mindate: string; maxdate: string; day: string }, seen: ReadonlySet<string>): number {
    const before = [...this.mentions.values()].filter(({ vanished }) => vanished === null).length;
    for (const [key, hit] of this.hits) {
      const time = this.mentions.get(hit.id)?.begintime?.slice(0, 10);
      const isInside = time !== undefined && time > unit.mindate && time < unit.maxdate;
      if (hit.search !== unit.search || !isInside || seen.has(hit.id) || hit.vanished !== null) continue;
      this.hits.set(key, { ...hit, vanished: unit.day });
    }
    for (const [id, mention] of this.mentions) {
      const days = [...this.hits.values()].filter((hit) => hit.id === id).map(({ vanished }) => vanished);
      const isGone = days.every((day) => day !== null);
      if (isGone && mention.vanished === null)
        this.mentions.set(id, { ...mention, vanished: days.sort().at(-1) ?? null });
    }
    return before - [...this.mentions.values()].filter(({ vanished }) => vanished === null).length;
  }

  #see(row: ModelRow, day: string): void {
    const known = this.mentions.get(row.id);
    if (known === undefined) {
      this.mentions.set(row.id, { ...row, first_seen: day, changed: null, vanished: null });
      return;
    }
    const isSame = known.begintime === row.begintime && known.text === row.text;
    const since = known.changed ?? known.first_seen;
    const isReplaced = !isSame && (day > since || (day === since && isLarger(row, known)));
    const changed = isReplaced && day > since ? day : known.changed;
    this.mentions.set(row.id, { ...known, ...(isReplaced ? row : {}), changed, vanished: null });
  }

  #hit({ search, window, day }: ModelUnit, id: string): void {
    const known = this.hits.get(`${search} ${id}`);
    const first = known === undefined || (known.first_seen === day && window < known.window) ? window : known.window;
    this.hits.set(`${search} ${id}`, {
      search,
      window: first,
      id,
      first_seen: known?.first_seen ?? day,
      vanished: null,
    });
  }
}

function isLarger(a: ModelRow, b: ModelRow): boolean {
  const [x, y] = [a, b].map(({ begintime, text }) => `${begintime ?? ""} ${text}`) as [string, string];
  return x > y;
}
