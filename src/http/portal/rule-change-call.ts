/** Shared by the calls that change the review's rules: preview, confirmation, and the impact in their responses. */
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { readEnforcedFrom } from '../../operations/review/announced-changes.ts';
import { ChangeGate } from '../../operations/review/rule-change.ts';
import type { Impact } from '../../store/port/settings.ts';
import { changedAnswer } from '../answers/answers.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { QueryReading, readQuery } from '../query.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

const YES = ['true'] as const;

export const ImpactAnswer = Type.Object(
  {
    offers: Count('Offers that change their status, or for a change of `rank_order` their rank, in both environments.'),
    products: Type.Optional(Count('For a change of `rank_order`: products that change their best offer.')),
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
  products,
}: Impact): Static<typeof ImpactAnswer> {
  return {
    offers,
    live: live ?? null,
    merchants,
    off_sale: offSale,
    exact: isExact,
    examined,
    ...(products !== undefined && { products }),
  };
}

export function isPreview(query: string): boolean {
  return new QueryReading(query).oneOf('preview', YES) !== undefined;
}

/** The call reviews up to 20,000 offers before it responds. */
export const CHANGE = {
  unhurried: true,
  query: {
    preview: { description: '`true`: return the impact, and change nothing.', schema: Type.String() },
    confirmed: {
      description: `\`true\`: needed if more than ${LIMITS.unconfirmed_offers_max} offers change their status.`,
      schema: Type.String(),
    },
  },
  // A preview, whose response shows the impact, is not recorded in the activity log.
  isRecorded: ({ query }) => !isPreview(query),
} satisfies Partial<PersonEndpoint>;

export const ENFORCED_FROM = {
  description: `Date and time from which the change applies, at least ${LIMITS.announced_hours_min} hour and at most ${LIMITS.announced_days_max} days ahead.`,
  schema: Type.String(),
} as const;

/** For changes that can be announced with a date. */
export const DATED_CHANGE = {
  ...CHANGE,
  query: {
    ...CHANGE.query,
    enforced_from: { ...ENFORCED_FROM, description: `${ENFORCED_FROM.description} If absent, it applies at once.` },
  },
} satisfies Partial<PersonEndpoint>;

export const DatedFields = {
  impact: NoImpact,
  enforced_from: OrNull(Time('When the change applies.'), 'Null: it applies at once.'),
};

/** Returns undefined if there is no date, or after a problem. */
export function enforcedFromIn(reading: QueryReading, { services }: PersonCall): number | undefined {
  const text = reading.filledText('enforced_from');
  if (text === undefined) return undefined;
  const date = readEnforcedFrom(text, services.ruleChanges.nowMs());
  return typeof date === 'number' ? date : reading.refuse(`enforced_from: ${date}.`);
}

/** Returns 200 with the result, formatted by `shape`, and the impact. */
export async function ruleChangeAnswer<T>(
  call: PersonCall,
  change: (gate: ChangeGate) => Promise<Outcome<T>>,
  shape: (value: T) => Record<string, unknown>,
  dates?: 'dated',
): Promise<Answer> {
  const asked = readQuery(call.query, (reading) => {
    const enforcedFromMs = enforcedFromIn(reading, call);
    // Otherwise the change would apply at once.
    if (dates === undefined && enforcedFromMs !== undefined) reading.refuse('enforced_from: this change has no date.');
    return { preview: reading.oneOf('preview', YES), confirmed: reading.oneOf('confirmed', YES), enforcedFromMs };
  });
  if ('problems' in asked) return asked;
  const { enforcedFromMs } = asked;
  const gate = gateOf(call, asked.preview ? 'preview' : asked.confirmed ? 'confirmed' : 'unconfirmed', enforcedFromMs);
  const outcome = await change(gate);
  return changedAnswer(call.services, outcome, (value) => ({
    ...shape(value),
    impact: gate.impact && impactJson(gate.impact),
    ...(dates === undefined ? {} : { enforced_from: isoTimeOrNull(enforcedFromMs ?? null) }),
  }));
}

export function gateOf(
  { services, person }: PersonCall,
  mode: 'preview' | 'unconfirmed' | 'confirmed',
  enforcedFromMs?: number,
): ChangeGate {
  const { estimate, nowMs } = services.ruleChanges;
  const announced = services.context.rules.policies.announced?.length ?? 0;
  return new ChangeGate({ by: person.email, mode, nowMs, estimate, enforcedFromMs, announced });
}
