/** Stores changes of rules that apply at a date, until they are applied (see apply-announced.ts) or cancelled. */
import { stringifyExactJson } from '../../../domain/int64.ts';
import { type Policy, policyKey } from '../../../domain/review/policies.ts';
import type { AnnouncedChange, ChangeNote, PolicyStore } from '../../port/settings.ts';
import { change, read, undone, write } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { dropSome, firstOf, insertStatement, isFound, rowsOf, type Sql, statement, type WriteSql } from '../sql.ts';

/** The commands that an announced change can run, with what they change. */
export type Edit =
  | 'addPolicy'
  | 'removePolicy'
  | 'addPlaceholder'
  | 'removePlaceholder'
  | 'putTaxonomy'
  | 'dropTaxonomy';

export type DatedNote = ChangeNote & { readonly enforcedFromMs: number };

const NOTE = columnsOf<DatedNote>({ impact: JSON_TEXT })('atMs', 'by', 'act', 'subject', 'impact', 'enforcedFromMs');
const LISTED = columnsOf<AnnouncedChange>({ impact: JSON_TEXT })(
  ...(['announcedId', 'atMs', 'by', 'act', 'subject', 'impact', 'enforcedFromMs', 'state', 'settledMs'] as const),
  'settledBy',
);
const ADD = insertStatement('announce change', 'announced_change', [...NOTE.names, 'edit', 'target', 'body']);
const SETTLED = "state = $1, settled_ms = $2, settled_by = $3, body = ''";
const REPLACE = statement<[]>('replace announced change')`
  UPDATE announced_change SET ${SETTLED} WHERE state = 'announced' AND target = $4`;
const SETTLE = statement<[one: number]>('settle announced change')`
  UPDATE announced_change SET ${SETTLED} WHERE state = 'announced' AND announced_id = $4 RETURNING 1`;
const MOVE = statement<[one: number]>('move announced change')`
  UPDATE announced_change SET enforced_from_ms = $2 WHERE announced_id = $1 AND state = 'announced' RETURNING 1`;
const LIST = statement('list announced changes')`
  SELECT ${LISTED.list} FROM announced_change
  ORDER BY CASE WHEN state = 'announced' THEN enforced_from_ms END NULLS LAST, settled_ms DESC, announced_id LIMIT $1`;
const READ_STATE = statement<[state: string]>('read state of announced change')`
  SELECT state FROM announced_change WHERE announced_id = $1`;
const READ_FIRST = statement<[count: number, firstMs: number | null]>('read first announced change')`
  SELECT count(*), min(enforced_from_ms) FROM announced_change WHERE state = 'announced'`;

export function isDated(note: ChangeNote | undefined): note is DatedNote {
  return note?.enforcedFromMs !== undefined;
}

/** Announces a change instead of making it. It replaces an announced change with the same target, which counts as cancelled. */
export async function announce(
  sql: WriteSql,
  note: DatedNote,
  edit: Edit,
  target: readonly unknown[],
  value: unknown,
): Promise<'stored'> {
  const named = JSON.stringify(target);
  await sql.run(REPLACE, ['cancelled', note.atMs, note.by, named]);
  await sql.run(ADD, [...NOTE.valuesOf(note), edit, named, stringifyExactJson(value)]);
  return 'stored';
}

export function policyTarget(edit: Edit, policy: Policy): readonly unknown[] {
  const granted = policy.kind === 'restricted_brand' ? [...policy.merchantIds].sort() : [];
  return [edit, policy.kind, policyKey(policy), ...granted];
}

export const settleAnnounced: (sql: Sql, ...values: readonly unknown[]) => Promise<boolean> = isFound(SETTLE);

export const listAnnouncedChanges = read<PolicyStore['listAnnouncedChanges']>(rowsOf(LIST, LISTED.of));

export const readAnnouncements = read<PolicyStore['readAnnouncements']>(async (sql) => {
  const [[count, firstMs] = [0, null]] = await sql.run(READ_FIRST);
  return { count, firstMs };
});

export const moveAnnouncedChange = change<PolicyStore['moveAnnouncedChange']>(async (sql, announcedId, date) => {
  const moved = await sql.run(MOVE, [announcedId, date]);
  return moved.length > 0 ? 'stored' : undone(await whyNot(sql, announcedId));
});

export const cancelAnnouncedChange = change<PolicyStore['cancelAnnouncedChange']>(
  async (sql, announcedId, ...asked) => {
    const isSettled = await settleAnnounced(sql, 'cancelled', ...asked, announcedId);
    return isSettled ? 'stored' : undone(await whyNot(sql, announcedId));
  },
);

const findState = firstOf(READ_STATE, ([state]) => state);

async function whyNot(sql: Sql, announcedId: number): Promise<'unknown' | 'settled'> {
  return (await findState(sql, announcedId)) === undefined ? 'unknown' : 'settled';
}

export const dropAnnouncedChangesBefore = write<PolicyStore['dropAnnouncedChangesBefore']>(
  { lane: 'background' },
  dropSome(
    'drop announced changes',
    'announced_change',
    "state <> 'announced' AND settled_ms < $1 ORDER BY settled_ms, announced_id",
  ),
);
