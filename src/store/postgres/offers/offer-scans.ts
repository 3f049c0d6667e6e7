/**
 * In charge of the reads that look at many SKUs: a few at a time, on connections that no write and no read by key waits
 * for.
 */
import type { Int64 } from '../../../domain/int64.ts';
import { describeMembers } from '../../../domain/variation-group.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { GroupMember, SkuPage, SkuPageRequest } from '../../port/offers.ts';
import type { QueueFigures } from '../../port.ts';
import { statement } from '../../shared/sql.ts';
import type { Database } from '../engine/engine.ts';
import { PipelineOrder, WaitingCalls, type WaitingLimits } from '../engine/waiting-calls.ts';

export interface ScanLimits extends WaitingLimits {
  /** Each has a connection of the pool while it runs. */
  readonly running_max: number;
}

const PLACE = statement<[uploadOrder: number]>(
  'read upload order',
  'SELECT upload_order FROM offer WHERE account_id = $1 AND sku_id = $2',
);
const PAGE = statement<[skuId: string]>(
  'list skus',
  `SELECT sku_id FROM offer WHERE account_id = $1 AND upload_order > $2
   ORDER BY upload_order LIMIT $3::bigint OFFSET $4::bigint`,
);
/**
 * `json` keeps numbers as text, so that integers beyond 2^53 come out as they went in. Of a member's attributes only
 * the refinements are sent: all of 2,001 members with 50 each would be some 10 MB to parse on the request thread.
 */
const MEMBERS = statement<[skuId: string, archived: boolean, brand: string | null, attributes: string | null]>(
  'read members',
  `SELECT offer.sku_id, offer.archived, described.brand,
     (SELECT json_agg(attribute) FROM json_array_elements(described.attributes_node_specific) attribute
      WHERE attribute ->> 'attribute_id' = ANY ($3::text[]))
   FROM unnest($2::text[]) WITH ORDINALITY AS asked (sku_id, place)
   JOIN offer ON offer.account_id = $1 AND offer.sku_id = asked.sku_id
   CROSS JOIN LATERAL json_to_record(offer.document::json) AS described (brand text, attributes_node_specific json)
   ORDER BY asked.place`,
);

export class OfferScans {
  readonly #database: Database;
  readonly #waiting: WaitingCalls;
  readonly #turns: PipelineOrder;
  #isClosed = false;

  constructor(database: Database, limits: ScanLimits) {
    this.#database = database;
    this.#waiting = new WaitingCalls(limits);
    this.#turns = new PipelineOrder(limits.running_max);
  }

  listSkus(accountId: number, { after, offset, limit }: SkuPageRequest): Promise<SkuPage | 'after_unknown'> {
    return this.#inTurn(after?.length ?? 0, async () => {
      let afterOrder = 0;
      if (after !== undefined) {
        const [place] = await this.#database.run(PLACE, [accountId, after]);
        if (place === undefined) return 'after_unknown';
        afterOrder = place[0];
      }
      // One more than asked for tells whether there are more.
      const rows = await this.#database.run(PAGE, [accountId, afterOrder, limit + 1, offset]);
      const skuIds = rows.map(([skuId]) => skuId);
      const more = skuIds.length > limit;
      if (more) skuIds.pop();
      return { skuIds, more };
    });
  }

  readMembers(accountId: number, skuIds: readonly string[], refinements: readonly Int64[]): Promise<GroupMember[]> {
    return this.#inTurn(lengthOfAll(skuIds), async () => {
      const rows = await this.#database.run(MEMBERS, [accountId, skuIds, refinements.map(String)]);
      const members = rows.map(([skuId, , brand, attributes]) => ({ skuId, brand: brand ?? '', attributes }));
      return describeMembers(members, refinements).map((member, place) => {
        return { ...member, archived: rows[place]?.[1] === true };
      });
    });
  }

  figures(): QueueFigures {
    return this.#waiting.figures();
  }

  /** Finishes the calls that were taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#waiting.empty();
  }

  async #inTurn<T>(characters: number, read: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreUnavailableError('The store is closed.');
    const waiting = this.#waiting.begin(characters);
    try {
      if (!(await this.#turns.begin(waiting.sinceMs + this.#database.call_ms_max))) {
        throw new StoreUnavailableError('The lists before this one took too long.');
      }
      try {
        return await read();
      } finally {
        this.#turns.end();
      }
    } finally {
      this.#waiting.end(waiting);
    }
  }
}

export function lengthOfAll(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}
