/** GET /{environment}/offers/{user_defined_sku_id}/history, POST /{environment}/offers/{user_defined_sku_id}/restore */
import Type, { type TSchema } from 'typebox';
import { authorOfPerson } from '../../domain/author.ts';
import { ArchiveBody } from '../../domain/bodies/archive.ts';
import { PriceBody } from '../../domain/bodies/price.ts';
import { ReturnsExceptionBody } from '../../domain/bodies/returns-exception.ts';
import { ShippingExceptionBody } from '../../domain/bodies/shipping-exception.ts';
import { VariationBody } from '../../domain/bodies/variation.ts';
import { OneOf, Whole } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { HistoryPart } from '../../domain/vocabulary/history-parts.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import { authorJson } from '../../operations/events/event-json.ts';
import { readHistory } from '../../operations/portal/read-history.ts';
import { restoreVersion } from '../../operations/restore-version.ts';
import type { HistoryPage, NodeChange, OfferChange } from '../../store/port/history.ts';
import { acceptedAnswer, foundAnswer } from '../answers/answers.ts';
import { isoTime } from '../answers/iso-time.ts';
import { documentJson, exceptionsJson, spliceJson } from '../answers/stored-json.ts';
import type { AccountCall, AccountEndpoint, Answer } from '../endpoint.ts';
import { storedSkuFields } from '../endpoints/get-sku.ts';
import { groupMembersJson } from '../endpoints/get-variation.ts';
import { QueryReading } from '../query.ts';
import { OrNull, Time } from './answer-schemas.ts';

const LIMIT = { min: 1, max: LIMITS.history_page_max, fallback: LIMITS.history_page_default };
/** A page ends at the id of a change. */
const AFTER = { min: 1, max: 999_999_999_999_999, fallback: undefined };

const AUTHOR_KINDS = ['key', 'person', 'file'] as const;

const AuthorAnswer = Type.Object({
  kind: OneOf(AUTHOR_KINDS),
  name: Type.String({ description: 'User of the keys, email address, or file id.' }),
});

/** The price and other parts, in the format of their own calls. */
function changeOf(part: HistoryPart, value: TSchema) {
  return Type.Object({
    id: Whole(AFTER.min, AFTER.max, { description: 'Restore with it the value before the change.' }),
    at: Time('Time of the change.'),
    by: AuthorAnswer,
    part: OneOf([part]),
    before: OrNull(value, 'Null if there was none.'),
    after: OrNull(value, 'Null if it was removed.'),
  });
}

const Quantities = Type.Unsafe<Record<string, number>>({
  type: 'object',
  description: 'Quantities by fulfillment node id, for changed nodes only.',
  additionalProperties: { type: 'integer' },
});

export const historyEndpoints: readonly AccountEndpoint[] = [
  {
    id: 'readOfferHistory',
    method: 'GET',
    path: '/offers/{user_defined_sku_id}/history',
    access: 'account',
    roles: MERCHANT_ROLES,
    tag: 'Offers',
    summary: 'Read the history of an offer, newest first',
    description:
      'Changes by single calls, the portal and bulk files. To read on, send `next` as `after` until it is null.',
    query: {
      after: { description: 'The `next` of the previous page.', schema: Type.String() },
      limit: { description: `How many to read; ${LIMIT.fallback} when absent.`, schema: Whole(LIMIT.min, LIMIT.max) },
    },
    answer: Type.Object({
      changes: Type.Array(
        Type.Union([
          changeOf('sku', Type.Object(storedSkuFields)),
          changeOf('price', Type.Required(PriceBody)),
          changeOf('inventory', Quantities),
          changeOf('archive', ArchiveBody),
          changeOf('variation', VariationBody),
          changeOf('shipping_exceptions', Type.Required(ShippingExceptionBody)),
          changeOf('returns_exceptions', Type.Required(ReturnsExceptionBody)),
        ]),
      ),
      next: OrNull(Type.String(), 'Null on the last page.'),
    }),
    failures: [400, 404],
    handle: historyAnswer,
  },
  {
    id: 'restoreVersion',
    method: 'POST',
    path: '/offers/{user_defined_sku_id}/restore',
    access: 'account',
    roles: ['merchant-admin'],
    tag: 'Offers',
    summary: 'Restore the value before a change of the history',
    description:
      'Writes the old value like the call for that part, under the current rules. For inventory, only the nodes of ' +
      'the change are restored.',
    query: {
      change: {
        description: 'The `id` of the change.',
        schema: Whole(AFTER.min, AFTER.max),
        required: true,
      },
    },
    failures: [400, 404],
    handle: restoreAnswer,
  },
];

async function historyAnswer({ services, account, value: skuId, query }: AccountCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const page = { after: reading.wholeNumber('after', AFTER), limit: reading.wholeNumber('limit', LIMIT) };
  if (reading.problems.length > 0) return { problems: reading.problems };
  const outcome = await readHistory(services.history, account, skuId, page);
  return foundAnswer(outcome, (history) => historyJson(history, services.context.names));
}

async function restoreAnswer({ services, account, value: skuId, query, person }: AccountCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const change = reading.required('change', (text) =>
    /^[1-9]\d{0,14}$/.test(text) ? undefined : 'must be the id of a change',
  );
  if (reading.problems.length > 0) return { problems: reading.problems };
  const { context, history } = services;
  const by = authorOfPerson(person.email);
  return acceptedAnswer(await restoreVersion(context, history, account, skuId, Number(change), by));
}

function historyJson({ changes, next }: HistoryPage, names: Names): string {
  const list = changes.map((change) => changeJson(change, names)).join();
  return `{"changes":[${list}],"next":${next === undefined ? null : `"${next}"`}}`;
}

function changeJson(change: OfferChange, names: Names): string {
  const { before, after } = valuesJson(change, names);
  return spliceJson('{}', {
    id: String(change.id),
    at: JSON.stringify(isoTime(change.atMs)),
    by: JSON.stringify(authorJson(change.by)),
    part: JSON.stringify(change.part),
    before: before ?? 'null',
    after: after ?? 'null',
  });
}

interface Values<T> {
  readonly before: T;
  readonly after: T;
}

/** Stored JSON is not parsed, so that integers beyond 2^53 stay exact. */
function valuesJson(change: OfferChange, names: Names): Values<string | null> {
  switch (change.part) {
    case 'sku':
      return eachOf(change, (document) => documentJson(document, names));
    case 'price':
      return eachOf(change, ({ price, nodes }) => JSON.stringify({ price, fulfillment_nodes: nodes }));
    case 'inventory':
      return { before: quantitiesJson(change.nodes, 'before'), after: quantitiesJson(change.nodes, 'after') };
    case 'archive':
      return eachOf(change, (archived) => JSON.stringify({ is_archived: archived }));
    case 'variation':
      return eachOf(change, (group) => spliceJson('{}', groupMembersJson(group)));
    case 'shipping_exceptions':
      return eachOf(change, (exceptions) => `{"fulfillment_nodes":${exceptionsJson(exceptions, names)}}`);
    case 'returns_exceptions':
      return eachOf(change, (locationIds) => JSON.stringify({ return_location_ids: locationIds }));
  }
}

function eachOf<T>({ before, after }: Values<T | null>, toJson: (value: T) => string): Values<string | null> {
  return { before: before === null ? null : toJson(before), after: after === null ? null : toJson(after) };
}

/** Nodes without a quantity are left out; null when none has one. */
function quantitiesJson(nodes: readonly NodeChange[], side: 'before' | 'after'): string | null {
  const known = nodes.filter((node) => node[side] !== null).map((node) => [node.nodeId, node[side]]);
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}
