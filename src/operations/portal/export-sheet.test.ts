/** Tests which columns an exported sheet has, when offers change while it is sent and when there are too many to read twice. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { NO_FILTER } from '../../domain/offers/offer-list.ts';
import type { ListedOffer, OfferListRequest } from '../../store/port/offer-list.ts';
import { reviewKnowledge } from '../review-knowledge.ts';
import { exportSheet } from './export-sheet.ts';
import { ACCOUNT, RULES } from './testing/known-account.ts';
import type { ViewContext } from './view-context.ts';

const account = { ...ACCOUNT, nodes: new Map(['n1', 'n2', 'n3'].map((id) => [id, {}])) } as unknown as Account;
const { tag } = reviewKnowledge(RULES, account);

function priced(skuId: string, nodes: number): ListedOffer {
  const prices = Array.from({ length: nodes }, (_, at) => ({
    fulfillment_node_id: `n${at + 1}`,
    fulfillment_node_price: 2,
  }));
  return {
    skuId,
    document: '{}',
    archived: false,
    price: 1,
    priceNodes: prices,
    quantity: 0,
    updatedMs: 3,
    verdict: { status: 'available', subStatuses: [], rules: tag },
    categoryId: null,
  };
}

/** Exports prices from a list with one offer on each page. The scan for columns reads the pages in upload order. */
async function exported(scanned: readonly ListedOffer[], sent = scanned, scanned_offers_max?: number): Promise<string> {
  const listOffers = async (_accountId: number, { sort, after }: OfferListRequest) => {
    const offers = sort === 'oldest' ? scanned : sent;
    const at = after?.order ?? 0;
    const next = at + 1 < offers.length ? { key: '', order: at + 1 } : undefined;
    return { offers: offers.slice(at, at + 1), next };
  };
  const context = { rules: RULES, store: { offerList: { listOffers } } } as unknown as ViewContext;
  const request = { ...NO_FILTER, sort: 'newest', after: undefined, limit: 1 } as const;
  const sheet = await exportSheet(context, account, 'Price', request, scanned_offers_max);
  return (await Array.fromAsync(sheet.ok ? sheet.value : assert.fail())).join('').replace('\uFEFF', '');
}

describe('export of a sheet', () => {
  it('has the columns in which an offer has a value', async () => {
    assert.equal(
      await exported([priced('a', 0), priced('b', 1)]),
      'sku,price,node_1_id,node_1_price\r\na,1,,\r\nb,1,n1,2\r\n',
    );
  });

  it('fails if an offer got a value in another column meanwhile', async () => {
    await assert.rejects(exported([priced('a', 0)], [priced('a', 1)]), /has no column/);
  });

  it('has every possible column if there are more offers than are scanned', async () => {
    const [header, ...rows] = (await exported([priced('a', 0), priced('b', 0), priced('c', 3)], undefined, 1)).split(
      '\r\n',
    );
    assert.equal(header, 'sku,price,node_1_id,node_1_price,node_2_id,node_2_price,node_3_id,node_3_price');
    assert.deepEqual(rows, ['a,1,,,,,,', 'b,1,,,,,,', 'c,1,n1,2,n2,2,n3,2', '']);
  });
});
