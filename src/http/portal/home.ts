/** GET /home: how the offers of all merchants develop, and which files and webhooks failed; for operators. */

import { ENVIRONMENTS } from '../../domain/account.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DAY_MS, isoTime } from '../../domain/vocabulary/iso-time.ts';
import { type Home, type Owner, readHome } from '../../operations/portal/read-home.ts';
import { endpointsOf } from '../endpoint.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

const MerchantName = Type.Object({ id: Type.String(), name: Type.String() });
const Environments = OneOf(ENVIRONMENTS, { description: 'Environment of the account.' });

const HomeAnswer = Type.Object({
  days: Type.Array(
    Type.Object({
      at: Time('Start of the day in UTC.'),
      available: Count('Available offers, in stock or not.'),
      failing: Count('Offers that are not available because of an issue or a policy.'),
      review: Count('Offers in review that were reviewed before.'),
      archived: Count('Archived offers.'),
    }),
    {
      description: `Live offers of all merchants that are not suspended, on each of the last ${LIMITS.offer_days} days that were counted, oldest first. The last day is counted every 10 minutes.`,
    },
  ),
  rises_since: Time(
    'Day with which `rises` compares the last day: a week before, or the first day that was counted since.',
  ),
  rises: Type.Array(Type.Object({ merchant: MerchantName, before: Count('Then.'), now: Count('On the last day.') }), {
    description: 'Merchants with more failing live offers than before, largest rise first.',
  }),
  files: OrNull(
    Type.Array(
      Type.Object({
        merchant: MerchantName,
        environment: Environments,
        id: Type.String(),
        name: Type.String(),
        ended: OrNull(Type.String(), 'ISO 8601, UTC.'),
        rows: Count('Failed rows of the file; 0 if it could not be read.'),
      }),
    ),
    'Failed bulk files of the last 24 hours: files without a single applied row, newest first. Null while a database node does not respond.',
  ),
  webhooks: Type.Array(
    Type.Object({
      merchant: OrNull(MerchantName, 'Null: a webhook of the marketplace.'),
      environment: Environments,
      id: Type.String(),
      url: Type.String(),
      failing_since: Time('First failed attempt.'),
      enabled: Type.Boolean({ description: 'False once it was disabled because of the failures.' }),
    }),
    { description: 'Webhooks that have failed for an hour or longer, latest first.' },
  ),
});

export const homeEndpoints = endpointsOf({ access: 'person', roles: ['operator'], tag: 'System' } as const, {
  'GET /home': {
    id: 'readHome',
    summary: 'Read how the offers of all merchants develop, and which files and webhooks failed',
    description: `Lists at most ${LIMITS.home_items_max} of each kind.`,
    answer: HomeAnswer,
    async handle({ services }) {
      return { status: 200, json: JSON.stringify(homeJson(await readHome(services.home))) };
    },
  },
});

function homeJson({ days, risesSinceMs, rises, files, webhooks }: Home): Static<typeof HomeAnswer> {
  return {
    days: days.map(({ day, ...counts }) => ({ at: isoTime(day * DAY_MS), ...counts })),
    rises_since: isoTime(risesSinceMs),
    rises: rises.flatMap(({ merchant, before, now }) =>
      merchant === null ? [] : [{ merchant: nameOf(merchant), before, now }],
    ),
    files:
      files?.flatMap(({ merchant, environment, fileId: id, name, endedMs, progress }) => {
        if (merchant === null) return [];
        return [
          {
            merchant: nameOf(merchant),
            environment,
            id,
            name,
            ended: isoTimeOrNull(endedMs),
            rows: progress.rowsFailed,
          },
        ];
      }) ?? null,
    webhooks: webhooks.map(
      ({ merchant, environment, webhookId: id, address: url, failingSinceMs, disabledReason }) => ({
        merchant: merchant === null ? null : nameOf(merchant),
        environment,
        id,
        url,
        failing_since: isoTime(failingSinceMs ?? 0),
        enabled: disabledReason === null,
      }),
    ),
  };
}

function nameOf({ merchantId: id, name }: NonNullable<Owner['merchant']>): Static<typeof MerchantName> {
  return { id, name };
}
