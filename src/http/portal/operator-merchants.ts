/** GET and POST /merchants, GET /merchants/{merchant_id}, POST /merchants/{merchant_id}/suspend and /resume: for operators. */
import { issueCredential } from '../../access/secrets.ts';
import { viewValue } from '../../access/viewed-merchant.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { type Static, type TSchema, Type } from '../../domain/check/type.ts';
import { MerchantBody, MerchantNameBody, MerchantReturnsBody } from '../../domain/setup/merchant.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { PORTAL_ROLE_NAMES } from '../../domain/vocabulary/portal-roles.ts';
import {
  listMerchantsWithUse,
  type MerchantDetails,
  type MerchantSummary,
  readMerchantDetails,
} from '../../operations/portal/merchants-overview.ts';
import { addMerchant } from '../../operations/setup/add-merchant.ts';
import { readWholeMerchant } from '../../operations/setup/merchant-accounts.ts';
import { renameMerchant } from '../../operations/setup/rename-merchant.ts';
import { setMerchantSuspended } from '../../operations/setup/suspend-merchant.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { endedViewCookie, viewCookie } from '../portal-access/session-cookie.ts';
import type { Services } from '../services.ts';
import { Count, Time } from './answer-schemas.ts';
import { changedAnswer } from './answers.ts';
import { KeyAnswer, keyJson } from './keys.ts';
import { RequestSpan, spanJson } from './overview.ts';

function InBoth<T extends TSchema>(schema: T, description?: string) {
  return Type.Object({ test: schema, live: schema }, description === undefined ? {} : { description });
}

const merchantFields = {
  id: Type.String(),
  name: Type.String(),
  created: Time('Time of creation.'),
  suspended: Type.Boolean(),
  users: Count('Portal users of the merchant.'),
  offers: InBoth(
    Type.Union([Count('Offers, including archived ones.'), Type.Null()], {
      description: "Null while this environment's database node does not respond.",
    }),
  ),
};

const MerchantsAnswer = Type.Object({
  limit_per_minute: Count('Requests per environment of a merchant in 60 seconds.'),
  merchants: Type.Array(
    Type.Object({
      ...merchantFields,
      requests: InBoth(Type.Object({ last_minute: Count('Requests in the last whole minute.') })),
    }),
  ),
});

const DetailsAnswer = Type.Object({
  ...merchantFields,
  ...MerchantReturnsBody.properties,
  limit_per_minute: MerchantsAnswer.properties.limit_per_minute,
  requests: InBoth(
    Type.Object({
      minutes: Type.Array(RequestSpan, { description: 'The last 60 minutes, oldest first, including idle ones.' }),
    }),
  ),
  keys: InBoth(Type.Array(KeyAnswer), 'Active keys, without secrets.'),
});

const CredentialAnswer = Type.Object({
  user: Type.String(),
  secret: Type.String({ description: 'Shown only once.' }),
});

const AddedAnswer = Type.Object({ id: Type.String(), credentials: InBoth(CredentialAnswer) });

const shared = { access: 'person', roles: ['operator'], tag: 'Merchants' } as const;

export const operatorMerchantsEndpoints: readonly PersonEndpoint[] = [
  {
    ...shared,
    id: 'listMerchants',
    method: 'GET',
    path: '/merchants',
    summary: 'List the merchants with their figures, sorted by id',
    answer: MerchantsAnswer,
    // The call counts each merchant separately, which takes time.
    unhurried: true,
    handle: listAnswer,
  },
  {
    ...shared,
    id: 'addMerchant',
    method: 'POST',
    path: '/merchants',
    summary: 'Add a merchant, with keys for each environment',
    requestBody: MerchantBody,
    answer: AddedAnswer,
    failures: [400],
    handle: addAnswer,
  },
  {
    ...shared,
    id: 'getMerchantDetails',
    method: 'GET',
    path: '/merchants/{merchant_id}',
    summary: 'Read a merchant with its keys and its requests per minute',
    answer: DetailsAnswer,
    failures: [404],
    handle: detailsAnswer,
  },
  {
    ...shared,
    id: 'renameMerchant',
    method: 'PUT',
    path: '/merchants/{merchant_id}',
    summary: 'Change the name of a merchant',
    requestBody: MerchantNameBody,
    failures: [400, 404],
    handle: renameAnswer,
  },
  {
    ...shared,
    id: 'viewAsMerchant',
    method: 'POST',
    path: '/merchants/{merchant_id}/view',
    summary: 'View the pages of a merchant in this session, read-only',
    description: 'Sets a cookie. Until the view ends, the session reads what a viewer of the merchant reads.',
    failures: [404],
    handle: viewAnswer,
  },
  {
    ...shared,
    id: 'endView',
    method: 'DELETE',
    path: '/view',
    roles: PORTAL_ROLE_NAMES,
    ofOneself: true,
    endsView: true,
    summary: 'Stop viewing as a merchant',
    handle: ({ services }) => ({ status: 202, headers: endedViewCookie(services.publicUrl()) }),
  },
  {
    ...shared,
    id: 'suspendMerchant',
    method: 'POST',
    path: '/merchants/{merchant_id}/suspend',
    summary: 'Suspend a merchant: refuse its API calls and changes until it is resumed; nothing is deleted',
    failures: [404],
    handle: (call) => suspendAnswer(call, true),
  },
  {
    ...shared,
    id: 'resumeMerchant',
    method: 'POST',
    path: '/merchants/{merchant_id}/resume',
    summary: 'Resume a suspended merchant; its keys work as before',
    failures: [404],
    handle: (call) => suspendAnswer(call, false),
  },
];

async function listAnswer({ services }: PersonCall): Promise<Answer> {
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
}

async function detailsAnswer({ services, value: id }: PersonCall): Promise<Answer> {
  const read = await readMerchantDetails(services.merchants, id);
  return foundAnswer(read, (details) => JSON.stringify(detailsJson(details, services)));
}

function detailsJson(
  details: MerchantDetails,
  { context, merchants }: Services,
): Record<keyof Static<typeof DetailsAnswer>, unknown> {
  return {
    ...merchantJson(details),
    time_to_return_days: details.timeToReturnDays,
    return_shipping_methods: details.returnShippingMethods.map((method) => context.names.method(method)),
    limit_per_minute: merchants.requestsPerMinute,
    requests: inBoth((environment) => ({
      minutes: details.minutes[environment].map(spanJson),
    })),
    keys: inBoth((environment) => details.keys.filter((key) => key.environment === environment).map(keyJson)),
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

async function addAnswer({ services, body }: PersonCall): Promise<Answer> {
  const credentials = inBoth(issueCredential);
  const added = await addMerchant(
    services.setup,
    body,
    inBoth((environment) => credentials[environment].stored),
  );
  return changedAnswer(
    services,
    added,
    ({ merchantId }): Static<typeof AddedAnswer> => ({
      id: merchantId,
      credentials: inBoth((environment) => {
        const { user, secret } = credentials[environment];
        return { user, secret };
      }),
    }),
  );
}

async function renameAnswer({ services, value: id, body }: PersonCall): Promise<Answer> {
  return changedAnswer(services, await renameMerchant(services.setup, id, body));
}

async function viewAnswer({ services, person, value: id }: PersonCall): Promise<Answer> {
  const merchant = await readWholeMerchant(services.setup.store, id);
  if (!merchant.ok) return merchant;
  const signed = await viewValue(services.portal.directory, person, id);
  return { status: 202, headers: viewCookie(signed, services.publicUrl()) };
}

async function suspendAnswer({ services, value: id }: PersonCall, suspended: boolean): Promise<Answer> {
  return changedAnswer(services, await setMerchantSuspended(services.setup, id, suspended));
}

function inBoth<T>(make: (environment: Environment) => T): Record<Environment, T> {
  return Object.fromEntries(ENVIRONMENTS.map((environment) => [environment, make(environment)])) as Record<
    Environment,
    T
  >;
}
