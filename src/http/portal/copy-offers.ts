/** Portal: POST /{env}/offers/copy and /offers/copy/preview */
import { OffersCopyBody } from '../../domain/bodies/offers-copy.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import type { Names } from '../../domain/names.ts';
import { SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { copyOffers, previewCopy } from '../../operations/portal/copy-offers.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { FileRecord, fileRecord } from '../answers/file-json.ts';
import { type AccountCall, endpointsOf } from '../endpoint.ts';
import { readQuery } from '../query.ts';
import { Count, OrNull } from './answer-schemas.ts';
import { readOfferQuery } from './offer-query.ts';
import { FILTERS, StatusName } from './offers.ts';

const Preview = (names: Names) =>
  Type.Object({
    ready: Count('Offers that would be for sale. Their images are checked after the copy.'),
    with_issues: Count('Offers that can be copied, but would not be for sale.'),
    skipped: Count('Offers that this environment already has, or that are archived.'),
    is_more: Type.Boolean({ description: 'More offers match than are copied at once. Copy again for the next ones.' }),
    failing: Type.Array(
      Type.Object({
        sku: Type.String(),
        title: Type.String(),
        status: OrNull(StatusName(names), 'Status after the copy; null if the offer cannot be copied.'),
        sub_status: Type.Array(OneOf(SUB_STATUSES)),
        problems: Type.Array(
          Type.Object({
            code: Type.String(),
            field: Type.String({ description: 'JSON pointer into the parts of the offer.' }),
            message: Type.String(),
          }),
          { description: 'Why the offer cannot be copied.' },
        ),
      }),
      { description: 'The first offers that would not be for sale, and why.' },
    ),
  });

const Copied = Type.Object({
  offers: Count('Offers in the bulk file.'),
  skipped: Count('Offers that were not copied.'),
  skus: Type.Array(Type.String(), { description: 'SKU ids of the copied offers.' }),
  file: Type.Optional(FileRecord),
});

const FAILING_SHOWN = 100;

export const copyOffersEndpoints = endpointsOf({ access: 'account', tag: 'Offers' } as const, {
  'POST /offers/copy': {
    id: 'copyOffers',
    summary: 'Copy offers from the other environment',
    description:
      'Creates a bulk file of whole offers, without variation groups, and submits it. Offers that this environment already has are skipped.',
    query: FILTERS,
    requestBody: OffersCopyBody,
    answer: Copied,
    unhurried: true,
    async handle(call) {
      const { services, body } = call;
      const request = readQuery(call.query, (reading) => readOfferQuery(reading, services.context));
      if ('problems' in request) return request;
      const copied = await copyOffers(services, await accountsOf(call), request, body);
      if (!copied.ok) return copied;
      const { offers, skipped, skus, file } = copied.value;
      const record = file === undefined ? {} : { file: await fileRecord(services, file) };
      const json = JSON.stringify({ offers, skipped, skus, ...record });
      return { status: 200, json, headers: NOT_KEPT, ignored: copied.ignored };
    },
  },
  'POST /offers/copy/preview': {
    id: 'previewOffersCopy',
    summary: 'Preview a copy of offers from the other environment',
    description:
      'Takes the same query and body as the copy, and tries each offer in this environment. Nothing is stored. An account has one preview ' +
      'at a time; another gets 429 with the error `previews_too_many`.',
    query: FILTERS,
    requestBody: OffersCopyBody,
    answer: Preview,
    unhurried: true,
    async handle(call) {
      const { services, body, whenClosed } = call;
      const { names } = services.context;
      const request = readQuery(call.query, (reading) => readOfferQuery(reading, services.context));
      if ('problems' in request) return request;
      const gone = new AbortController();
      whenClosed(() => gone.abort());
      const previewed = await previewCopy(services, await accountsOf(call), request, body, gone.signal);
      if (!previewed.ok) return previewed;
      const { ready, withIssues, failing, skipped, isMore } = previewed.value;
      const preview: Static<ReturnType<typeof Preview>> = {
        ready: ready.length,
        with_issues: withIssues.length,
        skipped,
        is_more: isMore,
        failing: failing.slice(0, FAILING_SHOWN).map(({ skuId, title, status, subStatuses, problems }) => ({
          sku: skuId,
          title,
          status: status === undefined ? null : names.status(status),
          sub_status: [...subStatuses],
          problems: problems.map(({ code, field, message }) => ({ code, field, message })),
        })),
      };
      return { status: 200, json: JSON.stringify(preview), headers: NOT_KEPT, ignored: previewed.ignored };
    },
  },
});

/** Returns the account of the call, and that of the merchant's other environment. */
async function accountsOf({ services, account }: AccountCall) {
  const { directory } = services.portal;
  const merchant = await directory.merchant(account.merchantId);
  const other = merchant?.accounts[account.environment === 'live' ? 'test' : 'live'];
  const from = other === undefined ? undefined : await directory.account(other);
  if (from === undefined) throw new Error('The merchant of the account has no other environment.');
  return { from, to: account };
}
