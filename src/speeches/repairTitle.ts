/** A title whose lost letters were guessed. */
export interface RepairedTitle {
  /** The title with a letter instead of a blank wherever that makes a known word. */
  readonly title: string;
  /** The longest part of the title without any damage that remains; undefined if none remains or the part is short. */
  readonly intactPart: string | undefined;
}

const LOST_LETTERS = /[vxyz]/;
const EACH_LOST_LETTER = /[vxyz]/g;
/** The longest run of fragments that may be one word. */
const MAX_FRAGMENTS = 7;
const MIN_INTACT_WORDS = 3;
/** Costs of reading fragments as a word; the reading with the lowest sum is chosen. */
const COST = { plain: 2, known: 1, empty: 10 };
const FUNCTION_WORDS = new Set(
  "a an the of and or for to in on at with from as its per not under against no their our through into".split(" "),
);

/** Known words by their form without v, x, y and z. */
export type Vocabulary = ReadonlyMap<string, string>;

/**
 * Known words that may repair a title: those of `texts` first, then common words of titles.
 *
 * @param texts other titles, or text in which the title is said
 */
export function vocabularyOf(texts: Iterable<string> = []): Vocabulary {
  const vocabulary = new Map<string, string>();
  for (const text of texts) addWords(vocabulary, text.toLowerCase().match(/[a-z]+/g) ?? []);
  addWords(vocabulary, TITLE_WORDS_AT_RISK);
  addWords(vocabulary, TITLE_WORDS_AT_RISK.flatMap(inflected));
  return vocabulary;
}

/** Likely inflections. A form that is no word does no harm: no title has it. */
function inflected(word: string): string[] {
  if (word.endsWith("y")) return [`${word}s`, `${word.slice(0, -1)}ies`, `${word}ing`, `${word.slice(0, -1)}ied`];
  if (word.endsWith("e")) return [`${word}s`, `${word}d`, `${word.slice(0, -1)}ing`];
  return [`${word}s`, `${word}ed`, `${word}ing`, `${word}er`];
}

/** A capital is never lost, so a word may also have its first letter. */
function addWords(vocabulary: Map<string, string>, words: readonly string[]): void {
  for (const word of words) {
    if (!LOST_LETTERS.test(word)) continue;
    const [all, withoutFirst] = [damaged(word), word.charAt(0) + damaged(word.slice(1))];
    for (const form of [all, withoutFirst]) if (form !== word && !vocabulary.has(form)) vocabulary.set(form, word);
  }
}

/**
 * A title as the service lists it for some Congresses: every v, x, y and z is a blank.
 *
 * @example
 * damaged("Energy Flexibility Act"); //=> "Energ  Fle ibilit  Act"
 */
export function damaged(text: string): string {
  return text.replace(EACH_LOST_LETTER, " ");
}

/**
 * Repairs a title that lost its letters v, x, y and z: a blank becomes one of them where that makes a known word.
 *
 * @returns undefined if the title is not damaged
 * @example
 * repairTitle("Fle ibilit  De elopment Act", vocabularyOf())?.title; //=> "Flexibility Development Act"
 */
export function repairTitle(title: string, vocabulary: Vocabulary): RepairedTitle | undefined {
  if (LOST_LETTERS.test(title)) return undefined;
  // The service may have cut a lost letter at the end.
  const fragments = `${title.trimEnd()} `.split(" ");
  const parts = bestReading(fragments, vocabulary);
  const rests = restsOf(parts);
  if (!rests.includes(true) && !parts.some(({ isRepaired }) => isRepaired)) return undefined;
  const repaired = parts.map(({ text }) => text).join(" ");
  return { title: repaired.replace(/\s+/g, " ").trim(), intactPart: longestIntact(parts, rests) };
}

interface Part {
  readonly text: string;
  /** Repaired with a known word. */
  readonly isRepaired: boolean;
}

/** Splits the fragments into words so that as few as possible remain unexplained. */
function bestReading(fragments: readonly string[], vocabulary: Vocabulary): Part[] {
  const readings: Array<{ cost: number; part: Part; next: number } | undefined> = [];
  const costAt = (at: number) => (at >= fragments.length ? 0 : (readings[at]?.cost ?? 0));
  for (let at = fragments.length - 1; at >= 0; at--) {
    const plain = fragments[at] as string;
    const isLast = at === fragments.length - 1;
    let best = {
      cost: (plain === "" ? (isLast ? 0 : COST.empty) : COST.plain) + costAt(at + 1),
      part: { text: plain, isRepaired: false },
      next: at + 1,
    };
    for (let end = at + 2; end <= Math.min(fragments.length, at + MAX_FRAGMENTS); end++) {
      const joined = fragments.slice(at, end).join(" ");
      const word = repairedWord(joined, vocabulary);
      const cost = COST.known + costAt(end);
      if (word !== undefined && cost < best.cost) best = { cost, part: { text: word, isRepaired: true }, next: end };
    }
    readings[at] = best;
  }
  const parts: Part[] = [];
  for (let at = 0; at < fragments.length; ) {
    const { part, next } = readings[at] as { part: Part; next: number };
    parts.push(part);
    at = next;
  }
  return parts;
}

/** A known word with the capitals and punctuation of the fragments; undefined if there is none. */
function repairedWord(joined: string, vocabulary: Vocabulary): string | undefined {
  const [, before = "", core = "", after = ""] = /^([^a-z ]*?)([a-z][a-z ]*)([^a-z ]*)$/i.exec(joined) ?? [];
  const word = vocabulary.get(core.toLowerCase());
  if (word === undefined) return undefined;
  const letters = [...core].map((letter, at) => (letter === " " ? word.charAt(at) : letter));
  return `${before}${letters.join("")}${after}`;
}

/** Which parts may be the rests of damaged words. In a title, words begin with a capital. */
function restsOf(parts: readonly Part[]): boolean[] {
  const capitals = parts.filter(({ text }) => /^[^a-z]*[A-Z]/.test(text)).length;
  const isTitleCase = capitals * 2 > parts.length;
  return parts.map(({ text, isRepaired }, at) => {
    if (isRepaired || at === parts.length - 1) return false;
    return text === "" || (isTitleCase && /^[a-z]/.test(text) && !FUNCTION_WORDS.has(text));
  });
}

/** The longest run of words without rests; a rest also damages the word before it. */
function longestIntact(parts: readonly Part[], rests: readonly boolean[]): string | undefined {
  if (!rests.includes(true)) return undefined;
  let [longest, end] = [0, 0];
  let run = 0;
  parts.forEach(({ text }, at) => {
    run = text !== "" && rests[at] === false && rests[at + 1] !== true ? run + 1 : 0;
    if (run > longest) [longest, end] = [run, at + 1];
  });
  if (longest < MIN_INTACT_WORDS) return undefined;
  return parts
    .slice(end - longest, end)
    .map(({ text }) => text)
    .join(" ");
}

/**
 * Words of bill titles that contain a v, x, y or z, the letters that titles of some Congresses have lost; common ones first,
 * because some differ in nothing else ("saving", "saying").
 */
const TITLE_WORDS_AT_RISK: readonly string[] = (
  "by security development tax very every any family authority energy safety recovery veterans services service prevention community military " +
  "modernization authorization reauthorization emergency of civil rights protection navy army survivors violence victims voting vote votes voter voters privacy " +
  "liberty transparency accountability equity equality integrity efficiency sustainability affordability flexibility availability stability capability reliability " +
  "mobility responsibility eligibility disability disabilities opportunity activity activities university universities college student loyalty property poverty " +
  "policy agency agencies industry industries inventory history library military secretary treasury injury injuries county country city cities body study " +
  "studies daily early only fully timely weekly monthly yearly year years day days today way ways highway highways railway waterway waterways airway pathway pathways " +
  "gateway runway key money monetary journey attorney valley alley survey surveys surveillance delivery delay delays pay payment payments payer payers payroll " +
  "repayment prepayment employee employees employer employers employment unemployment deployment play player players display employ buy buying buyer buyers supply " +
  "apply reply comply family families baby babies lady body copy copyright party parties duty duties beauty county bounty treaty treaties deputy " +
  "city scarcity capacity velocity electricity publicity simplicity reciprocity toxicity tenacity diversity adversity university authority majority minority " +
  "priority seniority maturity purity security cybersecurity identity quantity entity entities charity clarity rarity parity disparity disparities solidarity " +
  "prosperity austerity property liability viability accessibility possibility responsibilities visibility feasibility utility utilities facility facilities " +
  "fertility hostility ability abilities disability quality inequality reality mortality morbidity legality hospitality vitality locality nationality " +
  "community communities immunity opportunities humanity unity dignity indemnity eternity maternity paternity fraternity infinity vicinity " +
  "energy technology technologies biotechnology nanotechnology methodology ideology ecology biology psychology geology strategy strategies synergy clergy allergy allergies " +
  "emergency contingency urgency transparency efficiency deficiency proficiency currency cryptocurrency frequency agency residency presidency pregnancy infancy " +
  "vacancy literacy privacy democracy bureaucracy supremacy legacy pharmacy advocacy candidacy conspiracy piracy policy " +
  "economy autonomy academy army enemy anatomy economy company companies many any country ceremony testimony harmony balcony felony botany " +
  "primary temporary voluntary secondary elementary supplementary military sanitary salary library contrary voluntary monetary dietary veterinary " +
  "ordinary extraordinary evolutionary revolutionary boundary judiciary beneficiary beneficiaries fiduciary auxiliary subsidiary subsidy subsidies sanctuary " +
  "estuary february january july may monday tuesday wednesday thursday friday saturday sunday mandatory regulatory statutory inventory territory laboratory observatory " +
  "history victory advisory factory directory memory category theory century centuries injury luxury mercury jury perjury treasury usury fury " +
  "machinery discovery recovery delivery slavery bravery fishery fisheries surgery forgery robbery bribery nursery battery batteries grocery artery misery mystery " +
  "cemetery monastery gallery delivery very every everyone everything everyday everywhere " +
  "development redevelopment developmental developing developed developer developers prevent preventing preventable preventive prevented intervention interventions convention conventional " +
  "invention inventions inventor inventors inventory invest investing investment investments investor investors investigation investigations investigative investigator divest " +
  "innovation innovations innovative innovate renovation conservation preservation preserve preserving preserves reserve reserves serve serving served server service services " +
  "serviceman servicemember servicemembers servicewomen observe observation deserve conserve subversion conversion version diversion reversion " +
  "diverse diversion diversity divided dividend dividends division divisions divorce provide provider providers providing provided provision provisions provisional proving prove proven " +
  "improve improving improved improvement improvements approve approving approval approved disapproving disapproval disapprove removal remove removing moving move movement " +
  "save saving savings save waiver waivers wave waves wage waive having have haven heaven leave leaves leaving living live lives livestock lived relive alive arrive arrival deliver delivering " +
  "delivered river rivers driver drivers driving drive give given giving forgiveness forgive receive receiving received receiver perceive deceive achieve achieving achievement believe relieve relief " +
  "native natives relative active inactive activation reactive proactive effective ineffective affordable effectiveness executive executives legislative administrative competitive competitiveness " +
  "cooperative collaborative comprehensive extensive intensive defensive offensive expensive sensitive positive negative alternative alternatives initiative initiatives incentive incentives " +
  "perspective objective objectives detective protective productive productivity creative creativity creating representative representatives preventative " +
  "connectivity sensitivity relativity captivity activity nativity massive passive abusive excessive successive aggressive progressive exclusive inclusive inclusivity corrosive explosive explosives " +
  "advance advances advancing advanced advancement advantage advisory advisers adviser advisor advice advise advocate advocates adverse adversary adversaries adversity aviation aviator aviators " +
  "avoid avoidance avalanche available availability average value values valued valuation evaluate evaluation evaluating evaluations equivalent equivalence prevalence revaluation " +
  "vaccine vaccines vaccination valor valley van vehicle vehicles vessel vessels vendor vendors venture ventures venue verification verify verifying vertical vest vested vet veteran veterans veterinarians " +
  "via viable victim victims victory video view views village villages violence violent violations violation virtual virtue virus viruses visa visas vision visit visitor visitors visual vital vocational " +
  "voice voices void volume volunteer volunteers vote voter voting vouchers voucher vulnerable vulnerability vulnerabilities " +
  "cave cover coverage covered covering recover recovering discover discovering uncover evidence eviction evictions event events eventual ever never forever even evening level levels leverage leveraging " +
  "lever clever several seven severance severe severely reveal revenue revenues review reviews reviewing revise revised revision revisions revitalization revitalize revitalizing revive revocation revoke revolving revolution " +
  "over overall overcome overcoming overdose overhaul overpayment overpayments override oversight overtime overseas oversee overturn govern governance governing government governmental governments governor governors " +
  "private privilege privileges privately deprivation civil civilian civilians civic cultivation cultivate motivate derivative derivatives survival survive survivor surviving revival arrival carnival " +
  "individual individuals individualized invasive invasion invisible invalid inviting involuntary involve involved involvement involving evolve evolving solve solvency resolve resolved resolving resolver dissolve " +
  "devote device devices devastation devil devise love loving lovely gloves above stove groves nerve curve harvest harvesting carve starve starvation festival " +
  "pavement cavern gravel gravity travel traveler travelers traveling unravel marvel naval navigation navigate navigable navigator navigators wavelength brave grave slave slavery " +
  "heavy heavily heavyweight ivory envelope environment environmental environments envoy convey conveyance convening convene convenient convenience convergence converting convert convicted conviction convictions convoy " +
  "universal universe controversial controversy anniversary anniversaries university adversely obvious previous nervous serious cardiovascular television supervised supervision supervisor supervisory " +
  "interview overview preview purview nuclear interval intervene bivalve evacuation evade evasion levee levees levy moveable novel november " +
  "expansion expand expanding expanded export exporter exporters exports exporting expose exposure exposed explore exploration express expressing expression expressed expert expertise experts experience experiences experiment experimental " +
  "expense expenses expenditure expenditures expedite expedited expediting expedition expel expired expiration expiring explain explanation explicit exploit exploitation explosion explosives expunge expungement extend extending extended extension extensions extent " +
  "external extra extract extraction extraordinary extreme extremism extremist exam examination examine examining example exceed exceeding excellence excellent except exception exceptional exceptions excess exchange exchanges excise exclude excluding exclusion " +
  "excuse execute execution executive exempt exempting exemption exemptions exercise exhaust exhibit exile exist existing exit exotic exemplary tax taxes taxation taxable taxing taxpayer taxpayers text textile textiles textbook textbooks next context maximum maximize maximizing " +
  "maxine fix fixing fixed mix mixed six sixth sixty sex sexual sexually sexuality relax relaxation flex flexible complex complexity index indexed indexing indexation reflex annex box boxes boxing inbox toxic toxics toxin toxins oxygen oxide dioxide approximately proximity auxiliary mexico mexican " +
  "texas texan luxury anxiety axis axe max oxford phoenix prefix suffix pixel saxon alexander alex alexandria maxwell lexington knoxville dixie dixon nixon hexavalent " +
  "citizen citizens citizenship netizen organize organizing organized organization organizations organizational authorize authorizing authorized authorizes authorizations modernize modernizing modernized recognize recognizing recognized recognizes recognition " +
  "stabilize stabilizing stabilization capitalization utilize utilizing utilization realize realizing prioritize prioritizing prioritization minimize minimizing optimize optimizing optimization standardization standardize revitalized incentivize incentivizing " +
  "emphasize emphasizing criminalize decriminalize decriminalization legalize legalization legalizing normalize normalization naturalization naturalize nationalization privatization digitization digitize categorize subsidize subsidizing penalize civilization mobilization mobilize finalize formalize " +
  "analyze analyzing organizers seize seizure seizures size sizes sized prize prizes zero zone zones zoning zoo zinc zip horizon horizons hazard hazards hazardous hazing amazon lazy crazy freeze freezing breeze bronze brazil benzene magazine magazines " +
  "wizard lizard blizzard grizzly puzzle jazz pizza gaza zealand zimbabwe zika ozone azores hertz quartz waltz plaza pretzel bulldozer enzyme eczema schizophrenia trapezoid squeeze sneeze frozen dozen dozens arizona cozy azerbaijan venezuela belize kazakhstan czech " +
  "year youth young youngest your yours you yield yes yesterday yet york yellow yellowstone yard yards yemen yacht " +
  "types type typical system systems systemic systematic symbol symptom symptoms syndrome synthetic synthetics syria syrian style lifestyle crystal cycle recycle recycling recycled bicycle bicycles motorcycle motorcycles cyclist " +
  "cyber cyberattack cyberspace cypress cyprus hydro hydrogen hydropower hydroelectric hydrology hydraulic hybrid hygiene physical physician physicians physics physiology psychiatric psychiatrist psychological psychologist pyramid tyranny tyrant tyler wyoming wyden " +
  "royal royalty royalties loyal voyage joy enjoy boy boys toy toys destroy employable buoy oyster oysters layer layers prayer mayor mayors crayon rayburn bayou bayous bay bays gray grayson ray rays say says saying stay stays staying tray lay layoff layoffs " +
  "eye eyes eyewear buyback buyout guy maryland kentucky pennsylvania nevada virginia vermont new-jersey jersey west-virginia louisville nashville cleveland vegas davis david kelly henry harry barry larry mary gary kennedy murphy murray " +
  "stanley sydney jeffrey geoffrey troy roy ray tony anthony timothy dorothy jimmy sammy bobby billy johnny danny kathy amy lucy nancy betty shelby riley bailey ashley wesley dudley harvey garvey harley berkeley sidney kimberly emily beverly evelyn vivian victor victoria vincent " +
  "virgil oliver olive oliver ivan eva dave steve steven stevens stephen-v elvis marvin melvin calvin alvin kevin gavin devin irving vera veronica xavier zachary zoe elizabeth lizzie hernandez gonzalez martinez rodriguez gomez lopez perez sanchez ramirez velazquez chavez cruz diaz vazquez " +
  "they them-they their-way why try trying cry dry dryer fly flying sky spy spyware shy ally allies reality legacy twenty thirty forty fifty sixty seventy eighty ninety twelve eleven eleventh seventh fifth five half-five twelve " +
  "necessary accuracy secretly quickly fairly nearly clearly elderly properly orderly quarterly directly exactly safely freely securely rapidly readily steadily newly really equally annually mutually actually virtually visually individually annually financially especially potentially " +
  "partially initially socially specially essentially commercially judicially locally globally legally morally totally federally generally naturally culturally rurally mentally environmentally " +
  "gently recently currently presently permanently frequently efficiently sufficiently independently consistently immediately appropriately adequately accurately separately privately " +
  "coronavirus covid antivirus achieves achieved lifesaving livestock navajo virgin islands javits yucca yosemite ozark ozarks aztec yakima seventeen yellowfin xylazine fentanyl-x naloxone mexicans vietnamese vawa severe-v ivory byrd wyden tyson lynching antilynching trying dyslexia paralysis dialysis analysis catalyst catalyze hypertension rhythm gymnasium olympic olympics paralympic myth lyrics nylon polymer polygraph synthetic sympathy " +
  "thereby whereby nearby standby lobby lobbying lobbyist lobbyists hobby ruby rugby carry carrying ferry cherry merry worry sorry berry strawberry blueberry story stories dairy fairy hairy prairie entry country pantry gentry ministry registry registries industry forestry " +
  "chemistry artistry dentistry pastry poultry sentry tapestry symmetry geometry telemetry infantry cavalry rivalry bakery brewery brewers bravery turkey donkey monkey hockey jockey kidney honey chimney " +
  "paycheck paychecks paydown payday payroll payor anybody everybody somebody nobody body embody subsidiary study studying ready already steady study tidy body daddy candy candid remedy remedies comedy tragedy custody melody parody prosody orthodoxy proxy galaxy epoxy taxi taxis " +
  "maximizing hexagon vixen oxen proxies fixture fixtures mixture mixing extradition extortion extinguish extinction extinct exacerbate exact exactly exacting exalt exonerate exorbitant expatriate expat expectant expect expectancy expectation expected expeditionary expeditious " +
  "deoxygenation pyrotechnic syringe syringes vape vaping vaccinate vaccinated vacation vacant vague valid validation validate vandalism variance varieties variety various vary varying vast vegetable vegetables vegetation velocity vent ventilation verdict versus vertical veto " +
  "vicious victimization vietnam vigilance vigilant vigor vindicate vintage virtuous vitamin vitamins vivid vocation volatile volatility volcano volcanic volcanoes votes vow voyage vulnerable"
)
  .split(" ")
  .filter((word) => /[vxyz]/.test(word));
