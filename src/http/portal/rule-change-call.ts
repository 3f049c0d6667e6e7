/** Shared by the calls that change the review's rules: preview, confirmation, and the impact in their responses. */
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { ChangeGate, type Impact } from '../../operations/review/rule-change.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { QueryReading } from '../query.ts';
import { Count, OrNull } from './answer-schemas.ts';
import { changedAnswer } from './answers.ts';

const YES = ['true'] as const;

export const CHANGE_QUERY = {
  preview: {
    description: '`true`: return the impact, and change nothing.',
    schema: Type.String(),
  },
  confirmed: {
    description: `\`true\`: needed if more than ${LIMITS.unconfirmed_offers_max} offers change their status.`,
    schema: Type.String(),
  },
} as const;

export const ImpactAnswer = Type.Object(
  {
    offers: Count('Offers that change their status, in both environments.'),
    live: OrNull(Count('How many of these offers are live.'), 'Null for a change by an earlier version.'),
    merchants: Count('Merchants that these offers belong to. For an estimate, only merchants in the sample.'),
    off_sale: Count('Live offers that are for sale before the change and not after it.'),
    exact: Type.Boolean({ description: 'False if estimated from a sample.' }),
    examined: Count('Offers that were reviewed for this result.'),
  },
  { description: 'The effect of the change on offers, counted before it is made.' },
);

export const NoImpact = OrNull(ImpactAnswer, 'Null if it was not estimated.');

export function impactJson({
  offers,
  live,
  merchants,
  offSale,
  isExact,
  examined,
}: Impact): Static<typeof ImpactAnswer> {
  return { offers, live: live ?? null, merchants, off_sale: offSale, exact: isExact, examined };
}

/** A preview, whose response shows the impact, is not recorded in the activity log. */
export function isPreview({ query }: Pick<PersonCall, 'query'>): boolean {
  return new QueryReading(query).oneOf('preview', YES) !== undefined;
}

/** The call reviews up to 20,000 offers before it responds. */
export const CHANGE = {
  unhurried: true,
  query: CHANGE_QUERY,
  isRecorded: (call) => !isPreview(call),
} satisfies Partial<PersonEndpoint>;

/** Returns 200 with the result, formatted by `shape`, and the impact. */
export async function ruleChangeAnswer<T>(
  call: PersonCall,
  change: (gate: ChangeGate) => Promise<Outcome<T>>,
  shape: (value: T) => Record<string, unknown>,
): Promise<Answer> {
  const reading = new QueryReading(call.query);
  const preview = reading.oneOf('preview', YES);
  const confirmed = reading.oneOf('confirmed', YES);
  if (reading.problems.length > 0) return { problems: reading.problems };
  const mode = preview ? 'preview' : confirmed ? 'confirmed' : 'unconfirmed';
  const gate = gateOf(call, mode);
  const outcome = await change(gate);
  return changedAnswer(call.services, outcome, (value) => ({
    ...shape(value),
    impact: gate.impact && impactJson(gate.impact),
  }));
}

export function gateOf({ services, person }: PersonCall, mode: 'preview' | 'unconfirmed' | 'confirmed'): ChangeGate {
  const { estimate, nowMs } = services.ruleChanges;
  return new ChangeGate({ by: person.email, mode, nowMs, estimate });
}
