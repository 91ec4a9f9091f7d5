import type { Mention } from "../corpus/mention.js";
import type { People } from "../corpus/people.js";
import type { SpeakerRole, SpeakerTruth } from "./truthTypes.js";

/** Knows who spoke in each mention. */
export class SpeakerTruths {
  readonly #people: People;
  readonly #senators = new Map<number, ReadonlySet<number>>();
  readonly #hosts: ReadonlySet<number>;
  readonly #clerks: ReadonlySet<number>;

  constructor(people: People) {
    this.#people = people;
    this.#hosts = new Set(people.hosts.map(({ id }) => id));
    this.#clerks = new Set(people.clerks.map(({ id }) => id));
  }

  /** Who truly spoke in a mention. */
  of({ program, truly, personid, person, presiding }: Mention): SpeakerTruth {
    if (truly === undefined) {
      return {
        personid: null,
        name: person,
        title: "",
        role: "caller",
        member: false,
        chamber: null,
        identified: false,
      };
    }
    const isSenator = this.#senatorsOf(program.congress).has(truly.id);
    const isMember = isSenator || truly.title.includes("U.S. Rep");
    const role = presiding ? "presiding officer" : this.#role(truly.id, isSenator, isMember);
    return {
      personid: truly.id,
      name: truly.name,
      title: truly.title,
      role,
      member: isMember,
      chamber: isMember ? (isSenator ? "senate" : "house") : null,
      identified: personid === truly.id,
    };
  }

  #role(id: number, isSenator: boolean, isMember: boolean): SpeakerRole {
    if (isMember) return isSenator ? "senator" : "representative";
    if (this.#clerks.has(id)) return "clerk";
    return this.#hosts.has(id) ? "host" : "witness";
  }

  #senatorsOf(congress: number): ReadonlySet<number> {
    const known = this.#senators.get(congress) ?? new Set(this.#people.senators(congress).map(({ id }) => id));
    this.#senators.set(congress, known);
    return known;
  }
}
