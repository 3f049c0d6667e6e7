/** Reads many SKUs at once. A few reads run at a time, on connections that writes and reads by key do not use. */
import type { Int64 } from '../../../domain/int64.ts';
import { describeMembers } from '../../../domain/variation-group.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { GroupMember, SkuPage, SkuPageRequest } from '../../port/offers.ts';
import { charactersIn } from '../../shared/call-sizes.ts';
import { FIND_ORDER } from '../../shared/moves/offer-rows.ts';
import { statement } from '../../shared/sql.ts';
import type { Database } from '../engine/engine.ts';
import { Semaphore, WaitingCalls, type WaitingLimits } from '../engine/waiting-calls.ts';

export interface ScanLimits extends WaitingLimits {
  /** The most reads that run at once; each uses a connection of the pool. */
  readonly running_max: number;
}

const PAGE = statement<[skuId: string]>(
  'list skus',
  `SELECT sku_id FROM offer WHERE account_id = $1 AND upload_order > $2
   ORDER BY upload_order LIMIT $3::bigint OFFSET $4::bigint`,
);
/**
 * `json` preserves integers beyond 2^53. Only the refinements among a member's attributes are sent: 50 attributes of 2,001 members
 * would be 10 MB to parse on the request thread.
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
  readonly waiting: WaitingCalls;
  readonly #places: Semaphore;

  constructor(database: Database, limits: ScanLimits) {
    this.#database = database;
    this.waiting = new WaitingCalls(limits);
    this.#places = new Semaphore(limits.running_max);
  }

  listSkus(accountId: number, { after, offset, limit }: SkuPageRequest): Promise<SkuPage | 'after_unknown'> {
    return this.#queued(after?.length ?? 0, async () => {
      let afterOrder = 0;
      if (after !== undefined) {
        const [place] = await this.#database.run(FIND_ORDER, [accountId, after]);
        if (place === undefined) return 'after_unknown';
        afterOrder = place[0];
      }
      // One extra row shows whether there are more.
      const rows = await this.#database.run(PAGE, [accountId, afterOrder, limit + 1, offset]);
      const skuIds = rows.map(([skuId]) => skuId);
      const more = skuIds.length > limit;
      if (more) skuIds.pop();
      return { skuIds, more };
    });
  }

  readMembers(accountId: number, skuIds: readonly string[], refinements: readonly Int64[]): Promise<GroupMember[]> {
    return this.#queued(charactersIn(skuIds), async () => {
      const rows = await this.#database.run(MEMBERS, [accountId, skuIds, refinements.map(String)]);
      const members = rows.map(([skuId, , brand, attributes]) => ({ skuId, brand: brand ?? '', attributes }));
      return describeMembers(members, refinements).map((member, place) => {
        return { ...member, archived: rows[place]?.[1] === true };
      });
    });
  }

  async #queued<T>(characters: number, read: () => Promise<T>): Promise<T> {
    const waiting = this.waiting.begin(characters);
    try {
      if (!(await this.#places.acquire(waiting.sinceMs + this.#database.call_ms_max))) {
        throw new StoreUnavailableError('The lists queued before this one took too long.');
      }
      try {
        return await read();
      } finally {
        this.#places.release();
      }
    } finally {
      this.waiting.end(waiting);
    }
  }
}
