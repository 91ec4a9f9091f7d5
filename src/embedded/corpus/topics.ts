/** A subject of speeches and bills. */
export interface Topic {
  /** The search term for the topic. */
  key: string;
  /** Subject heading of programs. */
  subject: string;
  /** Further subject headings that `subject:` searches; rows do not show them. */
  otherSubjects?: readonly string[];
  /** The committee that holds hearings on it. */
  committee: string;
  /** Stems of bill titles. */
  bills: readonly string[];
  /** Sentences about it; {n} is a number, {state} a state. */
  sentences: readonly string[];
}

/** All topics. The first five are more frequent, see {@link SEASONAL_TOPICS}. */
export const TOPICS: readonly Topic[] = [
  {
    key: "climate",
    subject: "Climate and Environment",
    otherSubjects: ["Climate Change"],
    committee: "Environment and Natural Resources",
    bills: [
      "Climate Resilience",
      "Clean Air Monitoring",
      "Coastal Climate Adaptation",
      "Climate Data",
      "Carbon Storage",
      "Emissions Reporting",
      "Industrial Emissions",
    ],
    sentences: [
      "climate change is already costing families in {state} {n} million dollars a year.",
      "the climate we grew up with is not the climate our children will farm in.",
      "we can argue about the policy, but nobody measuring climate in {state} argues about the trend.",
      "our climate plan pays for itself within {n} years, and the numbers are in the record.",
      "insurers have priced climate risk into {n} counties while this chamber was still debating it.",
      "a climate bill that closes every mine in {state} is not a climate bill, it is a layoff notice.",
      "the scientists who study climate change asked us for {n} more stations and we gave them none.",
      "if we change nothing, the climate will redraw the map of {state} for us.",
      "change is hard, I grant that, but a climate that floods {n} counties is harder.",
      "you cannot change the subject on the climate, because the climate does not take questions.",
      "emissions in {state} fell by {n} thousand tons, and the lights stayed on.",
    ],
  },
  {
    key: "budget",
    subject: "Federal Budget",
    committee: "Budget",
    bills: ["Budget Process", "Balanced Budget Enforcement", "Budget Transparency", "Federal Budget Accountability"],
    sentences: [
      "this budget spends {n} billion dollars that we do not have.",
      "a budget is a list of promises, and this budget breaks {n} of them.",
      "the budget resolution before us protects every program that {state} depends on.",
      "we have not passed a budget on time in {n} years, and everyone here knows why.",
      "read the tables at the back of the budget and you will find the cut to {state}.",
      "the budget deficit does not care which party wrote the budget.",
    ],
  },
  {
    key: "infrastructure",
    subject: "Transportation and Infrastructure",
    committee: "Transportation and Infrastructure",
    bills: [
      "Infrastructure Investment",
      "Bridge and Infrastructure Repair",
      "Rural Infrastructure",
      "Water Infrastructure",
      "Transportation Safety",
      "Rural Transportation",
    ],
    sentences: [
      "our infrastructure was built by people who planned {n} years ahead, and we live off what they left.",
      "there are {n} bridges in {state} that a school bus is not allowed to cross.",
      "infrastructure is not a red idea or a blue idea, it is a road that somebody has to drive on.",
      "every dollar of infrastructure money in {state} was asked for by a mayor, not by a lobbyist.",
      "you cannot talk about jobs and leave out infrastructure, because freight does not move on speeches.",
      "the water infrastructure under our towns is {n} years old and some of it is made of wood.",
      "an investment in infrastructure is an act of faith, and it comes with {n} thousand jobs.",
      "transportation is the second largest bill that a household in {state} pays.",
    ],
  },
  {
    key: "artificial intelligence",
    subject: "Science and Technology",
    committee: "Commerce, Science and Technology",
    bills: [
      "Artificial Intelligence Standards",
      "Artificial Intelligence Workforce",
      "AI Disclosure",
      "Responsible AI Procurement",
    ],
    sentences: [
      "artificial intelligence will touch every job in {state} within {n} years.",
      "we ask that AI be tested before it decides who gets a loan, not after.",
      "the agency runs {n} systems that it calls artificial intelligence and cannot list what they do.",
      "if AI wrote the letter, the person reading it has a right to know that AI wrote the letter.",
      "we lead the world in artificial intelligence because we fund the basic research, so keep funding it.",
      "an AI that nobody can question is not a tool, it is an authority that nobody elected.",
      "there is nothing artificial about the harm when the intelligence behind it is for sale.",
      "call it artificial if you like, but somebody sold that intelligence to {n} agencies.",
      "intelligence without judgment is artificial in every sense of the word.",
      "we fund the intelligence of people first, and then whatever is artificial.",
      "an artificial deadline is no substitute for intelligence, and {state} has met neither.",
    ],
  },
  {
    key: "inflation",
    subject: "Economy",
    committee: "Finance",
    bills: ["Inflation Relief", "Price Transparency", "Consumer Price Reporting", "Inflation Indexed Savings"],
    sentences: [
      "inflation took {n} dollars a month from the average household in {state}.",
      "you do not fight inflation by printing the money a second time.",
      "the price of eggs is where inflation meets the kitchen table.",
      "inflation has come down {n} months in a row and the other side will not say so.",
      "retired people on a fixed income feel inflation before any economist measures it.",
      "this body can act on inflation, and a reduction in the deficit is where to begin.",
      "a reduction in the price of gas is not a reduction in inflation, ask {state}.",
    ],
  },
  {
    key: "health",
    subject: "Health Care",
    committee: "Health, Education and Labor",
    bills: [
      "Rural Health Access",
      "Mental Health Services",
      "Prescription Drug Pricing",
      "Community Health Center",
      "Healthcare Workforce",
      "Affordable Healthcare",
    ],
    sentences: [
      "a mother in {state} drove {n} miles to reach a health clinic that was already full.",
      "health care is the largest line in the household budget after the rent.",
      "we lost {n} rural hospitals, and with each of them went the only health workers in the county.",
      "mental health is health, and the law should say so in one sentence.",
      "the price of insulin is a health policy that this body made by doing nothing.",
      "healthcare in {state} should not depend on whether {state} had a good year.",
      "a nurse told me that healthcare is the only shift that never ends.",
    ],
  },
  {
    key: "defense",
    subject: "National Defense",
    committee: "Armed Services",
    bills: ["Defense Procurement", "Military Housing", "National Defense Readiness", "Cyber Defense Cooperation"],
    sentences: [
      "the defense bill has passed every year for {n} years, and it should pass this week.",
      "our shipyards in {state} are {n} months behind, and defense begins in the shipyard.",
      "a strong defense is the cheapest one, because it is the one you never use.",
      "the department of defense has failed {n} audits and still calls the money spent.",
      "the men and women in defense of this country live in housing with mold on the walls.",
    ],
  },
  {
    key: "immigration",
    subject: "Immigration",
    committee: "Judiciary",
    bills: ["Immigration Court", "Border Technology", "Seasonal Worker Visa", "Immigration Backlog"],
    sentences: [
      "the immigration courts have a backlog of {n} thousand cases and not enough judges to hear them.",
      "an immigration system that takes {n} years to answer a letter is not a system.",
      "growers in {state} wrote to every one of us about immigration and got {n} form letters back.",
      "secure the border and fix legal immigration, and do both, because one without the other fails.",
    ],
  },
  {
    key: "education",
    subject: "Education",
    committee: "Education and the Workforce",
    bills: ["Student Loan Simplification", "Early Education", "Career and Technical Education", "School Safety"],
    sentences: [
      "teachers in {state} spend {n} dollars of their own on education supplies.",
      "education is the only program I know of that pays interest for {n} years.",
      "a student should not need a lawyer to read a loan for an education.",
      "technical education puts people to work while we are still discussing what work is.",
    ],
  },
  {
    key: "energy",
    subject: "Energy",
    committee: "Energy and Commerce",
    bills: ["Energy Grid Reliability", "Clean Energy Permitting", "Nuclear Energy Innovation", "Home Energy Savings"],
    sentences: [
      "{state} exports energy to {n} states and imports the bill for the wires.",
      "it takes {n} years to permit an energy line that takes two years to build.",
      "an all of the above energy policy has to include something below as well, so talk about geothermal.",
      "energy independence was never a slogan where I come from, it was the paycheck.",
    ],
  },
  {
    key: "agriculture",
    subject: "Agriculture",
    committee: "Agriculture",
    bills: ["Farm Credit", "Agriculture Research", "Specialty Crop", "Drought Relief for Agriculture"],
    sentences: [
      "agriculture in {state} lost {n} family farms last year and no one held a hearing.",
      "a drought does not read the farm bill, but agriculture lives by it.",
      "crop insurance keeps agriculture alive between the flood and the frost.",
    ],
  },
  {
    key: "veterans",
    subject: "Veterans",
    committee: "Veterans' Affairs",
    bills: ["Veterans Claims", "Veterans Housing", "Veterans Caregiver Support", "Veterans Telehealth"],
    sentences: [
      "veterans in {state} wait {n} days for an appointment that the law promises in thirty.",
      "we owe veterans more than a parade and a telephone number that nobody answers.",
      "{n} veterans in my district are still waiting for a decision on a claim about burn pits.",
    ],
  },
  {
    key: "trade",
    subject: "Trade",
    committee: "Ways and Means",
    bills: ["Trade Enforcement", "Supply Chain Mapping", "Small Exporter", "Trade Adjustment"],
    sentences: [
      "the trade agreement opened {n} markets and closed {n} plants in {state}.",
      "trade is won in the port, and our ports are full.",
      "a tariff is a tax on trade that someone in {state} pays at the register.",
    ],
  },
  {
    key: "elections",
    subject: "Elections",
    committee: "House Administration",
    bills: ["Election Worker Protection", "Ballot Access", "Election Security Grants", "Campaign Disclosure"],
    sentences: [
      "elections in {state} are run by {n} thousand volunteers who deserve our thanks and our protection.",
      "voters should choose in elections, and the losers should say that they lost.",
      "paper ballots are the oldest technology in our elections and still the best audit.",
    ],
  },
  {
    key: "guns",
    subject: "Firearms",
    committee: "Judiciary",
    bills: ["Ghost Guns", "Guns and Safe Storage", "Background Check", "Firearms Research"],
    sentences: [
      "a dealer in {state} sold {n} guns in a week and asked one question.",
      "I own guns, my father owned guns, and neither of us was ever afraid of a form.",
      "{n} mayors have asked us to get ghost guns off their streets.",
      "guns are in the constitution, and so is the right to come home from school.",
    ],
  },
];

/** The pool that bills and programs draw from: all topics, the first five three times. */
export const SEASONAL_TOPICS: readonly Topic[] = [...TOPICS, ...TOPICS.slice(0, 5), ...TOPICS.slice(0, 5)];
