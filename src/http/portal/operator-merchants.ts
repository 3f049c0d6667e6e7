/** GET and POST /merchants, GET /merchants/{merchant_id}, POST /merchants/{merchant_id}/suspend and /resume: for operators. */

import { viewValue } from '../../access/portal/viewed-merchant.ts';
import { type IssuedCredential, issueCredential } from '../../access/tokens/secrets.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { OneOf, Whole } from '../../domain/check/schema.ts';
import { type Static, type TSchema, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { MerchantBody, MerchantNameBody, MerchantNoteBody, MerchantReturnsBody } from '../../domain/setup/merchant.ts';
import { FILE_STATUSES } from '../../domain/vocabulary/file-types.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { PORTAL_ROLE_NAMES } from '../../domain/vocabulary/portal-roles.ts';
import { type Status, SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import {
  type AccountActivity,
  listMerchantsWithUse,
  type MerchantDetails,
  type MerchantSummary,
  readMerchantDetails,
} from '../../operations/portal/merchants-overview.ts';
import {
  addMerchant,
  noteMerchant,
  renameMerchant,
  setMerchantSuspended,
} from '../../operations/setup/change-merchant.ts';
import { readWholeMerchant } from '../../operations/setup/merchant-accounts.ts';
import { noteTag } from '../../store/port/part-tags.ts';
import { changedAnswer, foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { VIEW_COOKIE } from '../portal-access/session-cookie.ts';
import type { Services } from '../services.ts';
import { Count, OrNull, Time } from './answer-schemas.ts';
import { CredentialAnswer, KeyAnswer, keyJson } from './keys.ts';
import { STATUS_KEYS } from './offer-query.ts';
import { StatusName } from './offers.ts';
import { RequestSpan, spanJson } from './overview.ts';

function InBoth<T extends TSchema>(schema: T, description: string) {
  const in_ = (environment: Environment): T => ({ ...schema, description: `In the ${environment} environment.` });
  return Type.Object({ test: in_('test'), live: in_('live') }, { description });
}

const merchantFields = {
  id: Type.String({ description: 'Merchant id.' }),
  name: Type.String({ description: 'Name for people.' }),
  created: Time('Time of creation.'),
  suspended: Type.Boolean({ description: 'Whether API calls and changes of the merchant are refused.' }),
  users: Count('Portal users of the merchant.'),
  offers: InBoth(
    OrNull(Count('')),
    "Number of offers, including archived ones; null while an environment's database node does not respond.",
  ),
};

const MerchantsAnswer = Type.Object({
  limit_per_minute: Count(`Requests per environment of a merchant in ${LIMITS.request_window_seconds} seconds.`),
  merchants: Type.Array(
    Type.Object({
      ...merchantFields,
      requests: InBoth(Type.Object({ last_minute: Count('Requests in the last whole minute.') }), 'Requests.'),
    }),
    { description: 'All merchants.' },
  ),
});

/** What the operator sees of one environment of a merchant. */
const Activity = (names: Names) =>
  Type.Object({
    by_status: Type.Array(Type.Object({ status: StatusName(names), offers: Count('Offers that have it.') }), {
      description: 'All statuses; offers in review include those that were never reviewed.',
    }),
    by_sub_status: Type.Array(
      Type.Object({
        sub_status: OneOf(SUB_STATUSES, { description: 'The issue.' }),
        offers: Count('Offers that have it.'),
      }),
      {
        description: 'Issues of offers that are not archived, most frequent first.',
      },
    ),
    last_file: OrNull(
      Type.Object({
        id: Type.String({ description: 'Id of the file.' }),
        name: Type.String({ description: 'The name that the merchant gave it.' }),
        status: OneOf(FILE_STATUSES, { description: 'Processing status.' }),
        received: Time('When it was submitted.'),
      }),
      'The last bulk file; null if there is none.',
    ),
    last_request: OrNull(
      Type.Object({
        call: Type.String({ description: 'Method and path.' }),
        status: Whole(100, 599, { description: 'HTTP status.' }),
        at: Time('Time of the response.'),
      }),
      'The last request in the log; null if there is none.',
    ),
  });

const DetailsAnswer = (names: Names) =>
  Type.Object({
    ...merchantFields,
    note: Type.String({ description: 'What operators noted; merchants do not see it.' }),
    note_etag: Type.String({ description: 'Version of the note, for the header `If-Match` when it is replaced.' }),
    activity: Type.Object(
      {
        live: OrNull(Activity(names), 'Live environment; null while its database node does not respond.'),
        test: OrNull(Activity(names), 'Test environment; null while its database node does not respond.'),
      },
      { description: 'Offers, last bulk file and last request.' },
    ),
    ...MerchantReturnsBody.properties,
    limit_per_minute: MerchantsAnswer.properties.limit_per_minute,
    requests: InBoth(
      Type.Object({
        minutes: Type.Array(RequestSpan, { description: 'The last 60 minutes, oldest first, including idle ones.' }),
      }),
      'Requests by minute.',
    ),
    keys: InBoth(Type.Array(KeyAnswer), 'Active keys, without secrets.'),
  });

const AddedAnswer = Type.Object({ id: merchantFields.id, credentials: InBoth(CredentialAnswer, 'The first keys.') });

const shared = { access: 'person', roles: ['operator'], tag: 'Merchants' } as const;

export const operatorMerchantsEndpoints = endpointsOf(shared, {
  'GET /merchants': {
    id: 'listMerchants',
    summary: 'List the merchants with their figures, sorted by id',
    description: 'Shows the number of offers and requests in both environments.',
    answer: MerchantsAnswer,
    // The call counts each merchant separately, which takes time.
    unhurried: true,
    async handle({ services }) {
      const listed = await listMerchantsWithUse(services.merchants);
      return foundAnswer(listed, (all) => {
        const answer: Static<typeof MerchantsAnswer> = {
          limit_per_minute: services.merchants.requestsPerMinute,
          merchants: all.map((merchant) => ({
            ...merchantJson(merchant),
            requests: inBoth((environment) => ({ last_minute: merchant.lastMinute[environment] })),
          })),
        };
        return JSON.stringify(answer);
      });
    },
  },
  'POST /merchants': {
    id: 'addMerchant',
    needsFreshSignIn: true,
    summary: 'Add a merchant, with keys for each environment',
    requestBody: MerchantBody,
    answer: AddedAnswer,
    async handle({ services, body }) {
      const issued = inBoth(issueCredential);
      const added = await addMerchant(services.setup, body, { test: issued.test.stored, live: issued.live.stored });
      return changedAnswer(services, added, ({ merchantId }): Static<typeof AddedAnswer> => {
        const shown = ({ user, secret }: IssuedCredential) => ({ user, secret });
        return { id: merchantId, credentials: { test: shown(issued.test), live: shown(issued.live) } };
      });
    },
  },
  'GET /merchants/{merchant_id}': {
    id: 'getMerchantDetails',
    summary: 'Read a merchant with its keys and its requests per minute',
    description: 'Shows keys without their secrets.',
    answer: DetailsAnswer,
    failures: [404],
    async handle({ services, targetId: merchantId }) {
      const read = await readMerchantDetails(services.merchants, merchantId);
      return foundAnswer(read, (details) => JSON.stringify(detailsJson(details, services)));
    },
  },
  'PUT /merchants/{merchant_id}': {
    id: 'renameMerchant',
    summary: 'Change the name of a merchant',
    requestBody: MerchantNameBody,
    failures: [404],
    handle: async ({ services, targetId: merchantId, body }) =>
      changedAnswer(services, await renameMerchant(services.setup, merchantId, body)),
  },
  'PUT /merchants/{merchant_id}/note': {
    id: 'noteMerchant',
    summary: "Replace the operators' note on a merchant",
    requestBody: MerchantNoteBody,
    failures: [404],
    versioned: true,
    handle: async ({ services, targetId: merchantId, body, precondition }) =>
      changedAnswer(services, await noteMerchant(services.setup, merchantId, body, precondition)),
  },
  'POST /merchants/{merchant_id}/view': {
    id: 'viewAsMerchant',
    summary: 'View the pages of a merchant in this session, read-only',
    description: 'Sets a cookie. Until the view ends, the session reads what a viewer of the merchant reads.',
    failures: [404],
    async handle({ services, person, targetId: merchantId }) {
      const merchant = await readWholeMerchant(services.setup.store, merchantId);
      if (!merchant.ok) return merchant;
      const signed = await viewValue(services.portal.directory, person, merchantId);
      return { status: 202, headers: VIEW_COOKIE.set(signed, services.publicUrl()) };
    },
  },
  'DELETE /view': {
    id: 'endView',
    roles: PORTAL_ROLE_NAMES,
    ofOneself: true,
    endsView: true,
    summary: 'Stop viewing as a merchant',
    handle: ({ services }) => ({ status: 202, headers: VIEW_COOKIE.end(services.publicUrl()) }),
  },
  'POST /merchants/{merchant_id}/suspend': {
    id: 'suspendMerchant',
    summary: 'Suspend a merchant: refuse its API calls and changes until it is resumed; nothing is deleted',
    description: 'Its live offers leave the storefront.',
    failures: [404],
    handle: async ({ services, targetId: merchantId }) =>
      changedAnswer(services, await setMerchantSuspended(services.setup, merchantId, true)),
  },
  'POST /merchants/{merchant_id}/resume': {
    id: 'resumeMerchant',
    summary: 'Resume a suspended merchant; its keys work as before',
    description: 'Its live offers return to the storefront.',
    failures: [404],
    handle: async ({ services, targetId: merchantId }) =>
      changedAnswer(services, await setMerchantSuspended(services.setup, merchantId, false)),
  },
});

function detailsJson(
  details: MerchantDetails,
  { context, merchants }: Services,
): Record<keyof Static<ReturnType<typeof DetailsAnswer>>, unknown> {
  return {
    ...merchantJson(details),
    note: details.note,
    note_etag: `"${noteTag(details.note)}"`,
    activity: inBoth((environment) => activityJson(details.activity[environment], context.names)),
    time_to_return_days: details.timeToReturnDays,
    return_shipping_methods: details.returnShippingMethods.map((method) => context.names.method(method)),
    limit_per_minute: merchants.requestsPerMinute,
    requests: inBoth((environment) => ({
      minutes: details.minutes[environment].map(spanJson),
    })),
    keys: inBoth((environment) => details.keys.filter((key) => key.environment === environment).map(keyJson)),
  };
}

function activityJson(activity: AccountActivity | undefined, names: Names): Static<ReturnType<typeof Activity>> | null {
  if (activity === undefined) return null;
  const { counts, lastFile, lastRequest } = activity;
  const countIn = (status: Status) =>
    (counts.byStatus.get(status) ?? 0) + (status === 'review' ? counts.unreviewed : 0);
  return {
    by_status: STATUS_KEYS.map((status) => ({ status: names.status(status), offers: countIn(status) })),
    by_sub_status: [...counts.bySubStatus]
      .sort(([, one], [, other]) => other - one)
      .map(([sub_status, offers]) => ({ sub_status, offers })),
    last_file:
      lastFile === undefined
        ? null
        : { id: lastFile.fileId, name: lastFile.name, status: lastFile.status, received: isoTime(lastFile.receivedMs) },
    last_request:
      lastRequest === undefined
        ? null
        : { call: lastRequest.call, status: lastRequest.status, at: isoTime(lastRequest.atMs) },
  };
}

function merchantJson(merchant: MerchantSummary) {
  return {
    id: merchant.merchantId,
    name: merchant.name,
    created: isoTime(merchant.createdMs),
    suspended: merchant.suspended,
    users: merchant.users,
    offers: merchant.offers,
  };
}

function inBoth<T>(make: (environment: Environment) => T): Record<Environment, T> {
  return Object.fromEntries(ENVIRONMENTS.map((environment) => [environment, make(environment)])) as Record<
    Environment,
    T
  >;
}
