/**
 * In charge of writing a variation group, so that every SKU is in one group at most.
 *
 * A SKU that is named in another group moves there; a SKU that becomes a child ends the group it was the parent of.
 * All members are locked first, so that none is archived or moved elsewhere in between, and the number is drawn then:
 * groups that share a member have their numbers in the order in which they are stored. All that join or leave are marked
 * as due for review.
 */
import type { GroupOutcome } from '../port.ts';
import type { Database } from './engine.ts';
import type { GroupWrite } from './offer-commands.ts';
import type { ReviewAnnouncer } from './review-announcer.ts';
import { LOCK_OFFERS, type LockedOffer } from './row-statements.ts';
import { statement } from './statements.ts';
import { DRAW_NUMBER, drawnNumber } from './write-numbers.ts';

const END_GROUPS = statement(
  'end groups',
  `UPDATE offer SET group_parent = NULL, group_position = NULL, group_refinements = NULL, group_title = NULL,
     group_number = GREATEST(offer.group_number, $2::bigint), review_mark = $2::bigint, review_marked_ms = $4::bigint
   FROM unnest($3::text[]) AS i (parent)
   WHERE offer.account_id = $1 AND offer.group_parent = i.parent`,
);

const JOIN_GROUP = statement(
  'join group',
  `UPDATE offer SET group_parent = $4, group_position = i.position,
     group_refinements = CASE WHEN i.position = 0 THEN $5 END, group_title = CASE WHEN i.position = 0 THEN $6 END,
     group_number = GREATEST(offer.group_number, $2::bigint), review_mark = $2::bigint, review_marked_ms = $8::bigint
   FROM unnest($3::text[], $7::integer[]) AS i (sku_id, position)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id`,
);

export class GroupWrites {
  readonly #database: Database;
  readonly #announcer: ReviewAnnouncer;

  constructor(database: Database, announcer: ReviewAnnouncer) {
    this.#database = database;
    this.#announcer = announcer;
  }

  async write(accountId: number, { skuId, group }: GroupWrite, deadlineMs: number): Promise<GroupOutcome> {
    // The parent first: positions follow this order.
    const members = [skuId, ...group.childrenSkus];
    const writing = this.#database.runInTwoGoes(
      [{ statement: LOCK_OFFERS, values: [accountId, members] }, DRAW_NUMBER],
      ([found = [], drawn = []]) => {
        if (refusalOf(members, found as readonly LockedOffer[]) !== undefined) return [];
        const number = drawnNumber(drawn);
        const nowMs = Date.now();
        const positions = members.map((_, position) => position);
        return [
          { statement: END_GROUPS, values: [accountId, number, members, nowMs] },
          {
            statement: JOIN_GROUP,
            values: [accountId, number, members, skuId, group.refinements, group.title, positions, nowMs],
          },
        ];
      },
      deadlineMs,
    );
    try {
      const [locked = []] = await writing;
      const refusal = refusalOf(members, locked as readonly LockedOffer[]);
      if (refusal === undefined) this.#announcer.note(accountId);
      return refusal ?? 'stored';
    } catch (error) {
      // Whether it is stored is not known.
      this.#announcer.note(accountId);
      throw error;
    }
  }
}

/** What stands against a group of these, of which the first is the parent. */
function refusalOf(
  members: readonly string[],
  locked: readonly LockedOffer[],
): Exclude<GroupOutcome, 'stored'> | undefined {
  const flags = new Map(locked);
  const states = members.map((skuId) => {
    const archived = flags.get(skuId);
    if (archived === undefined) return { skuId, state: 'unknown' as const };
    return { skuId, state: archived ? ('archived' as const) : ('open' as const) };
  });
  const [parent, ...children] = states;
  if (parent !== undefined && parent.state !== 'open') return parent.state;
  const refused = children.flatMap(({ skuId, state }) => (state === 'open' ? [] : [{ skuId, state }]));
  return refused.length > 0 ? { refused } : undefined;
}
