/** GET /merchant-skus/{user_defined_sku_id}/history, POST /merchant-skus/{user_defined_sku_id}/history/{change_id}/restore */
import { OneOf, Whole } from '../../domain/check/schema.ts';
import { type TSchema, Type } from '../../domain/check/type.ts';
import { authorJson } from '../../domain/events.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { OfferChange } from '../../domain/offers/history.ts';
import { valuesJson } from '../../domain/offers/part-changes.ts';
import { PARTS } from '../../domain/offers/parts.ts';
import { spliceJson } from '../../domain/offers/stored-json.ts';
import { type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { SCOPE, scopeSet } from '../../domain/setup/key-scopes.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import type { OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import { readHistory } from '../../operations/history/read-history.ts';
import { dryRunRestore, type RestoreRequest, restoreVersion } from '../../operations/offers/restore.ts';
import type { HistoryPage } from '../../store/port/history.ts';
import { acceptedAnswer, foundAnswer } from '../answers/answers.ts';
import { endpointsOf, type MerchantCall } from '../endpoint.ts';
import { OrNull } from '../portal/answer-schemas.ts';
import { limitParameter, readQuery } from '../query.ts';
import { PART_VALUES } from './parts.ts';

const LIMIT = { min: 1, max: LIMITS.history_page_max, fallback: LIMITS.history_page_default };
/** The cursor of a page is the id of a change. */
const AFTER = { min: 1, max: 999_999_999_999_999, fallback: undefined };

const AUTHOR_KINDS = ['key', 'person', 'file'] as const;

/** Who made a change, shared with events. */
export const authorFields = {
  kind: OneOf(AUTHOR_KINDS, { description: 'Whether an API key, a portal user or a bulk file made the change.' }),
  name: Type.String({
    description: "Depends on `kind`: the API key's user name (key), the email address (person), or the file id (file).",
  }),
};

/** Describes a change to one part of an offer. The values have the format of the part's own call. */
function changeOf(part: OfferPart, value: TSchema) {
  return Type.Object({
    id: Whole(AFTER.min, AFTER.max, {
      description: 'Id of the change. Send it to restore the value before the change.',
    }),
    at: Type.String({ format: 'date-time', description: 'Time of the change. ISO 8601, UTC.' }),
    by: Type.Object(authorFields, { description: 'Who made the change.' }),
    part: OneOf([part], { description: 'The part of the offer that changed.' }),
    before: OrNull(value, 'The value before the change; null if there was none.'),
    after: OrNull(value, 'The value after the change; null if it was removed.'),
  });
}

const shared = { access: 'merchant', needs: SCOPE.read, tag: 'History' } as const;

export const historyEndpoints = endpointsOf(shared, {
  'GET /merchant-skus/{user_defined_sku_id}/history': {
    id: 'getHistory',
    summary: 'Read the history of a SKU, newest first',
    description:
      'Lists changes made by individual calls, the portal and bulk files. For the next page, send `next` as `after`, until `next` is null.',
    query: {
      after: { description: 'The `next` of the previous page.', schema: Type.String() },
      limit: limitParameter(LIMIT),
    },
    answer: Type.Object({
      changes: Type.Array(Type.Union(PARTS.map(({ name }) => changeOf(name, PART_VALUES[name]))), {
        description: 'Changes, newest first. A page may have fewer than `limit` if their values are large.',
      }),
      next: OrNull(Type.String(), 'Null on the last page.'),
    }),
    failures: [404],
    async handle({ services, account, skuId, query }) {
      const page = readQuery(query, (reading) => {
        return { after: reading.wholeNumber('after', AFTER), limit: reading.wholeNumber('limit', LIMIT) };
      });
      if ('problems' in page) return page;
      const outcome = await readHistory(services.history, account, skuId, page);
      return foundAnswer(outcome, (history) => historyJson(history, services.context.names));
    },
  },
  'POST /merchant-skus/{user_defined_sku_id}/history/{change_id}/restore': {
    id: 'restoreVersion',
    // The change may be to any part, and a variation group names other SKUs.
    needs: scopeSet(PARTS.map(({ scope }) => scope)),
    concerns: 'several_skus',
    summary: 'Restore the value before a change in the history',
    description:
      'Writes the earlier value in the same way as the call for that part, under the current rules. For inventory, restores only ' +
      'the nodes that the change affected. Send the `ETag` of that part as `If-Match`.',
    failures: [404],
    versioned: true,
    dryRun: (call) =>
      withChange(call, (request) => dryRunRestore(call.services.context, call.services.history, request)),
    async handle(call) {
      const { context, history } = call.services;
      return acceptedAnswer(await withChange(call, (request) => restoreVersion(context, history, request, call.by)));
    },
  },
});

/** Calls `next` with the change that the URL names. */
async function withChange<T>(call: MerchantCall, next: (request: RestoreRequest) => Promise<Outcome<T>>) {
  const { account, skuId, changeId, precondition, firstRunNumber } = call;
  if (/^[1-9]\d{0,14}$/.test(changeId)) {
    return next({ account, skuId, changeId: Number(changeId), precondition, firstRunNumber });
  }
  return refuseRequest('change_unknown', 'No such change.');
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
